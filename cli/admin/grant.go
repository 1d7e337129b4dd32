package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/spf13/cobra"
)

func newGrantCmd(a *app.App) *cobra.Command {
	var g api.NewGrant
	var columns, masks []string
	cmd := command(a, "grant", "Let a user or a group read a table, or a part of it", "", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			if (g.User == "") == (g.Group == "") || g.TableID == "" {
				return usage.Error("da admin grant needs --table, and --user or --group")
			}
			var err error
			if g.Columns, err = usage.Items("columns", columns); err != nil {
				return err
			}
			if g.Masks, err = masksOf(masks); err != nil {
				return err
			}
			made, err := r.CreateGrant(ctx, g)
			if err != nil {
				return err
			}
			return report(a, made, grantList([]api.Grant{*made}), made)
		})
	cmd.Long = `Grant lets a user or a group read a table: all of it, or only the columns of
--columns in the rows for which --rows holds. Nothing else of the table shows
in any answer or error. Several grants add up as rectangles: a request sees the
rows of each grant that has all the columns that the request names.

--mask shows a column without its values: null, constant or constant:TEXT, hash
(the same values have the same hash in all tables), last4, date:UNIT (year,
quarter, month, week or day) or number:STEP, rounded down. A masked column can
be fetched, and used in no condition, order or statement at the source.`
	cmd.Example = `  da admin grant --user ann@example.com --table orders
  da admin grant --group sales --table orders --columns id,country,amount --rows "country = 'CZ'"
  da admin grant --user ann@example.com --table orders --mask country=hash --mask pay=number:5
  da admin grant list --table orders
  da admin grant revoke 7`
	f := cmd.Flags()
	f.StringVar(&g.User, "user", "", "who may read: a user's `name`")
	f.StringVar(&g.Group, "group", "", "who may read: a group's `name`")
	f.StringVar(&g.TableID, "table", "", "what: a table's `id`")
	f.StringArrayVar(&columns, "columns", nil, "only these `columns`, separated by commas (default all)")
	f.StringVar(&g.Rows, "rows", "", "only rows for which this `predicate` holds, in the table's dialect (default all)")
	f.StringArrayVar(&masks, "mask", nil, "show a `column=kind` without its values; may be given several times")
	var table string
	list := command(a, "list", "List the grants", "da admin grant list\nda admin grant list --table orders --json", nil,
		func(ctx context.Context, r api.Administration, _ []string) error {
			grants, err := r.Grants(ctx, table)
			if err != nil {
				return err
			}
			return report(a, grants, grantList(grants), grants)
		})
	list.Flags().StringVar(&table, "table", "", "only those on this `table`")
	cmd.AddCommand(list, command(a, "revoke", "End a grant, at once", "da admin grant revoke 6", []string{"id"},
		func(ctx context.Context, r api.Administration, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return usage.Error("a grant is named by its number; 'da admin grant list' shows it")
			}
			return done(a, r.RevokeGrant(ctx, id), fmt.Sprintf("grant %d is revoked", id))
		}))
	return cmd
}

func grantList(grants []api.Grant) output.List {
	list := output.List{Columns: []string{"id", "table", "user", "group", "columns", "rows", "masks", "by"}}
	for _, g := range grants {
		list.Rows = append(list.Rows, []any{g.ID, g.TableID, g.User, g.Group, output.Joined(g.Columns, "all"),
			output.Joined(nonEmpty(g.Rows), "all"), output.Joined(maskTexts(g.Masks), "none"), g.CreatedBy})
	}
	return list
}

// masksOf reads items of the form column=kind.
func masksOf(items []string) (api.Masks, error) {
	masks := api.Masks{}
	for _, item := range items {
		column, kind, ok := strings.Cut(item, "=")
		if !ok || column == "" || kind == "" || masks[column] != "" {
			return nil, usage.Error("--mask is COLUMN=KIND, once for each column, such as --mask email=hash; it was '" + api.Clip(item, 80) + "'")
		}
		masks[column] = kind
	}
	return masks, nil
}

func maskTexts(masks api.Masks) (texts []string) {
	for _, column := range slices.Sorted(maps.Keys(masks)) {
		texts = append(texts, column+"="+masks[column])
	}
	return texts
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

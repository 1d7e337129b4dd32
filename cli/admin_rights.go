package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
)

func newAdminTokenCmd(a *app) *cobra.Command {
	var user, note, expires string
	create := adminCmd(a, "create", "Make a token for a user, shown only now", "da admin token create --user ann@example.com --expires 90d --note laptop\nda admin token create --user ann@example.com --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		t := api.NewToken{User: user, Note: note}
		if user == "" {
			return usageError("da admin token create needs --user")
		}
		if expires != "" {
			age, err := parseAge("expires", expires)
			if err != nil {
				return err
			}
			t.ExpiresSeconds = int64(age / time.Second)
		}
		made, err := r.CreateToken(ctx, t)
		if err != nil {
			return err
		}
		list := output.List{Columns: []string{"token", "id", "user", "expires"},
			Rows: [][]any{{made.Secret, made.ID, made.User, moment(made.ExpiresAt)}}}
		return a.report(made, list, made)
	})
	create.Flags().StringVar(&user, "user", "", "whose token it is: a `name`")
	create.Flags().StringVar(&expires, "expires", "", "`age` at which it ends, as in 90d (default never)")
	create.Flags().StringVar(&note, "note", "", "a `text` to remember it by")
	var of string
	list := adminCmd(a, "list", "List the tokens", "da admin token list\nda admin token list --user ann@example.com --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		tokens, err := r.Tokens(ctx, of)
		if err != nil {
			return err
		}
		return a.report(tokens, tokenList(tokens), tokens)
	})
	list.Flags().StringVar(&of, "user", "", "only those of this `user`")
	return adminGroup("token", "Personal access tokens", create, list,
		adminCmd(a, "revoke", "End a token, at once", "da admin token revoke ID", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.RevokeToken(ctx, args[0]), "token "+args[0]+" is revoked")
		}),
	)
}

// moment is a time that may not be there.
func moment(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func tokenList(tokens []api.Token) output.List {
	list := output.List{Columns: []string{"id", "user", "prefix", "note", "expires", "revoked", "last used"}}
	for _, t := range tokens {
		list.Rows = append(list.Rows, []any{t.ID, t.User, t.Prefix + "…", t.Note, moment(t.ExpiresAt), moment(t.RevokedAt), moment(t.LastUsedAt)})
	}
	return list
}

func newAdminGrantCmd(a *app) *cobra.Command {
	var g api.NewGrant
	var columns []string
	cmd := adminCmd(a, "grant", "Let a user or a group read a table, or a part of it", "", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		if (g.User == "") == (g.Group == "") || g.TableID == "" {
			return usageError("da admin grant needs --table, and --user or --group")
		}
		var err error
		if g.Columns, err = splitItems("columns", columns); err != nil {
			return err
		}
		made, err := r.CreateGrant(ctx, g)
		if err != nil {
			return err
		}
		return a.report(made, grantList([]api.Grant{*made}), made)
	})
	cmd.Long = `Grant lets a user or a group read a table: all of it, or only the columns of
--columns in the rows for which --rows holds. Nothing else of the table shows
in any answer or error. Several grants add up as rectangles: a request sees the
rows of each grant that has all the columns that the request names.`
	cmd.Example = `  da admin grant --user ann@example.com --table orders
  da admin grant --group sales --table orders --columns id,country,amount --rows "country = 'CZ'"
  da admin grant list --table orders
  da admin grant revoke 7`
	f := cmd.Flags()
	f.StringVar(&g.User, "user", "", "who may read: a user's `name`")
	f.StringVar(&g.Group, "group", "", "who may read: a group's `name`")
	f.StringVar(&g.TableID, "table", "", "what: a table's `id`")
	f.StringArrayVar(&columns, "columns", nil, "only these `columns`, separated by commas (default all)")
	f.StringVar(&g.Rows, "rows", "", "only rows for which this `predicate` holds, in the table's dialect (default all)")
	var table string
	list := adminCmd(a, "list", "List the grants", "da admin grant list\nda admin grant list --table orders --json", nil, func(ctx context.Context, r api.Administration, _ []string) error {
		grants, err := r.Grants(ctx, table)
		if err != nil {
			return err
		}
		return a.report(grants, grantList(grants), grants)
	})
	list.Flags().StringVar(&table, "table", "", "only those on this `table`")
	cmd.AddCommand(list, adminCmd(a, "revoke", "End a grant, at once", "da admin grant revoke 6", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return usageError("a grant is named by its number; 'da admin grant list' shows it")
		}
		return done(a, r.RevokeGrant(ctx, id), fmt.Sprintf("grant %d is revoked", id))
	}))
	return cmd
}

func grantList(grants []api.Grant) output.List {
	list := output.List{Columns: []string{"id", "table", "user", "group", "columns", "rows", "by"}}
	for _, g := range grants {
		list.Rows = append(list.Rows, []any{g.ID, g.TableID, g.User, g.Group, joined(g.Columns, "all"), joined(nonEmpty(g.Rows), "all"), g.CreatedBy})
	}
	return list
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func newAdminTableCmd(a *app) *cobra.Command {
	var t api.RegisteredTable
	var mode string
	register := adminCmd(a, "register", "Add a table to those of the instance file", "da admin table register past --source files --relation 'flights/**/*.parquet' --description 'Flights of 2001'\nda admin table register prices --source files --relation orders.csv --mode local --public", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
		if t.Source == "" || t.Relation == "" {
			return usageError("da admin table register needs --source and --relation")
		}
		t.ID, t.QueryMode = args[0], api.QueryMode(mode)
		made, err := r.RegisterTable(ctx, t)
		if err != nil {
			return err
		}
		return a.report(made, registeredList([]api.RegisteredTable{*made}), made)
	})
	f := register.Flags()
	f.StringVar(&t.Source, "source", "", "`name` of a source of the instance file")
	f.StringVar(&t.Relation, "relation", "", "its `name` there: a path with forward slashes, or schema.table")
	f.StringVar(&mode, "mode", "remote", "remote or local")
	f.StringVar(&t.Description, "description", "", "a `text` for the catalog")
	f.BoolVar(&t.Public, "public", false, "everybody with a token may read all of it")
	return adminGroup("table", "Tables beside those of the instance file", register,
		adminCmd(a, "list", "List the registered tables", "da admin table list", nil, func(ctx context.Context, r api.Administration, _ []string) error {
			tables, err := r.RegisteredTables(ctx)
			if err != nil {
				return err
			}
			return a.report(tables, registeredList(tables), tables)
		}),
		adminCmd(a, "refresh", "Rebuild the file that clients sync, if the source has changed", "da admin table refresh airports", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
			made, err := r.RefreshTable(ctx, args[0])
			if err != nil {
				return err
			}
			a.warnOfFile(made.SyncTable)
			return a.report(made, output.List{Columns: []string{"id", "changed", "rows", "bytes", "made"},
				Rows: [][]any{{made.TableID, made.Changed, made.Rows, made.Bytes, made.MadeAt.Format(time.RFC3339)}}}, made)
		}),
		adminCmd(a, "unregister", "Remove a registered table and the grants on it", "da admin table unregister prices", []string{"id"}, func(ctx context.Context, r api.Administration, args []string) error {
			return done(a, r.UnregisterTable(ctx, args[0]), "table '"+args[0]+"' is not registered any more")
		}),
	)
}

func registeredList(tables []api.RegisteredTable) output.List {
	list := output.List{Columns: []string{"id", "source", "relation", "mode", "public", "by", "description"}}
	for _, t := range tables {
		list.Rows = append(list.Rows, []any{t.ID, t.Source, t.Relation, string(t.QueryMode), t.Public, t.CreatedBy, strings.TrimSpace(t.Description)})
	}
	return list
}

package catalog

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/joins"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// joinsOptions are the flags of da joins.
type joinsOptions struct {
	table                              string
	verify, estimate, mermaid, picture bool
}

// NewJoinsCmd returns 'da joins'.
func NewJoinsCmd(a *app.App) *cobra.Command {
	o := joinsOptions{}
	cmd := &cobra.Command{
		Use:   "joins [table]",
		Short: "Show by which columns tables can be joined",
		Long: `Joins lists the columns by which tables of the catalog and snapshots can be
joined: foreign keys of databases, those that the semantic model names, and
those that names and types suggest, which are guesses.

--verify looks at the rows: which share of them finds one in the other table,
and whether a value occurs once there. Where neither side has values that occur
once, two columns of snapshots together are tried. What is here costs nothing;
columns of other tables are fetched, as with 'da query --fetch', and --estimate
shows beforehand what that would read.

--picture draws a line for each join. Where it ends, 'n' says that many rows
have the same value, '1' that one row has it, and '?' that it is a guess.`,
		Example: `  da joins
  da joins flights --verify
  da joins --verify --estimate
  da joins --verify --picture
  da joins --mermaid`,
		Args:              usage.AtMostOne("table", "Name one table: its joins with all others are shown."),
		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.table = args[0]
			}
			if o.mermaid && o.picture {
				return usage.Error("--picture and --mermaid are two diagrams; give one of them")
			}
			return runJoins(cmd.Context(), a, o)
		},
	}
	cmd.Flags().BoolVar(&o.verify, "verify", false, "count what each of them finds")
	cmd.Flags().BoolVar(&o.estimate, "estimate", false, "show what --verify would read, and stop")
	cmd.Flags().BoolVar(&o.picture, "picture", false, "draw the tables and a line for each join")
	cmd.Flags().BoolVar(&o.mermaid, "mermaid", false, "print a diagram in the language of Mermaid")
	return cmd
}

func runJoins(ctx context.Context, a *app.App, o joinsOptions) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	found, err := joins.List(ctx, work, o.table)
	if err != nil {
		return err
	}
	if o.verify || o.estimate {
		if err := lookAt(ctx, a, work, o, found); err != nil {
			return err
		}
	}
	found.Caveats = api.Arranged(found.Caveats)
	a.Tell(found.Caveats...)
	if len(found.Joins) == 0 {
		a.Note("no joins are known: neither keys nor a semantic model name any, and the names of columns suggest none")
	}
	if o.mermaid || o.picture {
		if err := a.NoFormat("a diagram"); err != nil {
			return err
		}
		if o.picture {
			return drawn(a, picture(found))
		}
		return a.Page(func(w io.Writer) error { return mermaid(w, found) })
	}
	list := output.List{Columns: []string{"column", "to", "multiplicity", "known from", "coverage"}}
	if o.estimate {
		list.Columns[4] = "verifying reads"
	}
	for _, j := range found.Joins {
		from, to := j.Ends()
		row := []any{from, to, j.Multiplicity, j.KnownFrom}
		switch v := j.Verified; {
		case o.estimate && j.ScanBytes != nil:
			row = append(row, humanize.Bytes(*j.ScanBytes))
		case v != nil:
			cover := fmt.Sprintf("%.1f %%", 100*v.Coverage)
			if v.WithoutKey > 0 {
				cover += ", " + humanize.Plural(v.WithoutKey, "row", "rows") + " without a key"
			}
			row = append(row, cover)
		default:
			row = append(row, "")
		}
		list.Rows = append(list.Rows, row)
	}
	return a.ShowItems(format, found, list, found.Joins)
}

// drawn prints a picture. A note says so if the window is too narrow for its lines.
func drawn(a *app.App, picture string) error {
	widest := 0
	for line := range strings.Lines(picture) {
		widest = max(widest, textwidth.Of(strings.TrimSuffix(line, "\n")))
	}
	if a.IO.OutWidth > 0 && widest > a.IO.OutWidth {
		a.Note(fmt.Sprintf("the picture has %d columns, and this window %d: widen it, or name one table", widest, a.IO.OutWidth))
	}
	return a.Page(func(w io.Writer) error { _, err := io.WriteString(w, picture); return err })
}

// lookAt verifies joins, or finds out what that would read. One that cannot be is told.
func lookAt(ctx context.Context, a *app.App, work *analyst.Analyst, o joinsOptions, found *joins.Found) error {
	options, err := a.QueryOptions()
	if err != nil {
		return err
	}
	progress := a.Progress("fetching")
	defer progress.Stop()
	options.OnProgress = progress.Set
	for i := range found.Joins {
		j := &found.Joins[i]
		var caveats []api.Caveat
		if o.estimate {
			err = j.Estimate(ctx, work)
		} else {
			caveats, err = j.Verify(ctx, work, options)
		}
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			from, to := j.Ends()
			caveats = []api.Caveat{{Kind: api.CaveatUnread, About: api.Subject{Table: j.Table, Columns: []string{j.Column}},
				Text: fmt.Sprintf("%s was not compared with %s: %s", from, to, api.Clip(err.Error(), 200))}}
		}
		found.Caveats = append(found.Caveats, caveats...)
	}
	return found.Compose(ctx, work)
}

// mermaid writes joins as an entity relationship diagram in that language.
func mermaid(w io.Writer, found *joins.Found) error {
	ends := map[string]string{api.ManyToOne: "}o--||", api.OneToOne: "||--||", api.OneToMany: "||--o{", api.ManyToMany: "}o--o{",
		"": "}o..o{"} // which claims nothing
	text, note := "erDiagram\n", ""
	for _, j := range found.Joins {
		var pairs []string
		for _, p := range j.Pairs() {
			pairs = append(pairs, p.Column+" = "+p.ToColumn)
		}
		label := strings.Join(pairs, " AND ")
		if j.Multiplicity == "" {
			label, note = label+" ?", "    %% dotted, with ?: a guess by names; 'da joins --verify' counts how many rows meet\n"
		}
		text += fmt.Sprintf("    %s %s %s : %q\n", j.Table, ends[j.Multiplicity], j.To, label)
	}
	text += note
	_, err := io.WriteString(w, text)
	return err
}

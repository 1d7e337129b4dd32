package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewPlanCmd returns 'da plan'.
func NewPlanCmd(a *app.App) *cobra.Command {
	var fresh bool
	cmd := &cobra.Command{
		Use:   "plan <SQL>",
		Short: "Show what a query would fetch",
		Long: `Plan shows for each table of a SELECT where 'da query --fetch' would get its
rows: from a snapshot that has them, from one that has some of them and for the
rest from the source, or from the source alone, and then which columns and rows,
and what that costs. No row is read.

Where a join needs certain values of a table only, those that the smaller table
has, that one is fetched first and the values become a condition of the larger
one: "origin among iata of airports".

Conditions that the source is not asked for are listed with the reason: they are
checked here, and more rows are fetched than they let through.`,
		Example: `  da plan "SELECT origin, avg(delay) FROM flights WHERE date >= '2001-03-01' GROUP BY ALL"`,
		Args:    usage.Exactly("SQL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exit.About(args[0], runPlan(cmd.Context(), a, args[0], fresh))
		},
	}
	cmd.Flags().BoolVar(&fresh, "fresh", false, "as if nothing of the tables were here")
	return cmd
}

func runPlan(ctx context.Context, a *app.App, sql string, fresh bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	p, err := plan.Make(ctx, work, sql, fresh)
	if err != nil {
		return err
	}
	return writePlan(a, format, p)
}

// writePlan prints where each table's rows would come from.
func writePlan(a *app.App, format output.Format, plan *plan.Plan) error {
	list := output.List{Columns: []string{"table", "from", "columns", "where", "reads", "rows"}}
	for _, t := range plan.Tables {
		reads, rows := "0 B", ""
		if e := t.Estimate; e != nil {
			if reads = "unknown"; e.ScanBytes != nil {
				reads = humanize.Bytes(*e.ScanBytes)
			}
			rows = app.EstimatedRows(e)
		}
		from := t.From
		if t.Reuse != nil {
			if from = t.Reuse.Snapshot; t.Reuse.Part {
				from = "earlier query"
			}
			if t.Reuse.Rest != "" {
				from += " and fetch"
			}
		}
		where := api.Clip(t.Where, longestWhere)
		for _, k := range t.Keys {
			where = strings.TrimPrefix(where+" AND "+k.String(), " AND ")
		}
		list.Rows = append(list.Rows, []any{t.TableID, from, strings.Join(t.Select, ", "), where, reads, rows})
	}
	if err := a.ShowItems(format, plan, list, plan.Tables); err != nil || format != output.Table {
		return err
	}
	for _, t := range plan.Tables {
		for _, text := range t.Local {
			a.Note(fmt.Sprintf("%s: only checked here: %s", t.TableID, text))
		}
	}
	if at := plan.AtSource; at != nil {
		a.Note(fmt.Sprintf("the statement runs at the source: %s at most, where fetches would send about %s",
			humanize.Plural(at.RowsHigh, "row", "rows"), humanize.Bytes(at.SavedBytes)))
	}
	if plan.ScanBytes != nil {
		a.Note("in all: reads " + humanize.Bytes(*plan.ScanBytes) + " at the source")
	}
	return nil
}

// longestWhere is the length at which the table cuts a predicate, in characters:
// its list of values can be long.
const longestWhere = 300

// planLine describes one table of a plan in one line.
func planLine(t plan.Table) string {
	switch {
	case t.From == plan.FromSource:
		return fmt.Sprintf("%s: %s; the source runs the statement", t, app.EstimateLine(t.Estimate))
	case t.Reuse != nil && t.Estimate != nil:
		return fmt.Sprintf("%s: answered %s, %s", t.TableID, t.Reuse.String(), app.EstimateLine(t.Estimate))
	case t.Reuse != nil:
		return fmt.Sprintf("%s: answered %s", t.TableID, t.Reuse.String())
	case t.Estimate != nil:
		return fmt.Sprintf("%s: %s", t, app.EstimateLine(t.Estimate))
	}
	return t.TableID + ": no row of it is needed"
}

package tables

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table"
)

func newTableRowsCmd(a *app.App, o *TableOptions) *cobra.Command {
	var r table.RowsRequest
	var q query.Options
	cmd := &cobra.Command{
		Use:   "rows <file>",
		Short: "Show rows by their position",
		Long: `Rows shows rows by their position in the file. A table on the terminal has 100
rows unless --count says otherwise. Formats for programs and --out FILE have all
from --start on unless --count is given. With --plot they are drawn, as
'da query --plot' does. --limit is --count under the name that it has elsewhere.`,
		Example: "  da table rows sales.csv --start 5001 --count 20\n  da table rows sales.csv -o ndjson > sales.ndjson\n  da table rows sales.csv --columns id,amount --out part.parquet",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			q.Started, q.LimitGiven = time.Now(), flags.Changed("limit") || flags.Changed("count")
			if q.Limit < 0 {
				return usage.Error("--limit cannot be negative")
			}
			if flags.Changed("limit") {
				r.RowCount = cmp.Or(q.Limit, math.MaxInt64)
			}
			q.Limit, q.LimitGiven = 0, q.LimitGiven && r.RowCount < math.MaxInt64 // the request has the limit
			return runTableRows(cmd.Context(), a, o, q, args[0], r, flags.Changed("timeout"))
		},
	}
	timeoutFlag(cmd, &r.Timeout, table.ReadTimeout, takeMostShown)
	f := cmd.Flags()
	f.Int64Var(&r.RowStart, "start", 1, "first `row`, from 1, the header not counted")
	f.Int64Var(&r.RowCount, "count", table.DefaultWindowRows, "`number` of rows")
	f.Int64Var(&q.Limit, "limit", 0, "at most this many `rows`; 0 means all")
	f.StringSliceVar(&r.Columns, "columns", nil, "only these `columns`, with commas between")
	f.StringVar(&q.Out, "out", "", "write the rows to this `file`; - is standard output")
	f.BoolVar(&q.Force, "force", false, "replace the file of --out")
	f.BoolVar(&q.Timing, "timing", false, "say on stderr how many rows there are and how long it took")
	usage.Exclusive(cmd, "limit", "count")
	q.Plot.Register(cmd)
	return cmd
}

func runTableRows(ctx context.Context, a *app.App, o *TableOptions, q query.Options, path string, r table.RowsRequest,
	timeoutGiven bool) error {
	if q.Out == "-" {
		q.Out = ""
	}
	if err := q.Plot.Check(a, q.Out); err != nil {
		return err
	}
	format, err := query.Format(a, q)
	if err != nil {
		return err
	}
	whole, err := wholeJSON(a, format, q.LimitGiven)
	if err != nil {
		return err
	}
	whole = whole || !windowed(format, q.Out) || q.Plot.Wanted()
	if whole && !q.LimitGiven {
		r.RowCount = math.MaxInt64
	}
	if whole && !timeoutGiven {
		r.Timeout = -1 // no time limit
	}
	switch {
	case !windowed(format, q.Out) || q.Plot.Wanted():
		return runTablePick(ctx, a, o, q, path, r, format)
	case whole:
		return streamTableRows(ctx, a, o, q, path, r)
	}
	return showTableRows(ctx, a, o, path, r)
}

// streamTableRows prints all rows as JSON.
func streamTableRows(ctx context.Context, a *app.App, o *TableOptions, q query.Options, path string, req table.RowsRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	req.Source = src
	rows := int64(0)
	err = stream(a, func(s *streamed) (any, error) {
		req.Named, req.Take = s.named, s.take
		r, err := ts.Rows(ctx, req)
		if err != nil {
			return nil, err
		}
		exit.Word(r.Caveats)
		rows = r.RowCount
		return r, nil
	})
	if err == nil && q.Timing {
		a.Say(query.RowsIn(q, output.Summary{Rows: rows}))
	}
	return err
}

// runTablePick writes rows in a format for programs, which is never shortened.
func runTablePick(ctx context.Context, a *app.App, o *TableOptions, q query.Options, path string, req table.RowsRequest,
	format output.Format) error {
	if q.Out != "" {
		if err := output.CheckTarget(a.Absolute(q.Out), q.Force); err != nil {
			return err
		}
	}
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	req.Source = src
	rows, err := ts.Pick(ctx, req, query.Carried(format))
	if err != nil {
		return err
	}
	return writeSelection(ctx, a, q, rows, format)
}

// showTableRows shows some rows.
func showTableRows(ctx context.Context, a *app.App, o *TableOptions, path string, req table.RowsRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	req.Source = src
	w, err := tableWindow(a)
	if err != nil {
		return err
	}
	if w != nil {
		req.Take = takeWorded(w)
	}
	r, err := ts.Rows(ctx, req)
	if err != nil {
		return err
	}
	if w != nil {
		return showFittedRows(a, w, r)
	}
	if err := showTable(a, r, output.List{Columns: r.Columns, Rows: cells(r.Rows)}, nil, r.Caveats); err != nil {
		return err
	}
	if r.HasMore {
		a.Note("the file has " + humanize.Plural(r.TotalRows, "row", "rows"))
	}
	return nil
}

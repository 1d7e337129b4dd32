package tables

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/table"
)

type tableQueryOptions struct {
	query.Options            // where the statement comes from, and where its result goes
	windowRows, windowOffset int64
	tables                   []string
	timeout                  time.Duration
	timeoutGiven             bool
	memory                   string
}

func newTableQueryCmd(a *app.App, o *TableOptions) *cobra.Command {
	var q tableQueryOptions
	cmd := &cobra.Command{
		Use:   "query <file> [SQL | -]",
		Short: "Query a file, or several, with one SELECT",
		Long: `Query runs one SELECT, in DuckDB's SQL, over a file: the table is called data.
With --table NAME=PATH further files take part; PATH#SHEET names a sheet.

A table on the terminal shows a window of the result: 100 rows unless
--window-rows or --limit sets another number. It says whether there are more.
Formats for programs and --out FILE have all rows unless one of these flags is
given. With --plot the result is drawn, as 'da query --plot' does.`,
		Example: `  da table query sales.csv "SELECT region, sum(amount) AS total FROM data GROUP BY region ORDER BY total DESC"
  da table query sales.csv "SELECT * FROM data WHERE amount > 100 ORDER BY id" --out large.parquet
  da table query sales.csv "SELECT region, sum(amount) AS total FROM data GROUP BY ALL ORDER BY 1" --plot bar
  da table query sales.csv "SELECT * FROM data JOIN b USING (id) ORDER BY id" --table b=people.xlsx`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage.Error("'da table query' takes a <file> and one statement")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" && (q.File == "-" || len(args) == 1 && q.File == "" || len(args) == 2 && args[1] == "-") {
				return usage.Error("standard input is the file: give the statement as an argument or with --file")
			}
			if len(args) == 2 && beginsStatement(args[0]) && !beginsStatement(args[1]) {
				return &api.Error{Code: api.CodeUsage, Message: "the file comes first, and then the statement",
					Hint: "Write it as da table query " + shellwords.Join([]string{args[1], args[0]}) + "."}
			}
			if len(args) == 1 && q.File == "" && !a.IO.InPiped {
				return &api.Error{Code: api.CodeUsage, Message: "no statement",
					Hint: "Write it as in: da table query " + shellwords.Quote(args[0]) + " \"SELECT count(*) FROM data\"."}
			}
			sql, err := q.Statement(a, args[1:])
			if err != nil {
				return err
			}
			q.Started = time.Now()
			flags := cmd.Flags()
			if flags.Changed("limit") {
				q.windowRows = cmp.Or(q.Limit, math.MaxInt64)
			} else {
				q.Limit = q.windowRows
			}
			q.LimitGiven = flags.Changed("limit") || flags.Changed("window-rows")
			q.timeoutGiven = flags.Changed("timeout")
			values, err := q.Params.Filler(a)
			if err != nil {
				return err
			}
			filled, err := values.Fill(sql, "duckdb")
			if err == nil {
				err = values.Done()
			}
			if err != nil {
				return exit.About(sql, err)
			}
			return exit.About(sql, filled.Explain(runTableQuery(cmd.Context(), a, o, q, args[0], filled.Text)))
		},
	}
	timeoutFlag(cmd, &q.timeout, table.DefaultTimeout, takeMostShown+", and a new file up to 5m more")
	f := cmd.Flags()
	f.StringVar(&q.File, "file", "", "read the statement from this `file`; - is standard input")
	f.Int64Var(&q.Limit, "limit", 0, "at most this many `rows`; 0 means all")
	f.StringVar(&q.Out, "out", "", "write the result to this `file`; - is standard output")
	f.BoolVar(&q.Force, "force", false, "replace the file of --out")
	f.BoolVar(&q.Timing, "timing", false, "say on stderr how many rows there are and how long it took")
	f.Int64Var(&q.windowRows, "window-rows", table.DefaultWindowRows, "`rows` of the result to return")
	f.Int64Var(&q.windowOffset, "window-offset", 0, "`rows` of the result to pass over")
	f.StringArrayVar(&q.tables, "table", nil, "`name=path` of a further file, or number of the table")
	f.StringVar(&q.memory, "memory-limit", table.DefaultMemory, "most `memory` to use")
	q.Params.Register(cmd)
	usage.Exclusive(cmd, "limit", "window-rows")
	q.Plot.Register(cmd)
	return cmd
}

func runTableQuery(ctx context.Context, a *app.App, o *TableOptions, q tableQueryOptions, path, sql string) error {
	if err := q.Plot.Check(a, q.Out); err != nil {
		return err
	}
	more, err := o.namedSources(q.tables)
	if err != nil {
		return err
	}
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	format, err := query.Format(a, q.Options)
	if err != nil {
		return err
	}
	if windowed(format, q.Out) && !q.Plot.Wanted() {
		if whole, err := wholeJSON(a, format, q.LimitGiven && q.windowRows < math.MaxInt64); err != nil {
			return err
		} else if whole {
			return streamTableQuery(ctx, a, ts, src, more, q, sql)
		}
		return tableQueryWindow(ctx, a, ts, src, more, q, sql)
	}
	if q.Out != "" {
		if err := output.CheckTarget(a.Absolute(q.Out), q.Force); err != nil {
			return err
		}
	}
	req := table.QueryRequest{Source: src, Query: sql, Tables: more, WindowOffset: q.windowOffset, MemoryLimit: q.memory}
	if q.timeoutGiven {
		req.Timeout = q.timeout
	}
	rows, err := ts.Select(ctx, req, query.Carried(format))
	if err != nil {
		return err
	}
	return writeSelection(ctx, a, q.Options, rows, format)
}

// windowed reports whether only part of a result is shown: to people, and in
// JSON, which says whether there are more rows.
func windowed(format output.Format, file string) bool {
	return file == "" && (app.ForPeople(format) || format == output.JSON)
}

// wholeJSON reports whether the JSON has all rows: the user has set neither a
// limit nor a budget.
func wholeJSON(a *app.App, format output.Format, limited bool) (bool, error) {
	if limited || format != output.JSON {
		return false, nil
	}
	tokens, err := a.TokenBudget()
	return tokens == 0, err
}

// streamTableQuery prints all rows as JSON.
func streamTableQuery(ctx context.Context, a *app.App, ts *table.Tables, src table.Source, more map[string]table.Source,
	q tableQueryOptions, sql string) error {
	all := int64(math.MaxInt64)
	req := table.QueryRequest{Source: src, Query: sql, Tables: more, WindowRows: &all, WindowOffset: q.windowOffset, Timeout: -1,
		MemoryLimit: q.memory}
	if q.timeoutGiven {
		req.Timeout = q.timeout
	}
	progress := a.Progress("reading")
	defer progress.Stop()
	rows := int64(0)
	err := stream(a, func(s *streamed) (any, error) {
		req.Named, req.Take = s.named, s.take
		r, err := ts.Query(ctx, req)
		if err != nil {
			return nil, err
		}
		exit.Word(r.Caveats)
		rows, r.WindowRows = r.RowCount, r.RowCount
		return r, nil
	})
	progress.Stop()
	if err == nil && q.Timing {
		a.Say(query.RowsIn(q.Options, output.Summary{Rows: rows}))
	}
	return err
}

// writeSelection writes all selected rows.
func writeSelection(ctx context.Context, a *app.App, o query.Options, rows *table.Selection, format output.Format) error {
	defer rows.Close()
	if !o.LimitGiven {
		o.Limit = 0
	}
	progress := a.Progress("reading")
	defer progress.Stop()
	return query.ShowRows(ctx, a, o, &query.Queried{Rows: rows.Rows(), Progress: progress}, format)
}

// tableQueryWindow shows a window of the result.
func tableQueryWindow(ctx context.Context, a *app.App, ts *table.Tables, src table.Source, more map[string]table.Source,
	q tableQueryOptions, sql string) error {
	w, err := tableWindow(a)
	if err != nil {
		return err
	}
	req := table.QueryRequest{
		Source: src, Query: sql, Tables: more, WindowRows: &q.windowRows, WindowOffset: q.windowOffset, MemoryLimit: q.memory,
	}
	if q.timeoutGiven {
		req.Timeout = q.timeout
	}
	if w != nil {
		req.Take = takeWorded(w)
	}
	r, err := ts.Query(ctx, req)
	if err != nil {
		return err
	}
	if q.Timing {
		defer func() { a.Say(query.RowsIn(q.Options, output.Summary{Rows: r.RowCount})) }()
	}
	if w != nil {
		return showFittedResult(a, w, r)
	}
	if err := showTable(a, r, output.List{Columns: r.Columns, Rows: cells(r.Rows)}, nil, r.Caveats); err != nil {
		return err
	}
	if r.HasMore {
		total := "more"
		if r.TotalRowCount != nil {
			total = humanize.Grouped(*r.TotalRowCount)
		}
		a.Note(fmt.Sprintf("rows %d to %d of %s; --window-offset %d shows the next", r.WindowOffset+1, r.WindowOffset+r.RowCount, total,
			r.WindowOffset+r.RowCount))
	}
	return nil
}

// beginsStatement reports whether a word is a statement rather than a path.
func beginsStatement(word string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(word), " ")
	return strings.Contains(word, " ") && (strings.EqualFold(first, "select") || strings.EqualFold(first, "with") ||
		strings.EqualFold(first, "from"))
}

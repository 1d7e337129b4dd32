package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/table"
)

type tableQueryOptions struct {
	windowRows, windowOffset int64
	tables                   []string
	timeout                  time.Duration
	memory                   string
}

func newTableQueryCmd(a *app, o *tableOptions) *cobra.Command {
	var q tableQueryOptions
	cmd := &cobra.Command{
		Use:   "query <file> <sql>",
		Short: "Query a file, or several, with one SELECT",
		Long: `Query runs one SELECT, in DuckDB's SQL, over a file: the table is called data.
With --table NAME=PATH further files take part; PATH#SHEET names a sheet.

The answer is a window of the result, 100 rows unless --window-rows says
otherwise; it tells whether there are more. To get all rows, export them.`,
		Example: `  da table query sales.csv "SELECT region, sum(amount) AS total FROM data GROUP BY region ORDER BY total DESC"
  da table query sales.csv "SELECT * FROM data JOIN b USING (id) ORDER BY id" --table b=people.xlsx`,
		Args: exactArgs("file", "sql"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTableQuery(cmd.Context(), a, o, q, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.Int64Var(&q.windowRows, "window-rows", table.DefaultWindowRows, "`rows` of the result to return")
	f.Int64Var(&q.windowOffset, "window-offset", 0, "`rows` of the result to pass over")
	f.StringArrayVar(&q.tables, "table", nil, "`name=path` of a further file; may be given again")
	f.DurationVar(&q.timeout, "timeout", table.DefaultTimeout, "most `time` to take")
	f.StringVar(&q.memory, "memory-limit", table.DefaultMemory, "most `memory` to use")
	return cmd
}

func runTableQuery(ctx context.Context, a *app, o *tableOptions, q tableQueryOptions, path, sql string) error {
	if q.timeout <= 0 {
		return usageError("--timeout must be more than nothing")
	}
	a.asked = sql
	more, err := namedSources(q.tables)
	if err != nil {
		return err
	}
	ts, src, err := a.openTable(o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	w, err := a.tableWindow()
	if err != nil {
		return err
	}
	req := table.QueryRequest{
		Source: src, Query: sql, Tables: more, WindowRows: &q.windowRows, WindowOffset: q.windowOffset, Timeout: q.timeout, MemoryLimit: q.memory,
	}
	if w != nil {
		req.Take = w.Take
	}
	r, err := ts.Query(ctx, req)
	if err != nil {
		return err
	}
	if w != nil {
		return a.showFittedResult(w, r)
	}
	if err := a.showTable(r, output.List{Columns: r.Columns, Rows: cells(r.Rows)}, nil, r.Warnings); err != nil {
		return err
	}
	if r.HasMore {
		total := "more"
		if r.TotalRowCount != nil {
			total = humanize.Grouped(*r.TotalRowCount)
		}
		a.note(fmt.Sprintf("rows %d to %d of %s; --window-offset %d shows the next", r.WindowOffset+1, r.WindowOffset+r.RowCount, total, r.WindowOffset+r.RowCount))
	}
	return nil
}

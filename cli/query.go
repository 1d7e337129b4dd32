package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
)

// shownRows is how many rows are shown where people read them; formats for
// machines have no such limit.
const shownRows = 1000

// maxStatementBytes bounds a statement that comes from a file.
const maxStatementBytes = 1 << 20

type queryOptions struct {
	file   string
	remote bool
	limit  int64
	out    string
	force  bool
	plot   plotOptions
	// limitGiven says that limit is the user's wish, and not what is shown of
	// every result.
	limitGiven bool
}

func newQueryCmd(a *app) *cobra.Command {
	var o queryOptions
	cmd := &cobra.Command{
		Use:   "query [SQL]",
		Short: "Query snapshots and synced tables with one SELECT",
		Long: fmt.Sprintf(`Query runs one SELECT over your snapshots and synced tables, in DuckDB's SQL,
on this machine. A snapshot hides a table of its name, and you are told.

It can read these and nothing else, and change nothing. With --remote the
statement runs at the source instead: for one aggregate over a table that is
too large to fetch.

A table on the terminal shows the first %d rows; --limit 0 shows all. Formats
for machines are never cut unless --limit says so, and stderr then says whether
there are more.

With --plot the result is drawn: the first column is x, all others are y, or
what --x and --y say. --out FILE.png or FILE.svg makes an image of it.`, shownRows),
		Example: `  da query "SELECT origin, count(*) AS n FROM late GROUP BY ALL ORDER BY n DESC"
  da query --file report.sql --out report.xlsx
  da query "SELECT origin, count(*) AS n FROM late GROUP BY ALL ORDER BY n DESC LIMIT 20" --plot bar
  da query "SELECT date, avg(delay) AS delay FROM late GROUP BY ALL" --plot line --out delay.svg
  echo "SELECT 42 AS answer" | da query --file - --json
  da query --remote "SELECT count(*) FROM flights"`,
		Args: optionalArg("SQL", "Put the statement in quotes: da query \"SELECT …\"."),
		RunE: func(cmd *cobra.Command, args []string) error {
			sql, err := o.statement(a, args)
			if err != nil {
				return err
			}
			o.limitGiven = cmd.Flags().Changed("limit")
			return runQuery(cmd.Context(), a, o, sql)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "file", "", "read the statement from this `file`; - is stdin")
	f.BoolVar(&o.remote, "remote", false, "run the statement at the source")
	f.Int64Var(&o.limit, "limit", 0, "at most this many `rows`; 0 means all")
	f.StringVar(&o.out, "out", "", "write the result to this `file`")
	f.BoolVar(&o.force, "force", false, "replace the file of --out")
	o.plot.register(cmd)
	return cmd
}

// statement returns the SQL, which comes from one place only.
func (o queryOptions) statement(a *app, args []string) (string, error) {
	switch {
	case o.limit < 0:
		return "", usageError("--limit cannot be negative")
	case o.file == "" && len(args) == 1:
		return args[0], nil
	case o.file == "" || len(args) == 1:
		return "", usageError("give the statement either as an argument or with --file")
	}
	in := a.IO.In
	if o.file != "-" {
		f, err := os.Open(o.file)
		if err != nil {
			return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read the statement: " + err.Error(), Err: err,
				Hint: "Check the path of --file; - reads standard input."}
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxStatementBytes+1))
	if err != nil {
		return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read the statement: " + err.Error(), Err: err,
			Hint: "--file takes a file with one statement; - reads standard input."}
	}
	if len(data) > maxStatementBytes {
		return "", usageError(fmt.Sprintf("the statement is longer than %d bytes", maxStatementBytes))
	}
	return string(data), nil
}

func runQuery(ctx context.Context, a *app, o queryOptions, sql string) error {
	a.asked = sql
	if err := o.plot.check(a, o.out); err != nil {
		return err
	}
	format, err := a.queryFormat(o)
	if err != nil {
		return err
	}
	if o.out != "" {
		// Before anything is paid for.
		if err := output.CheckTarget(a.absolute(o.out), o.force); err != nil {
			return err
		}
	}
	if !o.limitGiven && !o.plot.wanted() && o.out == "" && (format == output.Table || format == output.Markdown) {
		o.limit = shownRows
	}
	tokens, fits, err := a.answers(o, format)
	switch {
	case err != nil:
		return err
	case fits && o.remote:
		return runRemoteAnswer(ctx, a, o, sql, tokens)
	case fits:
		return runAnswer(ctx, a, o, sql, tokens)
	case o.remote:
		return runRemoteQuery(ctx, a, o, sql, format)
	}
	work, err := a.analyst()
	if err != nil {
		return err
	}
	result, err := work.Query(ctx, sql, format == output.Parquet || format == output.Arrow)
	if err != nil {
		return err
	}
	defer result.Close()
	a.warn(result.Warnings)
	return a.writeRows(ctx, o, result.Batches, format)
}

// queryFormat is the format of a result that is not drawn.
func (a *app) queryFormat(o queryOptions) (output.Format, error) {
	if o.plot.wanted() {
		return output.Table, nil
	}
	return a.resultFormat(o.out)
}

func runRemoteQuery(ctx context.Context, a *app, o queryOptions, sql string, format output.Format) error {
	remote, err := a.connect()
	if err != nil {
		return err
	}
	stream, err := remote.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return a.explainRemote(err)
	}
	defer stream.Close()
	// The rows have been read to their end only if no limit of ours was there.
	whole := &wholeStream{RecordReader: stream.Batches}
	if err := a.writeRows(ctx, o, whole, format); err != nil {
		return err
	}
	if !whole.ended {
		return nil
	}
	if end := stream.End(); end.Truncated {
		a.warn([]string{fmt.Sprintf("the server cut the result at %s (%s)", humanize.Plural(end.Rows, "row", "rows"), end.Cap)})
	}
	return nil
}

// explainRemote words what a source has against a statement by what is here.
func (a *app) explainRemote(err error) error {
	work, failed := a.analyst()
	if failed != nil {
		return err
	}
	return work.ExplainRemote(err)
}

// wholeStream notes whether a stream was read to its end.
type wholeStream struct {
	array.RecordReader
	ended bool
}

// Next implements array.RecordReader.
func (w *wholeStream) Next() bool {
	more := w.RecordReader.Next()
	w.ended = !more && w.RecordReader.Err() == nil
	return more
}

// writeRows writes a result to stdout or a file, and says on stderr what
// stdout cannot say.
func (a *app) writeRows(ctx context.Context, o queryOptions, rows array.RecordReader, format output.Format) error {
	if o.plot.wanted() {
		return a.plotRows(ctx, o, rows)
	}
	opts := a.outputOptions()
	opts.MaxRows = o.limit
	var summary output.Summary
	var err error
	if o.out != "" {
		summary, err = output.WriteFile(ctx, a.absolute(o.out), rows, format, o.force, opts)
	} else {
		err = a.page(func(w io.Writer) (err error) {
			summary, err = output.Write(ctx, w, rows, format, opts)
			return err
		})
	}
	if err != nil {
		return err
	}
	a.told(summary)
	switch {
	case summary.Truncated && o.limitGiven:
		a.say(fmt.Sprintf("first %s shown, as --limit says; there are more", humanize.Plural(summary.Rows, "row", "rows")))
	case summary.Truncated:
		a.warn([]string{fmt.Sprintf("first %s rows shown, there are more: --limit 0 shows all, -o parquet --out FILE keeps all", humanize.Grouped(summary.Rows))})
	}
	return nil
}

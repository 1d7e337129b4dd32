package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// shownRows is how many rows are shown to people. Formats for programs have no
// such limit.
const shownRows = 1000

// maxStatementBytes is the maximum size of a statement from a file.
const maxStatementBytes = 1 << 20

// Options say which statements are run, and how their rows are shown.
type Options struct {
	File   string
	remote bool
	Limit  int64
	Out    string
	Force  bool
	fetch  bool
	// allowCut accepts a result of --remote that a limit has cut.
	allowCut bool
	// Strict refuses a result with caveats of these kinds; caveats is the file that
	// the caveats of all results are written to, which recorded collects.
	Strict   []api.CaveatKind
	caveats  string
	recorded *[]api.Caveat
	fresh    bool
	Plot     PlotOptions
	Params   ParamFlags
	expect   *expectations
	// marked adds what is known of the question that a result answers; nil: nothing.
	marked func(api.Rows) api.Rows
	// keepGoing continues after a statement that failed.
	keepGoing bool
	// noReceipt leaves the receipt out of a workbook.
	noReceipt bool
	// Timing prints how long the statement took, even without a terminal. explain
	// shows the engine's plan instead of the rows.
	Timing, explain bool
	// LimitGiven says that the user set limit; otherwise it is the default.
	LimitGiven bool
	// Session runs the statements, if the caller has a longer-lived one.
	Session *query.Session
	Started time.Time
}

// NewQueryCmd returns 'da query'.
func NewQueryCmd(a *app.App) *cobra.Command {
	o := Options{expect: &expectations{}}
	cmd := &cobra.Command{
		Use:   "query [SQL | -]",
		Short: "Query snapshots and synced tables with SELECT",
		Long: fmt.Sprintf(`Query runs SELECT over your snapshots and synced tables, in DuckDB's SQL,
on this machine. If a snapshot and a synced table share a name, the snapshot is
used, and a warning says so. Without an argument, or with -, the statement is
read from standard input.

The statement can only read, and only these tables. With --remote it runs at the
source instead: for one aggregate over a table that is too large to fetch.

With --fetch it may name tables of the catalog, also of several sources: the
columns and rows that it needs are fetched first, unless they are here, and kept
for later. 'da plan' shows beforehand what that would read. More than
--max-scan-bytes, or query.fetch_max_bytes of the client config (1 GB), is not
fetched: exit code 3. 'query: { fetch: auto }' there makes --fetch the default.

Several statements are separated by semicolons. Their results come one below the
other, in JSON as a list with the number and line of each statement, in files by
--out 'r{n}.csv' or as sheets of one workbook. The first error ends them, unless
--keep-going is given. CREATE TEMP VIEW name AS SELECT … names a step for the
statements after it, CREATE TEMP TABLE also keeps its rows (not with --fetch);
both end with the call.

$name in a statement stands for a value: --param name=text, or name:=JSON for a
number, true, null or a list, as in IN ($codes). A value is never read as SQL.
In a shell write \$name, or put the statement in single quotes.

A table on the terminal shows the first %d rows; --limit 0 shows all. --limit
alone cuts formats for machines, and the budget of --max-tokens what agents are
answered; both say that there is more. --out FILE writes all rows to a file.

With --expect the whole result must be as said, also the rows that are not
shown: empty, rows=N, rows>=N, rows<=N, or a condition in SQL that must be true
for every row; NULL is not true. The rows are printed as usual, and the exit
code is 10 if anything else comes; the error has the first rows that break a
condition. A result that is cut never has rows=N. --remote counts rows only.

With --plot the result is drawn: the first column is x and all others are y,
unless --x and --y name them. --by draws a line for each value of a column.
--out FILE.png or FILE.svg makes an image.`, shownRows),
		Example: `  da query "SELECT origin, count(*) AS n FROM late GROUP BY ALL ORDER BY n DESC"
  da query --file report.sql --out report.xlsx
  da query "SELECT origin, count(*) AS n FROM late GROUP BY ALL ORDER BY n DESC LIMIT 20" --plot bar
  da query "SELECT date, avg(delay) AS delay FROM late GROUP BY ALL" --plot line --out delay.svg
  echo "SELECT 42 AS answer" | da query --json
  da query "CREATE TEMP VIEW big AS FROM late WHERE delay > 180; SELECT count(*) FROM big; SUMMARIZE big"
  da query "SELECT count(*) FROM late WHERE origin = \$from AND delay > \$min" --param from=SEA --param min:=60
  da query --fetch "SELECT origin, avg(delay) FROM flights WHERE date >= '2001-03-01' GROUP BY ALL"
  da query --remote "SELECT count(*) FROM flights"
  da query "SELECT id FROM people GROUP BY id HAVING count(*) > 1" --expect empty
  da query "FROM late" --expect "rows>=100" --expect "delay > 60"`,
		Args: usage.AtMostOne("SQL", "Put the statement in quotes: da query \"SELECT …\"."),
		RunE: func(cmd *cobra.Command, args []string) error {
			sql, err := o.Statement(a, args)
			if err != nil {
				return err
			}
			o.LimitGiven, o.Started, o.recorded = cmd.Flags().Changed("limit"), time.Now(), &[]api.Caveat{}
			return Run(cmd.Context(), a, o, sql)
		},
	}
	o.Register(cmd)
	o.expect.register(cmd)
	return cmd
}

// registerResult adds the flags that say what becomes of a result.
func (o *Options) registerResult(f *pflag.FlagSet) {
	f.BoolVar(&o.allowCut, "allow-cut", false, "with --remote: accept a result that a limit of the server has cut")
	usage.Strict(f, &o.Strict)
	f.StringVar(&o.caveats, "caveats", "", "also write the caveats of the result to this `file`, as JSON")
	f.Int64Var(&o.Limit, "limit", 0, "at most this many `rows`; 0 means all")
	f.StringVar(&o.Out, "out", "", "write the result to this `file`; - is standard output")
	f.BoolVar(&o.noReceipt, "no-receipt", false, "say nothing in a workbook of where its figures come from")
	f.BoolVar(&o.Force, "force", false, "replace the file of --out")
}

// Register adds the flags of a query.
func (o *Options) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.File, "file", "", "read the statement from this `file`; - is standard input")
	f.BoolVar(&o.remote, "remote", false, "run the statement at the source")
	f.BoolVar(&o.fetch, "fetch", false, "fetch first what the statement needs of tables that are not here")
	f.BoolVar(&o.fresh, "fresh", false, "with --fetch: read it at the source even if it is here")
	o.registerResult(f)
	f.BoolVar(&o.Timing, "timing", false, "say on stderr how many rows there are and how long it took")
	f.BoolVar(&o.explain, "explain", false, "show how the engine would run the statement, without running it")
	f.BoolVar(&o.keepGoing, "keep-going", false, "of several statements: run the rest if one fails, and end with the first error")
	o.Params.Register(cmd)
	o.Plot.Register(cmd)
}

// Statement returns the SQL, which must come from exactly one place. It accepts -
// as the output file for standard output, as other programs do.
func (o *Options) Statement(a *app.App, args []string) (string, error) {
	if o.Out == "-" {
		o.Out = ""
	}
	piped := len(args) == 0 && o.File == "" && a.IO.InPiped
	switch {
	case o.Limit < 0:
		return "", usage.Error("--limit cannot be negative")
	case len(args) == 1 && o.File != "":
		return "", &api.Error{Code: api.CodeUsage, Message: "two statements are given: an argument and --file " + api.Clip(o.File, 60),
			Hint: "Leave out one of them."}
	case len(args) == 1 && isSQLFile(a.Absolute(args[0])):
		return "", &api.Error{Code: api.CodeUsage, Message: api.Clip(args[0], 60) + " is a file, not a statement",
			Hint: "Read the statement from it with --file " + shellwords.Quote(args[0]) + "."}
	case len(args) == 1 && args[0] != "-":
		return args[0], nil
	case len(args) == 1 || piped:
		o.File = "-"
	case o.File == "":
		return "", noStatement()
	}
	in := a.IO.In
	if o.File != "-" {
		f, err := kernelfs.Open(o.File)
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
		return "", usage.Error(fmt.Sprintf("the statement is longer than %d bytes", maxStatementBytes))
	}
	switch empty := len(bytes.TrimSpace(data)) == 0; {
	case empty && piped:
		return "", noStatement()
	case empty:
		return "", usage.Error("the statement is empty: " + cmp.Or(strings.TrimPrefix(o.File, "-"), "standard input") + " has no text")
	}
	return string(data), nil
}

func noStatement() error {
	return &api.Error{Code: api.CodeUsage, Message: "no statement is given",
		Hint: "Give it as an argument, da query \"SELECT …\", or in a file, --file report.sql; - reads standard input."}
}

// Run runs the statements of da query.
func Run(ctx context.Context, a *app.App, o Options, text string) error {
	if err := o.Plot.Check(a, o.Out); err != nil {
		return exit.About(text, err)
	}
	format, err := Format(a, o)
	if err != nil {
		return err
	}
	if err := o.checkExplain(); err != nil {
		return exit.About(text, err)
	}
	if o.expect != nil {
		if err := o.expect.read(a, o); err != nil {
			return err
		}
	}
	b, err := newBatch(text, o.remote)
	if err != nil {
		return err
	}
	b.expect = o.expect
	if err := b.checkTargets(a, &o, format); err != nil { // before anything is paid for
		return err
	}
	if !o.LimitGiven && !o.Plot.Wanted() && o.Out == "" && (format == output.Table || format == output.Markdown) {
		o.Limit = shownRows
	}
	tokens, fits, err := answers(a, o, format)
	if err != nil {
		return err
	}
	ask, err := NewAsker(ctx, a, o, len(b.Pieces))
	if err != nil {
		return err
	}
	defer ask.Close()
	if o.marked != nil {
		ask = markedAsker{ask, o.marked}
	}
	values, err := o.Params.Filler(a)
	if err != nil {
		return err
	}
	if err := b.fill(ctx, ask, values); err != nil {
		return err
	}
	switch {
	case b.Answers() > 1:
		err = b.several(ctx, a, o, ask, format, tokens)
	case fits:
		err = b.single(ctx, a, ask, o, true, func(q *Queried) error { return showAnswer(ctx, a, o, q, tokens) })
	default:
		err = b.single(ctx, a, ask, o, Carried(format), func(q *Queried) error { return ShowRows(ctx, a, o, q, format) })
	}
	if err == nil {
		err = o.expect.end(a)
	}
	return err
}

// checkExplain rejects --explain for what has no plan.
func (o Options) checkExplain() error {
	switch {
	case o.explain && o.remote:
		return &api.Error{Code: api.CodeUsage, Message: "--explain shows the plan of the engine on this machine, and --remote runs at the source", Hint: "Run 'da fetch TABLE --estimate' to see what the source would read."}
	case o.explain && o.Plot.Wanted():
		return &api.Error{Code: api.CodeUsage, Message: "--explain shows a plan, and --plot draws rows", Hint: "Give one or the other."}
	}
	return nil
}

// Format returns the format of a result that is not plotted.
func Format(a *app.App, o Options) (output.Format, error) {
	if o.Plot.Wanted() {
		return output.Table, nil
	}
	return a.ResultFormat(o.Out)
}

// isSQLFile reports whether the word given as a statement is the path of one.
func isSQLFile(path string) bool {
	if !strings.HasSuffix(path, ".sql") {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

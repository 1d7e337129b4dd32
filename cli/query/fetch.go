package query

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

type fetchOptions struct {
	scan         scanFlags
	params       ParamFlags
	name         string
	estimateOnly bool
	noEstimate   bool
	force        bool
	strict       []api.CaveatKind
	allowCut     bool
	fresh        bool
	maxAge       string
}

// NewFetchCmd returns 'da fetch'.
func NewFetchCmd(a *app.App) *cobra.Command {
	var o fetchOptions
	cmd := &cobra.Command{
		Use:   "fetch <table>",
		Short: "Fetch a part of a table as a local snapshot",
		Long: `Fetch runs a filtered scan of one table at its source and installs the rows as a
local parquet snapshot that 'da query' reads.

Name the columns you need and a predicate: what is not read costs nothing. The
predicate is written in the table's own dialect ('da schema' shows it). An
existing snapshot stays as it is until all rows have arrived and are verified.

If a snapshot of yours has all these rows and columns, and its table and your
rights are unchanged, the new snapshot is made from it, and nothing is read at
the source. If it has a part of the rows, only the others are read, where that
is cheaper. --fresh asks the source regardless. Some sources cannot tell whether
a table has changed: --max-age 2h lets a younger snapshot answer for them.

A fetch whose connection is lost goes on where it stopped. One that was killed,
or had to give up, goes on if the same is fetched again within 15 minutes;
--fresh begins anew.

Tables of Delta, Iceberg and BigQuery can be read as they were: --as-of, or the
same behind an @ of the table, as "orders@2026-01-31T18:00:00Z" in a statement.

If more rows match than the server returns for one request, and that is known
beforehand, nothing is fetched, unless --limit or --allow-cut asks for a part.`,
		Example: `  da fetch flights --select date,delay --where "origin = 'SEA'" --estimate
  da fetch flights --select date,delay --where "origin = 'SEA'" --as sea
  da fetch flights --where "delay > 60" --order-by "delay DESC" --limit 1000 --as worst`,
		Args: unexpanded(a, usage.Exactly("table")),

		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := o.scan.request(cmd, args[0])
			if err != nil {
				return err
			}
			return exit.About(o.scan.where, o.fetch(cmd.Context(), a, req))
		},
	}
	o.scan.add(cmd)
	o.params.Register(cmd)
	complete.Offer(cmd, "select", complete.Columns(a))
	complete.Offer(cmd, "order-by", complete.Columns(a))
	f := cmd.Flags()
	f.StringVar(&o.name, "as", "", "`name` of the snapshot (default the table's id)")
	f.BoolVar(&o.estimateOnly, "estimate", false, "only estimate what it would cost")
	f.BoolVar(&o.noEstimate, "no-estimate", false, "do not ask for the cost first")
	f.BoolVar(&o.force, "force", false, "replace an existing snapshot of that name")
	usage.Strict(f, &o.strict)
	f.BoolVar(&o.allowCut, "allow-cut", false, "run also what is known to be cut by a cap of the server")
	f.BoolVar(&o.fresh, "fresh", false, "ask the source even if a snapshot has the rows")
	f.StringVar(&o.maxAge, "max-age", "", "accept a snapshot up to this `age`, as in 2h, where the source cannot tell changes")
	usage.Exclusive(cmd, "estimate", "no-estimate")
	return cmd
}

// fetch fills in the predicate's parameters, and runs the request.
func (o fetchOptions) fetch(ctx context.Context, a *app.App, req api.ScanRequest) error {
	values, err := o.params.Filler(a)
	if err != nil {
		return err
	}
	filled, err := FillWhere(ctx, a, values, req.TableID, req.Where)
	if err != nil {
		return err
	}
	req.Where = filled.Text
	return filled.Explain(runFetch(ctx, a, o, req))
}

func runFetch(ctx context.Context, a *app.App, o fetchOptions, req api.ScanRequest) error {
	format := a.OutputFormat()
	ask := fetch.Request{Scan: req, Name: o.name, Force: o.force, Strict: o.strict, AllowCut: o.allowCut, Fresh: o.fresh}
	if o.maxAge != "" {
		var err error
		if ask.MaxAge, err = usage.ParseAge("max-age", o.maxAge); err != nil {
			return err
		}
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	if o.estimateOnly {
		return runEstimate(ctx, a, work, ask, format)
	}
	cfg, err := a.ClientConfig()
	if err != nil {
		return err
	}
	progress := a.Progress("fetching " + req.TableID)
	defer progress.Stop()
	ask.Estimate = cfg.FetchDefaultEstimate && !o.noEstimate
	ask.OnEstimate = func(e *api.Estimate) {
		progress.Expect(expectedRows(e))
		if format == output.Table && !a.Quiet {
			fmt.Fprintln(progress, "estimate: "+app.EstimateLine(e))
		}
	}
	ask.OnProgress, ask.OnQueue = progress.Set, progress.Queued
	ask.OnCut = func(at int64) {
		fmt.Fprintln(progress, "the connection was lost after "+humanize.Bytes(at)+"; going on from there")
	}
	ask.OnResume = func(at int64) {
		fmt.Fprintln(progress, "going on after the "+humanize.Bytes(at)+" that an earlier fetch has received")
	}
	result, err := fetch.Run(ctx, work, ask)
	progress.Stop()
	if err != nil {
		return err
	}
	if from := result.Snapshot.From; from != nil && format != output.JSON {
		text := "answered " + from.String()
		if from.Rest == "" {
			text += "; 0 bytes read at the source"
		}
		a.Note(text)
	}
	near := values.Near{Work: work, Scan: true}
	result.Caveats = append(result.Caveats, near.Missed(ctx, values.OfScan(ask.Scan), result.Snapshot.Rows > 0)...)
	a.Tell(result.Caveats...)
	a.WarnOverQuota(work)
	if format == output.JSON {
		// The snapshot exists already: if the remainder is unknown, print null.
		var remaining *api.Remaining
		if left, err := fetch.Left(ctx, work); err == nil {
			remaining = &left
		}
		return a.PrintJSON(fetched{result, remaining})
	}
	m := result.Snapshot
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "%s: %s, %s (fetched from %s)\n", m.Name, humanize.Plural(m.Rows, "row", "rows"),
			humanize.Bytes(m.BytesLocal), m.TableID)
		return err
	}
	return a.ShowItems(format, result, output.List{
		Columns: []string{"name", "table", "rows", "size", "truncated"},
		Rows:    [][]any{{m.Name, m.TableID, output.Figure(humanize.Grouped(m.Rows)), output.Figure(humanize.Bytes(m.BytesLocal)), m.Truncated}},
	}, m)
}

// expectedRows returns the number of rows of a scan, or 0 if unknown.
func expectedRows(e *api.Estimate) int64 {
	if e.ResultRows == nil {
		return 0
	}
	return *e.ResultRows
}

func runEstimate(ctx context.Context, a *app.App, work *analyst.Analyst, ask fetch.Request, format output.Format) error {
	est, err := fetch.Estimate(ctx, work, ask)
	if err != nil {
		return err
	}
	if app.ForPeople(format) {
		list := app.EstimateList(est.Estimate)
		if est.Reuse != nil {
			list.Rows = append(list.Rows, []any{"answered", est.Reuse.String()})
			if est.Rest == nil {
				list.Rows[0][1] = fmt.Sprintf("0 B, and %s without the snapshot", list.Rows[0][1])
			} else {
				list.Rows = append(list.Rows, []any{"rest", app.EstimateLine(est.Rest)})
			}
		}
		return a.Show(format, est, list)
	}
	left, err := fetch.Left(ctx, work)
	if err != nil {
		return err
	}
	answer := estimated{est, left}
	return a.ShowItems(format, answer, output.List{}, answer)
}

// unexpanded explains surplus arguments that are names of local files: the shell
// has expanded a star.
func unexpanded(a *app.App, check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var e *api.Error
		if len(args) < 2 || !errors.As(err, &e) {
			return err
		}
		for _, arg := range args[1:] {
			if _, err := os.Lstat(a.Absolute(arg)); err != nil {
				return e
			}
		}
		e.Hint = fmt.Sprintf("Your shell expanded * to file names such as '%s'. Quote it, or leave out --select to get all columns.",
			api.Clip(args[1], 60))
		return e
	}
}

// fetched is what da fetch --json prints.
type fetched struct {
	*fetch.Result
	Remaining *api.Remaining `json:"remaining"` // null if unknown
}

// estimated is what da fetch --estimate --json prints.
type estimated struct {
	*fetch.Estimated
	Remaining api.Remaining `json:"remaining"`
}

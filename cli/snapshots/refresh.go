package snapshots

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

type refreshOptions struct {
	fetch.RefreshRequest
	all       bool
	olderThan string
	params    query.ParamFlags
}

func newSnapshotRefreshCmd(a *app.App) *cobra.Command {
	var where string
	var o refreshOptions
	cmd := &cobra.Command{
		Use:   "refresh [name]",
		Short: "Bring a snapshot up to date with its stored request",
		Long: `Refresh runs the snapshot's stored request again, evaluates CURRENT_DATE and the
like anew, and reports what changed. If the source says that the table has not
changed since, nothing is read. Of a table in several parquet files only those
that are new or have changed are read. --full reads all rows regardless. If the
rows are the same, the file is not replaced; if not, 'da snapshot restore'
brings back what the snapshot was, until the next refresh.

It fails, and changes nothing, if columns of the snapshot no longer exist or
have other types, if the checks that 'da check learn' has kept of it do not hold
(--accept-drift takes the rows as they are), or if the server is known to return
only a part now.

--all refreshes every snapshot of the server, or those that were fetched longer
ago than --older-than, and goes on behind one that fails. For one that another
process writes it waits 5 minutes, or as long as --wait says.`,
		Example: "  da snapshot refresh late\n  da snapshot refresh late --where \"delay > 120\"\n  da snapshot refresh --all --older-than 12h",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all {
				return usage.Exactly()(cmd, args)
			}
			if len(args) == 0 {
				e := usage.Error("'da snapshot refresh' takes a <name>, or --all")
				e.Hint = "'da snapshot list' names the snapshots; --all refreshes each of them."
				return e
			}
			return usage.Exactly("name")(cmd, args)
		},

		ValidArgsFunction: complete.Snapshot(a, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.all {
				return runRefreshAll(cmd.Context(), a, o)
			}
			if o.olderThan != "" {
				return usage.Error("--older-than chooses among all snapshots: give it with --all")
			}
			if cmd.Flags().Changed("where") {
				if strings.TrimSpace(where) == "" {
					return usage.Error("--where is empty; to fetch all rows, use 'da fetch --force' without it")
				}
				o.Where = &where
			}
			o.Name = args[0]
			var err error
			if o.Params, err = o.params.Filler(a); err != nil {
				return err
			}
			return exit.About(where, runRefresh(cmd.Context(), a, o))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "every snapshot of the server")
	f.StringVar(&o.olderThan, "older-than", "", "with --all: only those fetched longer ago than this `age`, as in 12h, 7d")
	f.StringVar(&where, "where", "", "use, and from now on store, this `predicate`")
	f.BoolVar(&o.Full, "full", false, "read all rows, also those that have not changed")
	usage.Strict(f, &o.Strict)
	f.BoolVar(&o.AllowCut, "allow-cut", false, "run also what is known to be cut by a cap of the server")
	f.BoolVar(&o.AcceptDrift, "accept-drift", false, "accept that columns are gone or have other types, or that checks of the snapshot do not hold")
	o.params.Register(cmd)
	usage.Exclusive(cmd, "all", "where")
	usage.Exclusive(cmd, "all", "param")
	usage.Exclusive(cmd, "all", "params")
	return cmd
}

// refresh refreshes one snapshot.
func refresh(ctx context.Context, a *app.App, work *analyst.Analyst, o refreshOptions) (*fetch.RefreshResult, error) {
	progress := a.Progress("refreshing " + o.Name)
	defer progress.Stop()
	req := o.RefreshRequest
	req.AnyServer = !o.all && (a.ServerURL != "" || a.InstancePath != "")
	req.OnProgress = progress.Set
	return fetch.Refresh(ctx, work, req)
}

func runRefresh(ctx context.Context, a *app.App, o refreshOptions) error {
	format := a.OutputFormat()
	if err := api.CheckName("snapshot name", o.Name); err != nil {
		return err
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	result, err := refresh(ctx, a, work, o)
	if err != nil {
		return err
	}
	a.Tell(result.Caveats...)
	a.WarnOverQuota(work)
	if format == output.Table {
		_, err = fmt.Fprint(a.IO.Out, refreshDiff(result))
		return err
	}
	return a.ShowItems(format, result, refreshList([]*fetch.RefreshResult{result}), result)
}

// refreshedAll is what da snapshot refresh --all --json prints.
type refreshedAll struct {
	Refreshed []*fetch.RefreshResult `json:"refreshed"` // never null
	Failed    []failedRefresh        `json:"failed"`    // never null
	Pinned    []string               `json:"pinned"`    // skipped, as copies are; never null
	Elsewhere []string               `json:"elsewhere"` // from other servers, and skipped; never null
}

// failedRefresh is a snapshot that could not be refreshed.
type failedRefresh struct {
	Name  string     `json:"name"`
	Error *api.Error `json:"error"`
}

// waitInAll is how long refresh --all waits for a snapshot that is in use.
const waitInAll = 5 * time.Minute

func runRefreshAll(ctx context.Context, a *app.App, o refreshOptions) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	names, pinned, elsewhere, err := fetch.Refreshable(work)
	if err != nil {
		return err
	}
	if o.olderThan != "" {
		age, err := usage.ParseAge("older-than", o.olderThan)
		if err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			m, err := work.Store.Get(name)
			return err == nil && a.Now().Sub(m.FetchedAt) < age
		})
	}
	all := refreshedAll{Refreshed: []*fetch.RefreshResult{}, Failed: []failedRefresh{}, Pinned: append([]string{}, pinned...),
		Elsewhere: append([]string{}, elsewhere...)}
	for _, name := range names {
		o.Name = name
		var result *fetch.RefreshResult
		err := a.Awaiting(ctx, cmp.Or(a.Patience.Wait, waitInAll), func() (err error) {
			result, err = refresh(ctx, a, work, o)
			return err
		})
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			e := a.Explained(exit.Failure(err, false))
			all.Failed = append(all.Failed, failedRefresh{name, exit.WithNext(e)})
			shown := *e
			shown.Message = fmt.Sprintf("snapshot '%s': %s", name, e.Message)
			exit.Write(a.IO.Err, a.IO.ErrWidth, &shown, "", a.ErrorsAsJSON())
			continue
		}
		a.Tell(result.Caveats...)
		all.Refreshed = append(all.Refreshed, result)
	}
	a.WarnOverQuota(work)
	if err := a.ShowItems(format, all, refreshList(all.Refreshed), all.Refreshed); err != nil {
		return err
	}
	if format == output.Table && len(pinned) > 0 {
		a.Note("pinned, and left alone: " + strings.Join(pinned, ", "))
	}
	if format == output.Table && len(elsewhere) > 0 {
		a.Note("of other servers, and left alone: " + strings.Join(elsewhere, ", "))
	}
	return all.failure(len(names))
}

// failure is the error if some snapshots could not be refreshed.
func (r refreshedAll) failure(of int) error {
	if len(r.Failed) == 0 {
		return nil
	}
	first := *r.Failed[0].Error
	first.Hint, first.Next = "", nil
	first.Message = fmt.Sprintf("%d of %d snapshots were not refreshed; the first, '%s': %s", len(r.Failed), of, r.Failed[0].Name,
		first.Message)
	return &first
}

func refreshList(results []*fetch.RefreshResult) output.List {
	list := output.List{Columns: []string{"name", "rows before", "rows after", "identical", "unchanged"}}
	for _, r := range results {
		list.Rows = append(list.Rows, []any{r.Name, output.Figure(humanize.Grouped(r.Before.Rows)),
			output.Figure(humanize.Grouped(r.After.Rows)), r.Identical, r.Unchanged})
	}
	return list
}

// refreshDiff formats the comparison for people.
func refreshDiff(r *fetch.RefreshResult) string {
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
	rows := [][3]string{
		{"rows:", humanize.Grouped(r.Before.Rows), fmt.Sprintf("%s   (%s)", humanize.Grouped(r.After.Rows), signed(r.RowsDelta))},
		{"size:", humanize.Bytes(r.Before.BytesLocal), humanize.Bytes(r.After.BytesLocal)},
		{"data as of:", stamp(r.Before.EffectiveAsOf), stamp(r.After.EffectiveAsOf)},
	}
	width := 0
	for _, row := range rows {
		width = max(width, len([]rune(row[1])))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Refreshed %s:\n", r.Name)
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-11s %-*s  →  %s\n", row[0], width, row[1], row[2])
	}
	identical := "no"
	switch {
	case r.Unchanged:
		identical = "yes; unchanged at the source, nothing was read"
	case r.Identical:
		identical = "yes; the file was left as it was"
	case r.Delta != nil:
		identical = fmt.Sprintf("no; read %d of %s, removed the rows of %d", r.Delta.Read,
			humanize.Plural(int64(r.Delta.Read+r.Delta.Kept), "file", "files"), r.Delta.Gone)
	}
	fmt.Fprintf(&b, "  %-11s %s\n", "identical:", identical)
	if r.ReadAll != "" {
		fmt.Fprintf(&b, "  %-11s all rows: %s\n", "read:", r.ReadAll)
	}
	return b.String()
}

func signed(n int64) string {
	if n < 0 {
		return "-" + humanize.Grouped(-n)
	}
	return "+" + humanize.Grouped(n)
}

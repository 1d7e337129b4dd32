package snapshots

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cache"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewSyncCmd returns 'da sync'.
func NewSyncCmd(a *app.App) *cobra.Command {
	var acceptDrift bool
	cmd := &cobra.Command{
		Use:   "sync [TABLE]...",
		Short: "Bring the tables that live on this machine up to date",
		Long: `Sync pulls the tables whose mode is 'local' whole, so that 'da query' reads them
by their ids, offline too. Only what has changed is pulled; what was interrupted
goes on where it stopped. A table that cannot be pulled, or breaks the checks
that 'da check learn' keeps of it, stays as it was, and the exit code says so.

Tables that you may no longer read are removed, and named. Snapshots are never
touched. Without a server there is nothing to sync.`,
		Example: "  da sync\n  da sync airports carriers --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, id := range args {
				if err := api.CheckName("table id", id); err != nil {
					return err
				}
			}
			return runSync(cmd.Context(), a, args, acceptDrift)
		},
	}
	cmd.Flags().BoolVar(&acceptDrift, "accept-drift", false, "have the new rows also if they break checks, or their dates are read in another order")
	return cmd
}

func runSync(ctx context.Context, a *app.App, tables []string, acceptDrift bool) error {
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	progress := a.Progress("syncing")
	var bytes atomic.Int64
	result, err := tablesync.Run(ctx, work, tablesync.Request{
		Tables: tables, AcceptDrift: acceptDrift, OnTotal: progress.ExpectBytes,
		OnProgress: func(n int64) { progress.Set(0, bytes.Add(n)) },
	})
	progress.Stop()
	if err != nil {
		return err
	}
	renewCatalog(ctx, a)
	a.Tell(result.Caveats...)
	for _, t := range result.Installed {
		a.TellOfFile(t.SyncTable)
	}
	switch {
	case format == output.JSON:
		err = a.PrintJSON(result)
	case app.ForPeople(format):
		err = showSync(a, format, result)
	default:
		err = a.ShowItems(format, result, output.List{}, syncChanges(result))
		saySync(a, result)
	}
	if err != nil {
		return err
	}
	return result.Err()
}

// renewCatalog updates the cached catalog after a sync. It ignores errors,
// because the sync itself has succeeded.
func renewCatalog(ctx context.Context, a *app.App) {
	if catalog, err := a.Catalog(); err == nil {
		if kept, ok := catalog.(*cache.Catalog); ok {
			if list, err := kept.Refresh(ctx); err == nil {
				list.Close()
			}
		}
	}
}

// showSync lists for people what was done, one line per changed table.
func showSync(a *app.App, format output.Format, r *tablesync.Result) error {
	list := output.List{Columns: []string{"table", "change", "rows", "size"}}
	for _, c := range syncChanges(r) {
		row := []any{c.TableID, c.Change, nil, nil}
		if c.Change == changePulled {
			row[2], row[3] = output.Figure(humanize.Grouped(*c.Rows)), output.Figure(humanize.Bytes(*c.Bytes))
		}
		if c.Change != changeNone {
			list.Rows = append(list.Rows, row)
		}
	}
	if len(list.Rows) > 0 || format != output.Table {
		if err := a.Show(format, r, list); err != nil {
			return err
		}
	}
	saySync(a, r)
	return nil
}

// saySync prints what the list of changes does not show.
func saySync(a *app.App, r *tablesync.Result) {
	if r.Embedded {
		a.Note("nothing to sync: the data is read where it lies, without a server; 'da fetch <table>' makes a snapshot for 'da query'")
		return
	}
	for _, f := range r.Failed {
		a.Warn([]string{fmt.Sprintf("table '%s' was not synced: %s", f.TableID, f.Error.Message)})
	}
	if len(r.Removed) > 0 {
		a.Note("removed, since the server has them for you no more: " + strings.Join(r.Removed, ", "))
	}
	a.Note(fmt.Sprintf("%s up to date, %s transferred", humanize.Plural(int64(len(r.Installed)+len(r.Unchanged)), "table", "tables"),
		humanize.Bytes(r.Bytes)))
}

// syncChange says for programs what happened to one table.
type syncChange struct {
	TableID     string  `json:"table_id"`
	Change      string  `json:"change"`
	Rows        *int64  `json:"rows"` // null if it was not pulled
	Bytes       *int64  `json:"bytes"`
	Transferred *int64  `json:"bytes_transferred"`
	Error       *string `json:"error"`
}

// What can happen to a table.
const (
	changePulled = "pulled"
	changeNone   = "unchanged"
)

func syncChanges(r *tablesync.Result) []syncChange {
	var all []syncChange
	for _, t := range r.Installed {
		all = append(all, syncChange{TableID: t.TableID, Change: changePulled, Rows: &t.Rows, Bytes: &t.Bytes, Transferred: &t.Transferred})
	}
	for _, id := range r.Unchanged {
		all = append(all, syncChange{TableID: id, Change: changeNone})
	}
	for _, id := range r.Removed {
		all = append(all, syncChange{TableID: id, Change: "removed"})
	}
	for _, f := range r.Failed {
		all = append(all, syncChange{TableID: f.TableID, Change: "failed", Error: &f.Error.Message})
	}
	return all
}

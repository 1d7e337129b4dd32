package tablesync

import (
	"context"
	"errors"
	"fmt"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
)

// incoming is a file that is to become a table of this machine.
type incoming struct {
	a      *analyst.Analyst
	store  *synced.Store
	server string
	engine func() (*analyst.Engine, error)
	table  api.SyncTable
	accept bool // drift is told instead of refused
}

// check returns an error if the file is not what the server announced, or must not replace
// the table that is here. Otherwise it returns what to tell of it.
func (f incoming) check(ctx context.Context, path string) ([]api.Caveat, error) {
	if err := f.holdsRows(ctx, path); err != nil {
		return nil, err
	}
	caveats, err := f.keepsOrders()
	if err != nil {
		return nil, err
	}
	expected, err := checks.Kept(f.store.ChecksPath(f.table.TableID))
	if err != nil || expected == nil {
		return caveats, err
	}
	outcomes, err := query.CheckRows(ctx, f.a, f.table.TableID, path, *expected)
	if err != nil {
		return caveats, err
	}
	told, err := query.Refuse(outcomes, api.Subject{Table: f.table.TableID}, f.accept)
	return append(caveats, told...), err
}

// holdsRows checks that a file is parquet and has as many rows as the server
// announced.
func (f incoming) holdsRows(ctx context.Context, path string) error {
	eng, err := f.engine()
	if err != nil {
		return err
	}
	defer eng.Close()
	rows, err := eng.ParquetRows(ctx, path)
	var unreadable *duckdb.Error
	switch {
	case errors.As(err, &unreadable):
		return notAnnounced(f.table, "no parquet file that can be read", err)
	case err == nil && rows != f.table.Rows:
		return notAnnounced(f.table, "one of "+humanize.Plural(rows, "row", "rows"), nil)
	}
	return err
}

// keepsOrders compares how dates are read with the table of this machine.
func (f incoming) keepsOrders() (caveats []api.Caveat, err error) {
	have, ok := f.store.Get(f.table.TableID)
	if !ok || have.Server != f.server {
		return nil, nil
	}
	changed := keep.Reorders(have.Dated, f.table.Dated)
	if err := keep.OrderLost(changed, f.table.TableID, "The table is unchanged."); err != nil && !f.accept {
		return nil, err
	}
	for _, c := range changed {
		told := c.Caveat()
		told.About.Table = f.table.TableID
		caveats = append(caveats, told)
	}
	return caveats, nil
}

func notAnnounced(t api.SyncTable, is string, err error) error {
	return &api.Error{Code: api.CodeStreamCut, Kind: api.KindNotAnnounced, Err: err,
		Message: fmt.Sprintf("the file of table '%s' is %s, and the server announced %s", t.TableID, is, humanize.Plural(t.Rows, "row", "rows")),
		Hint:    "Your copy is unchanged. If it happens again, report it to the server's operator.",
		Details: map[string]any{"table_id": t.TableID, "announced_rows": t.Rows}}
}

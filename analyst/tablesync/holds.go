package tablesync

import (
	"context"
	"errors"
	"fmt"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
)

// holdsRows checks that a file is parquet and has as many rows as the server
// announced.
func (p *pullAll) holdsRows(ctx context.Context, path string, t api.SyncTable) error {
	eng, err := p.engine()
	if err != nil {
		return err
	}
	defer eng.Close()
	rows, err := eng.ParquetRows(ctx, path)
	var unreadable *duckdb.Error
	switch {
	case errors.As(err, &unreadable):
		return notAnnounced(t, "no parquet file that can be read", err)
	case err == nil && rows != t.Rows:
		return notAnnounced(t, "one of "+humanize.Plural(rows, "row", "rows"), nil)
	}
	return err
}

// keepsOrders compares how dates are read with the table of this machine.
func (p *pullAll) keepsOrders(t api.SyncTable) error {
	have, ok := p.store.Get(t.TableID)
	if !ok || have.Server != p.remote.Name {
		return nil
	}
	changed := keep.Reorders(have.Dated, t.Dated)
	if err := keep.OrderLost(changed, t.TableID, "The table is unchanged."); err != nil && !p.req.AcceptDrift {
		return err
	}
	for _, c := range changed {
		told := c.Caveat()
		told.About.Table = t.TableID
		p.tell(told)
	}
	return nil
}

func (p *pullAll) tell(caveats ...api.Caveat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Caveats = api.Arranged(append(p.result.Caveats, caveats...))
}

// passes checks the rows of a file that is to replace a table of this machine.
func (p *pullAll) passes(ctx context.Context, path, id string) error {
	expected, err := checks.Kept(p.store.ChecksPath(id))
	if err != nil || expected == nil {
		return err
	}
	outcomes, err := query.CheckRows(ctx, p.a, id, path, *expected)
	if err != nil {
		return err
	}
	caveats, err := query.Refuse(outcomes, api.Subject{Table: id}, p.req.AcceptDrift)
	p.tell(caveats...)
	return err
}

func notAnnounced(t api.SyncTable, is string, err error) error {
	return &api.Error{Code: api.CodeStreamCut, Kind: api.KindNotAnnounced, Err: err,
		Message: fmt.Sprintf("the file of table '%s' is %s, and the server announced %s", t.TableID, is, humanize.Plural(t.Rows, "row", "rows")),
		Hint:    "Your copy is unchanged. If it happens again, report it to the server's operator.",
		Details: map[string]any{"table_id": t.TableID, "announced_rows": t.Rows}}
}

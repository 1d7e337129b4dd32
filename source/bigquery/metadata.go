package bigquery

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// maxKnown bounds how many tables are remembered.
const maxKnown = 10_000

// tables remembers what BigQuery said of each table, so that neither a catalog
// nor a schema waits for it: what has grown old is read again while the old
// answer still serves.
type tables struct {
	mu      sync.Mutex
	known   map[string]*remembered
	closed  bool
	reading sync.WaitGroup
}

// remembered is one table. Who holds its reading reads it.
type remembered struct {
	reading sync.Mutex
	table   *table   // nil: not read yet; guarded by tables.mu
	again   bool     // it is being read again; guarded by tables.mu
	listed  *listing // its partitions; nil: not read yet; guarded by tables.mu
}

// table describes a relation, from memory if it can.
func (b *BigQuery) table(ctx context.Context, relation string) (*table, error) {
	return b.tableYounger(ctx, relation, b.o.Stale)
}

// tableYounger describes a relation by an answer that is younger than stale.
func (b *BigQuery) tableYounger(ctx context.Context, relation string, stale time.Duration) (*table, error) {
	name, err := b.o.name(relation)
	if err != nil {
		return nil, err
	}
	r := b.tables.remember(name.String())
	b.tables.mu.Lock()
	t, age := r.table, time.Duration(0)
	if t != nil {
		age = b.o.Now().Sub(t.readAt)
	}
	refresh := t != nil && age >= b.o.Fresh && age < stale && !r.again && !b.tables.closed
	if refresh {
		r.again = true
		b.tables.reading.Add(1)
	}
	b.tables.mu.Unlock()
	if refresh {
		go b.readAgain(context.WithoutCancel(ctx), name, r)
	}
	if t != nil && age < stale {
		return t, nil
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	b.tables.mu.Lock()
	now := r.table
	b.tables.mu.Unlock()
	if now != nil && now != t {
		return now, nil // somebody else has just read it
	}
	return b.read(ctx, name, r)
}

// remember finds the place of a table.
func (ts *tables) remember(key string) *remembered {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	r := ts.known[key]
	if r == nil {
		if len(ts.known) >= maxKnown {
			clear(ts.known) // rare, and only costs a call for each
		}
		r = &remembered{}
		ts.known[key] = r
	}
	return r
}

// readAgain refreshes an answer. If that fails, the old one serves until it is
// too old; then the failure is told.
func (b *BigQuery) readAgain(ctx context.Context, name tableName, r *remembered) {
	defer b.tables.reading.Done()
	r.reading.Lock()
	defer r.reading.Unlock()
	_, _ = b.read(ctx, name, r)
	b.tables.mu.Lock()
	r.again = false
	b.tables.mu.Unlock()
}

// read asks BigQuery. A table that is gone is forgotten.
func (b *BigQuery) read(ctx context.Context, name tableName, r *remembered) (*table, error) {
	jobs, _, err := b.clients.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := b.call(ctx)
	defer cancel()
	readAt := b.o.Now()
	m, err := jobs.DatasetInProject(name.project, name.dataset).Table(name.table).Metadata(ctx)
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	if err != nil {
		err = failure(ctx, err, "the table "+name.String())
		if api.CodeSource.Is(err) && isGone(err) {
			r.table = nil
		}
		return nil, err
	}
	r.table = tableOf(name, m, readAt)
	return r.table, nil
}

// forget makes the next request read a table anew: a statement has failed that
// fitted what was remembered.
func (b *BigQuery) forget(name tableName) {
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	if r := b.tables.known[name.String()]; r != nil {
		r.table = nil
	}
}

func (ts *tables) close() {
	ts.mu.Lock()
	ts.closed = true
	ts.mu.Unlock()
	ts.reading.Wait()
}

// Version is what was last heard of the table; it costs a call only where
// nothing was.
func (b *BigQuery) Version(ctx context.Context, rel source.Relation) (string, error) {
	t, err := b.table(ctx, rel.Name)
	if err != nil {
		return "", err
	}
	return t.version, nil
}

// VersionNow implements source.Asker.
func (b *BigQuery) VersionNow(ctx context.Context, rel source.Relation) (string, error) {
	t, err := b.tableYounger(ctx, rel.Name, 0)
	if err != nil {
		return "", err
	}
	return t.version, nil
}

// Schema describes the relation.
func (b *BigQuery) Schema(ctx context.Context, rel source.Relation) (*source.Schema, error) {
	t, err := b.table(ctx, rel.Name)
	if err != nil {
		return nil, err
	}
	s := t.schema(rel)
	s.Columns = slices.Clip(s.Columns)
	return s, nil
}

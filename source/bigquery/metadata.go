package bigquery

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// maxKnown limits how many tables are remembered.
const maxKnown = 10_000

// tables caches what BigQuery says about each table, so that catalog and schema
// requests need not wait. While an old answer is read again, it is still used.
type tables struct {
	mu      sync.Mutex
	known   map[string]*remembered
	closed  bool
	reading sync.WaitGroup
}

// remembered is one table. Whoever holds reading reads it.
type remembered struct {
	reading sync.Mutex
	table   *table   // nil: not read yet; guarded by tables.mu
	again   bool     // it is being read again; guarded by tables.mu
	listed  *listing // its partitions; nil: not read yet; guarded by tables.mu
}

// table describes a relation, from the cache if possible.
func (b *BigQuery) table(ctx context.Context, relation string) (*table, error) {
	return b.tableYounger(ctx, relation, b.o.Stale)
}

// tableYounger describes a relation with an answer that is younger than stale.
func (b *BigQuery) tableYounger(ctx context.Context, relation string, stale time.Duration) (*table, error) {
	name, err := b.o.name(relation)
	if err != nil {
		return nil, err
	}
	r := b.tables.remember(name.key())
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
		return now, nil // another request has just read it
	}
	return b.read(ctx, name, r)
}

// remember returns the entry of a table.
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

// readAgain refreshes an answer. If that fails, the old one is used until it is
// too old; then the error is returned.
func (b *BigQuery) readAgain(ctx context.Context, name tableName, r *remembered) {
	defer b.tables.reading.Done()
	r.reading.Lock()
	defer r.reading.Unlock()
	_, _ = b.read(ctx, name, r)
	b.tables.mu.Lock()
	r.again = false
	b.tables.mu.Unlock()
}

// read asks BigQuery. If the table is gone, it is removed from the cache.
func (b *BigQuery) read(ctx context.Context, name tableName, r *remembered) (*table, error) {
	jobs, _, err := b.clients.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := b.call(ctx)
	defer cancel()
	readAt := b.o.Now()
	m, err := jobs.DatasetInProject(name.project, name.dataset).Table(name.table).Metadata(ctx)
	var then *table
	if err == nil && name.at != "" {
		then, err = b.asItWas(ctx, name, m, readAt)
	}
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	if err != nil {
		err = failure(ctx, err, "the table "+name.String())
		if api.CodeSource.Is(err) && isGone(err) {
			r.table = nil
		}
		return nil, err
	}
	if r.table = then; then == nil {
		r.table = tableOf(name, m, readAt)
		r.table.foreignKeys = b.o.keysOf(m)
	}
	return r.table, nil
}

// forget makes the next request read a table again. It is called if a statement
// fails that was right for the remembered table.
func (b *BigQuery) forget(name tableName) {
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	if r := b.tables.known[name.key()]; r != nil {
		r.table = nil
	}
}

func (ts *tables) close() {
	ts.mu.Lock()
	ts.closed = true
	ts.mu.Unlock()
	ts.reading.Wait()
}

// Version returns the last known version of the table. It calls BigQuery only if
// none is known.
func (b *BigQuery) Version(ctx context.Context, rel source.Relation) (string, error) {
	t, err := b.table(ctx, rel.Name)
	if err != nil {
		return "", err
	}
	return t.version, nil
}

// VersionNow implements source.VersionChecker.
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

// Package cache stores the answers of an api.Catalog on the user's disk, so that
// the same question is free for a while and can also be answered offline.
//
// It wraps the interface and does not know where answers come from. Entries
// belong to one server and one user. A refusal is never answered from the cache,
// and removes what it refuses from the cache.
package cache

import (
	"context"
	"time"

	"github.com/agnes-data/da/api"
)

// How long an answer is used before asking again.
const (
	CatalogTTL = 5 * time.Minute
	SchemaTTL  = time.Hour
	SampleTTL  = time.Hour
)

// Options say where answers are stored, and for whom.
type Options struct {
	// Dir is the folder of all caches; created by the first write.
	Dir string
	// Server and User keep answers apart. Neither is stored in readable form,
	// because User may be a secret.
	Server, User string
	// Now is the clock.
	Now func() time.Time
	// OnStale, if set, is called once per answer if the server cannot be reached
	// and the answer is that old.
	OnStale func(age time.Duration)
}

// Catalog answers from the disk if it can. It is safe for concurrent use, and for
// several processes.
type Catalog struct {
	inner   api.Catalog
	answers answers
	opts    Options
}

var _ api.Catalog = (*Catalog)(nil)

// New wraps inner.
func New(inner api.Catalog, o Options) *Catalog {
	return &Catalog{inner: inner, answers: newAnswers(o.Dir, o.Server, o.User), opts: o}
}

// Clear removes all entries of this server and user.
func (c *Catalog) Clear() error { return c.answers.clear("") }

// Tables implements api.Catalog.
func (c *Catalog) Tables(ctx context.Context) (*api.TableList, error) {
	l, err := c.Listing(ctx)
	if err != nil {
		return nil, err
	}
	return l.Whole()
}

// Listing returns what Tables does without holding it. Its caller closes it.
func (c *Catalog) Listing(ctx context.Context) (*Listing, error) {
	now := c.opts.Now()
	kept, at, found := c.answers.openCatalog()
	if found && fresh(at, now, CatalogTTL) {
		return kept, nil
	}
	l, err := c.ask(ctx, now)
	switch {
	case err != nil && found && OutOfReach(err):
		c.stale(at, now)
		return kept, nil
	case found:
		kept.Close()
	}
	if err != nil {
		c.forget("", err)
		return nil, err
	}
	return l, c.answers.keepTables(l)
}

// Refresh asks for the tables regardless of the cache, and drops all older
// entries on success. If the server cannot be reached, the entries stay, and the
// error says so.
func (c *Catalog) Refresh(ctx context.Context) (*Listing, error) {
	l, err := c.ask(ctx, c.opts.Now())
	if err != nil {
		c.forget("", err)
		return nil, err
	}
	for _, kind := range []string{schemas, samples} {
		if err := c.answers.clear(kind); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Schema implements api.Catalog.
func (c *Catalog) Schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	if _, version := api.AsOf(tableID); version != "" {
		return c.inner.Schema(ctx, tableID) // few are asked for twice
	}
	if err := api.CheckName("table id", tableID); err != nil {
		return nil, err // the id becomes a file name
	}
	return answer(c, question[api.TableSchema]{
		key: schemaKey(tableID), ttl: SchemaTTL, table: tableID,
		ask: func() (*api.TableSchema, error) { return c.inner.Schema(ctx, tableID) },
	})
}

// Sample implements api.Catalog. A larger cached sample answers a smaller
// request.
func (c *Catalog) Sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
	if _, version := api.AsOf(tableID); version != "" {
		return c.inner.Sample(ctx, tableID, n)
	}
	if err := api.CheckName("table id", tableID); err != nil {
		return nil, err
	}
	sample, err := answer(c, question[api.Sample]{
		key: sampleKey(tableID), ttl: SampleTTL, table: tableID, size: n,
		ask: func() (*api.Sample, error) { return c.inner.Sample(ctx, tableID, n) },
	})
	if err == nil && len(sample.Rows) > n {
		cut := *sample
		cut.Rows = sample.Rows[:n]
		sample = &cut
	}
	return sample, err
}

// question is one request to the inner catalog.
type question[T any] struct {
	key   key
	ttl   time.Duration
	table string // the table that a refusal would be about; may be empty
	size  int    // size of the request; an entry for a smaller one cannot answer it
	ask   func() (*T, error)
}

// answer returns a fresh entry if there is one, otherwise it asks. If the server
// cannot be reached, it returns the entry however old it is.
func answer[T any](c *Catalog, q question[T]) (*T, error) {
	kept, found := load[T](c.answers, q.key)
	if found && kept.Size < q.size {
		found = false
	}
	now := c.opts.Now()
	if found && fresh(kept.At, now, q.ttl) {
		return &kept.Value, nil
	}
	value, err := q.ask()
	switch {
	case err == nil:
		// Do not fail if the cache cannot be written.
		_ = save(c.answers, q.key, entry[T]{At: now, Size: q.size, Value: *value})
		return value, nil
	case found && OutOfReach(err):
		c.stale(kept.At, now)
		return &kept.Value, nil
	}
	c.forget(q.table, err)
	return nil, err
}

// fresh reports whether an entry needs no asking. If the clock was set back, entries
// can be from the future: they are not fresh for ever.
func fresh(at, now time.Time, ttl time.Duration) bool { return !at.After(now) && now.Sub(at) < ttl }

func (c *Catalog) stale(at, now time.Time) {
	if c.opts.OnStale != nil {
		c.opts.OnStale(max(0, now.Sub(at)))
	}
}

// forget removes what, according to a refusal, the user can no longer know. If
// that fails, the next call asks the server anyway, because the entry is not
// fresh.
func (c *Catalog) forget(table string, err error) {
	switch {
	case api.CodeUnauthorized.Is(err), table == "" && api.CodeForbidden.Is(err):
		_ = c.answers.clear("")
	case api.CodeForbidden.Is(err), api.CodeUnknownTable.Is(err):
		c.answers.dropTable(table)
	}
}

// Package cache keeps what an api.Catalog answered on the user's disk, so that
// the same question costs nothing for a while and can be answered with no
// network at all.
//
// It wraps the interface and knows nothing of how the answers are got. What it
// keeps belongs to one server and one user; a refusal is never answered from
// it, and takes along what it refuses.
package cache

import (
	"context"
	"time"

	"github.com/agnes-data/da/api"
)

// How long an answer is given without asking anew.
const (
	CatalogTTL = 5 * time.Minute
	SchemaTTL  = time.Hour
	SampleTTL  = time.Hour
)

// Options say where answers are kept, and for whom.
type Options struct {
	// Dir is the folder of all caches; made when first written.
	Dir string
	// Server and User distinguish answers. Neither is written down: a secret may
	// stand for the user.
	Server, User string
	// Now is the clock.
	Now func() time.Time
	// OnStale is told, once for each answer, that the server cannot be reached
	// and that the answer is that old. May be nil.
	OnStale func(age time.Duration)
}

// Catalog answers from the disk what it can. It may be used concurrently, and
// by several processes at once.
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

// Clear forgets everything that is kept for this server and user.
func (c *Catalog) Clear() error { return c.answers.clear() }

// Tables implements api.Catalog.
func (c *Catalog) Tables(ctx context.Context) (*api.TableList, error) {
	return answer(c, question[api.TableList]{
		key: catalogKey, ttl: CatalogTTL,
		ask: func() (*api.TableList, error) { return c.inner.Tables(ctx) },
		learn: func(list *api.TableList) {
			ids := make(map[string]bool, len(list.Tables))
			for _, t := range list.Tables {
				ids[t.ID] = true
			}
			c.answers.keepTables(ids)
		},
	})
}

// Refresh asks for the tables whatever is kept, and with the answer forgets all
// that was. Where nothing answers, what is kept stays, and the error says so.
func (c *Catalog) Refresh(ctx context.Context) (*api.TableList, error) {
	list, err := c.inner.Tables(ctx)
	if err != nil {
		c.forget("", err)
		return nil, err
	}
	if err := c.answers.clear(); err != nil {
		return nil, err
	}
	_ = save(c.answers, catalogKey, entry[api.TableList]{At: c.opts.Now(), Value: *list})
	return list, nil
}

// Schema implements api.Catalog.
func (c *Catalog) Schema(ctx context.Context, tableID string) (*api.TableSchema, error) {
	if err := api.CheckName("table id", tableID); err != nil {
		return nil, err // an id becomes a file name
	}
	return answer(c, question[api.TableSchema]{
		key: schemaKey(tableID), ttl: SchemaTTL, table: tableID,
		ask: func() (*api.TableSchema, error) { return c.inner.Schema(ctx, tableID) },
	})
}

// Sample implements api.Catalog. A larger sample answers for a smaller one.
func (c *Catalog) Sample(ctx context.Context, tableID string, n int) (*api.Sample, error) {
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

// question is one thing to ask of the inner catalog.
type question[T any] struct {
	key   key
	ttl   time.Duration
	table string // which a refusal is about; empty: none
	size  int    // how much is asked for; what was kept for less does not answer
	ask   func() (*T, error)
	learn func(*T) // what else an answer tells; may be nil
}

// answer gives what is kept and fresh, else asks; and if nobody can be asked,
// what is kept, however old.
func answer[T any](c *Catalog, q question[T]) (*T, error) {
	kept, found := load[T](c.answers, q.key)
	if found && kept.Size < q.size {
		found = false
	}
	now := c.opts.Now()
	// A clock that was set back makes answers from the future: those are not
	// fresh for ever.
	if found && !kept.At.After(now) && now.Sub(kept.At) < q.ttl {
		return &kept.Value, nil
	}
	value, err := q.ask()
	switch {
	case err == nil:
		// A cache that cannot be written is no reason to fail.
		_ = save(c.answers, q.key, entry[T]{At: now, Size: q.size, Value: *value})
		if q.learn != nil {
			q.learn(value)
		}
		return value, nil
	case found && OutOfReach(err):
		if c.opts.OnStale != nil {
			c.opts.OnStale(max(0, now.Sub(kept.At)))
		}
		return &kept.Value, nil
	}
	c.forget(q.table, err)
	return nil, err
}

// forget drops what a refusal says the user may not, or cannot, know any more.
// If it cannot be dropped, the next call asks all the same: it is not fresh.
func (c *Catalog) forget(table string, err error) {
	switch {
	case api.CodeUnauthorized.Is(err), table == "" && api.CodeForbidden.Is(err):
		_ = c.answers.clear()
	case api.CodeForbidden.Is(err), api.CodeUnknownTable.Is(err):
		c.answers.dropTable(table)
	}
}

package core

import (
	"context"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/source"
)

// knowledge is the last schema that a source returned for a whole table. The
// catalog and the search show it with its age, because they ask no warehouse.
type knowledge struct {
	schema *source.Schema
	at     time.Time // UTC
}

// knowledgeKey identifies a table with its current declaration, so a changed
// declaration has no cached schema.
func knowledgeKey(t *table) string { return t.key }

func keyOf(t config.Table) string { return cachePrefix(t.ID) + t.Source + "\x00" + t.Relation }

// Limits of the cached schemas, and of learning them.
const (
	knownAtMost = 24 * time.Hour // while the source cannot be reached
	learnTime   = 30 * time.Second
	learnFaults = 3 // consecutive failures after which a source is skipped until the next round
)

// knownFor returns how long learnt schemas are kept. With caching off (ttl ≤ 0)
// nothing is kept.
func knownFor(ttl time.Duration) time.Duration {
	if ttl <= 0 {
		return 0
	}
	return max(ttl, knownAtMost)
}

// learnt caches the schema of a whole table.
func (c *Core) learnt(t *table, schema *source.Schema) {
	at := schema.AsOf
	if at.IsZero() {
		at = c.now()
	}
	c.known.put(knowledgeKey(t), knowledge{schema, at.UTC()}, schemaSize(schema))
	c.finder.learn(t, schema, c.now().Add(knownFor(c.limits.SchemaCacheTTL)))
}

// KeepKnown keeps the cached schemas current until ctx ends: it asks the sources
// at once, and again when the caches have expired or were emptied. It skips
// lakes, because file metadata is read on demand.
func (c *Core) KeepKnown(ctx context.Context) {
	if c.limits.SchemaCacheTTL <= 0 {
		return
	}
	tick := time.NewTicker(c.limits.SchemaCacheTTL)
	defer tick.Stop()
	for {
		c.learn(ctx)
		select {
		case <-tick.C:
		case <-c.unknown:
		case <-ctx.Done():
			return
		}
	}
}

// learn asks all sources concurrently, each for one table after the other.
func (c *Core) learn(ctx context.Context) {
	all, err := c.tables(ctx)
	if err != nil {
		if ctx.Err() == nil { // otherwise the server is stopping
			c.log.Error("the tables cannot be looked up", "cause", fault.Cause(err))
		}
		return
	}
	bySource := map[string][]*table{}
	for _, t := range all.sorted {
		if t.sourceType != api.SourceLake {
			bySource[t.Source] = append(bySource[t.Source], t)
		}
	}
	var sources sync.WaitGroup
	for _, list := range bySource {
		sources.Go(func() {
			faults := 0
			for _, t := range list {
				if faults == learnFaults || ctx.Err() != nil {
					return
				}
				if c.learnOf(ctx, t) {
					faults = 0
				} else {
					faults++
				}
			}
		})
	}
	sources.Wait()
}

func (c *Core) learnOf(ctx context.Context, t *table) bool {
	limited, cancel := context.WithTimeout(ctx, learnTime)
	defer cancel()
	schema, err := t.source.Schema(limited, t.unrestricted())
	switch {
	case err == nil:
		c.learnt(t, schema)
	case ctx.Err() == nil:
		c.troubled(err, "a table cannot be described", "table", t.ID, "source", t.Source)
	}
	return err == nil
}

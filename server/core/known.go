package core

import (
	"context"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/source"
)

// knowledge is what a source told last of a whole table. The catalog and the
// search show it, with its age, since they ask no warehouse.
type knowledge struct {
	schema *source.Schema
	at     time.Time // UTC
}

// knowledgeKey is a table as it is declared now: once it is declared otherwise,
// nothing is known of it.
func knowledgeKey(t *table) string { return cachePrefix(t.ID) + t.Source + "\x00" + t.Relation }

// Bounds of what is known, and of how it is learnt.
const (
	knownAtMost = 24 * time.Hour // while its source cannot be asked
	learnTime   = 30 * time.Second
	learnFaults = 3 // in a row, after which a source is left alone until the next round
)

// knownFor returns how long learnt schemas are kept. With caching off (ttl ≤ 0)
// nothing is kept.
func knownFor(ttl time.Duration) time.Duration {
	if ttl <= 0 {
		return 0
	}
	return max(ttl, knownAtMost)
}

// learnt keeps the schema of a whole table.
func (c *Core) learnt(t *table, schema *source.Schema) {
	at := schema.AsOf
	if at.IsZero() {
		at = c.now()
	}
	c.known.put(knowledgeKey(t), knowledge{schema, at.UTC()}, schemaSize(schema))
}

// KeepKnown asks the sources about their tables, at once and whenever the caches
// have grown old or were emptied, until ctx ends. Lakes are left out: what there
// is to know of files is read when it is shown.
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

// learn asks each source about one table after the other.
func (c *Core) learn(ctx context.Context) {
	tables, err := c.tables(ctx)
	if err != nil {
		if ctx.Err() == nil { // else the server is stopping
			c.log.Error("the tables cannot be looked up", "cause", fault.Cause(err))
		}
		return
	}
	bySource := map[string][]*table{}
	for _, t := range tables {
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

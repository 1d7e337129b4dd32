package core

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/profile/likely"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/state"
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
// at once, and again when the caches have expired or were emptied.
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
	sources.Go(func() { c.learnFiles(ctx, all) })
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

// learntAtOnce is how many tables of files are read before requests come first again.
const learntAtOnce = 50

// LearnFiles reads the columns of all tables that are files of this machine, so that a
// search knows them. Files in a bucket are read on demand, because reading them can cost.
func (c *Core) LearnFiles(ctx context.Context) {
	if all, err := c.tables(ctx); err == nil && c.limits.SchemaCacheTTL > 0 {
		c.learnFiles(ctx, all)
	}
}

// ofFiles reports whether a table is files of this machine.
func (t *table) ofFiles() bool {
	here, ok := t.source.(source.InProcessSource)
	return ok && here.ComputesHere() && t.sourceType == api.SourceLake
}

// learnFiles reads a few tables at a time, while no request uses a source. It stops after
// several parts in which no table could be read.
func (c *Core) learnFiles(ctx context.Context, all *registered) {
	unknown := only(all.sorted, func(t *table) bool {
		return t.ofFiles() && !c.finder.knows(t, c.now())
	})
	faults := 0
	for part := range slices.Chunk(unknown, learntAtOnce) {
		c.quiet.wait(ctx)
		if faults == learnFaults || ctx.Err() != nil {
			return
		}
		end := c.quiet.begin()
		c.prepare(ctx, part)
		c.readColumns(ctx, part, learnTime)
		end()
		faults++
		if slices.ContainsFunc(part, func(t *table) bool { return c.finder.knows(t, c.now()) }) {
			faults = 0
		}
	}
}

// seen is what the state calls the values that scans have passed on.
const seen = "seen"

// A scan notices values in its first rows only. It keeps those of a column if they are few
// and short, and occur twice on average.
const (
	noticedRows   = 20_000
	noticedValues = 50
	longestValue  = 40
)

// seenValues are values of the columns of a table, for the search. A column with too many
// has a null list.
type seenValues struct {
	Key     string              `json:"key"` // of the declaration
	Columns map[string][]string `json:"columns"`
}

// noticing passes on the rows of a scan, and tells the values of texts with few of them.
type noticing struct {
	array.RecordReader
	left int64
	// counts are of each value, by column; nil: too many. They are pointers, since m[k]++
	// puts the new key in the place of the equal one.
	counts map[int]map[string]*int
	tell   func(values map[string][]string)
}

// Next implements array.RecordReader.
func (n *noticing) Next() bool {
	more := n.RecordReader.Next()
	if more && n.left > 0 {
		n.look()
	}
	if n.tell != nil && n.Err() == nil && (!more || n.left <= 0) {
		n.tell(n.values())
		n.tell = nil
	}
	return more
}

func (n *noticing) look() {
	batch := n.RecordBatch()
	rows := int(min(batch.NumRows(), n.left))
	n.left -= int64(rows)
	for i, c := range batch.Columns() {
		texts, is := c.(interface{ Value(row int) string })
		count, looked := n.counts[i]
		if !is || looked && count == nil {
			continue
		}
		if count == nil {
			count = map[string]*int{}
			n.counts[i] = count
		}
		for row := range rows {
			if c.IsNull(row) {
				continue
			}
			v := texts.Value(row)
			times, again := count[v]
			if !again { // a copy, as the memory of the batch is freed
				times = new(int)
				count[strings.Clone(v)] = times
			}
			if *times++; len(count) > noticedValues || len(v) > longestValue {
				n.counts[i] = nil
				break
			}
		}
	}
}

func (n *noticing) values() map[string][]string {
	out := map[string][]string{}
	for i, count := range n.counts {
		name, all := n.Schema().Field(i).Name, slices.Sorted(maps.Keys(count))
		rows := 0
		for _, times := range count {
			rows += *times
		}
		switch {
		case count == nil || likely.Of(name, all) != nil:
			out[name] = nil
		case rows >= 2*len(all) && len(all) > 0:
			out[name] = all
		}
	}
	return out
}

// notice returns the rows of a scan, whose values the search will know. What is masked or
// under a row rule is not looked at.
func (c *Core) notice(ctx context.Context, p *prepared, rows array.RecordReader) array.RecordReader {
	if _, version := api.AsOf(p.ID); p.scan.Relation.Rule != nil || len(p.scan.Relation.Masks) > 0 || version != "" {
		return rows
	}
	return &noticing{RecordReader: rows, left: noticedRows, counts: map[int]map[string]*int{}, tell: func(values map[string][]string) {
		if err := c.keepSeen(ctx, p.table, values); err != nil && ctx.Err() == nil {
			c.log.Warn("what a scan has seen is not kept for the search", "table", p.ID, "cause", fault.Cause(err))
		}
	}}
}

var errNothingNew = errors.New("nothing new was seen")

// keepSeen adds values to those that are known of a table.
func (c *Core) keepSeen(ctx context.Context, t *table, values map[string][]string) error {
	err := c.state.ChangeKnown(ctx, seen, t.ID, func(old *state.Known) (*state.Known, error) {
		var was seenValues
		if old != nil {
			_ = json.Unmarshal([]byte(old.Data), &was) // then all is new
		}
		now := seenValues{Key: t.key, Columns: maps.Clone(values)}
		if was.Key == t.key {
			now.Columns = maps.Clone(was.Columns)
			for name, list := range values {
				before, known := was.Columns[name]
				all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, list))))
				if list == nil || known && before == nil || len(all) > noticedValues {
					all = nil
				}
				now.Columns[name] = all
			}
		}
		if len(values) == 0 || reflect.DeepEqual(was, now) {
			return nil, errNothingNew
		}
		data, err := json.Marshal(now)
		return &state.Known{Kind: seen, Name: t.ID, Owner: seen + ":" + t.ID, Data: string(data)}, err
	})
	if errors.Is(err, errNothingNew) {
		return nil
	}
	return err
}

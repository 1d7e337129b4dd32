package core

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
)

// preparedAtOnce is how many tables are prepared before their hints are made,
// which must be few enough to be still in the caches then.
const preparedAtOnce = 500

// prepare lets lakes describe tables together that were not described before: one
// by one, thousands of tables take minutes.
func (c *Core) prepare(ctx context.Context, tables []*table) {
	bySource := map[source.Preparer][]source.Relation{}
	for _, t := range tables {
		p, ok := t.source.(source.Preparer)
		if !ok || t.sourceType != api.SourceLake {
			continue
		}
		if _, known := c.known.get(knowledgeKey(t)); !known {
			bySource[p] = append(bySource[p], t.unrestricted())
		}
	}
	for p, rels := range bySource {
		p.Prepare(ctx, rels)
	}
}

// registered are all tables at a version of the registered ones.
type registered struct {
	version string
	tables  map[string]*table
	sorted  []*table // by id
}

// tables returns the tables of the instance file and the registered ones.
func (c *Core) tables(ctx context.Context) (*registered, error) {
	versions, err := c.state.Versions(ctx)
	if err != nil {
		return nil, internalError("read the registered tables", err)
	}
	return c.tablesAt(ctx, versions.Tables)
}

// tablesAt returns the tables of a version. They are kept until one is registered or
// removed: there can be very many.
func (c *Core) tablesAt(ctx context.Context, version string) (*registered, error) {
	if kept := c.registered.Load(); kept != nil && kept.version == version {
		return kept, nil
	}
	tables, err := c.readTables(ctx)
	if err != nil {
		return nil, err
	}
	sorted := slices.SortedFunc(maps.Values(tables), func(a, b *table) int { return strings.Compare(a.ID, b.ID) })
	all := &registered{version, tables, sorted}
	c.registered.Store(all)
	return all, nil
}

func (c *Core) readTables(ctx context.Context) (map[string]*table, error) {
	registered, err := c.state.RegisteredTables(ctx)
	if err != nil {
		return nil, internalError("read the registered tables", err)
	}
	if len(registered) == 0 {
		return c.byID, nil
	}
	tables := maps.Clone(c.byID)
	for _, t := range registered {
		// The instance file takes precedence. Tables of a source that it no
		// longer has are gone.
		if c.byID[t.ID] == nil && c.sources[t.Source] != nil {
			tables[t.ID] = c.declared(config.Table{ID: t.ID, Name: t.ID, Source: t.Source, Relation: t.Relation,
				QueryMode: t.QueryMode, Description: t.Description, Public: t.Public})
		}
	}
	return tables, nil
}

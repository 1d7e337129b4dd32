package core

import (
	"context"

	"github.com/agnes-data/da/api"
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

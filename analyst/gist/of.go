package gist

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/fit"
)

// DefaultTokens is the size of a text for which none is asked.
const DefaultTokens = 2000

// maxTables is of how many tables that a question finds the columns are read, and
// maxNear how many more that these refer to.
const (
	maxTables = 40
	maxNear   = 10
)

// forTokens is the size of the text of For, forTime the longest that the user waits for it.
const (
	forTokens = 800
	forTime   = 10 * time.Second
)

// For returns a function that gives the text of Of for a model's first request; "" if no
// table is found. If the catalog fails or is slow, the model can still use its tools.
func For(remote analyst.Remote) func(ctx context.Context, question string) string {
	return func(ctx context.Context, question string) string {
		ctx, cancel := context.WithTimeout(ctx, forTime)
		defer cancel()
		found, err := Of(ctx, remote, question, forTokens)
		if err != nil || len(found.Tables) == 0 {
			return ""
		}
		return found.Text
	}
}

// Of returns what the question needs of the catalog, in at most that many tokens.
func Of(ctx context.Context, remote analyst.Remote, question string, tokens int) (*Gist, error) {
	if tokens == 0 {
		tokens = DefaultTokens
	}
	if err := (fit.Options{MaxTokens: tokens}).Check(); err != nil {
		return nil, err
	}
	found, err := remote.Search(ctx, api.SearchRequest{Query: api.Clip(question, api.MaxSearchRunes-1), Limit: maxTables, Any: true})
	if err != nil {
		return nil, err
	}
	model, err := remote.SemanticModel(ctx)
	if err != nil {
		return nil, err
	}
	g := &Gist{Question: question, Caveats: found.Caveats, LeftOut: LeftOut{Tables: []string{}}}
	if n := found.Tables - found.ColumnsKnown; n > 0 {
		g.Caveats = append(g.Caveats, api.NewCaveat(api.CaveatUnread, "the columns of %d tables were not searched: they are not known yet", n))
	}
	known, err := remote.Known(ctx)
	if err != nil { // an older server
		known = &api.Known{}
		g.Caveats = append(g.Caveats, api.NewCaveat(api.CaveatUnread, "what people wrote cannot be read: %s", api.Clip(err.Error(), 200)))
	}
	var ids []string
	for _, h := range found.Hits {
		ids = append(ids, h.ID)
	}
	schemas, err := g.schemas(ctx, remote, ids[:min(len(ids), maxTables)])
	if err != nil {
		return nil, err
	}
	near, err := g.schemas(ctx, remote, referred(schemas))
	if err != nil {
		return nil, err
	}
	p := &page{gist: g, left: tokens * fit.BytesPerToken, model: model, known: known}
	p.fill(append(schemas, near...), found)
	return g, nil
}

// schemas are those of tables, in their order. One that cannot be read is told.
func (g *Gist) schemas(ctx context.Context, remote analyst.Remote, ids []string) ([]*api.TableSchema, error) {
	all, failed := make([]*api.TableSchema, len(ids)), make([]error, len(ids))
	var group errgroup.Group
	group.SetLimit(8)
	for i, id := range ids {
		group.Go(func() error {
			all[i], failed[i] = remote.Schema(ctx, id)
			return nil
		})
	}
	_ = group.Wait() // cannot fail
	for i, err := range failed {
		if err != nil {
			g.Caveats = append(g.Caveats, api.Caveat{Kind: api.CaveatUnread, About: api.Subject{Table: ids[i]},
				Text: "the columns of '" + ids[i] + "' cannot be read: " + api.Clip(err.Error(), 200)})
		}
	}
	return slices.DeleteFunc(all, func(s *api.TableSchema) bool { return s == nil }), ctx.Err()
}

// referred are the tables that foreign keys of these refer to, and that are not among
// them: a question seldom names the tables between those that it names.
func referred(schemas []*api.TableSchema) (ids []string) {
	for _, s := range schemas[:min(len(schemas), maxNear)] {
		for _, k := range s.ForeignKeys {
			known := slices.ContainsFunc(schemas, func(o *api.TableSchema) bool { return o.TableID == k.Table })
			if !known && !slices.Contains(ids, k.Table) && len(ids) < maxNear {
				ids = append(ids, k.Table)
			}
		}
	}
	return ids
}

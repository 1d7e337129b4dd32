package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
)

// searchPatience is how long a search reads files for columns that are not cached
// yet. Tables that it did not reach are counted as not searched; their columns
// may be cached by the next search.
const searchPatience = 10 * time.Second

// Search implements api.Searcher.
func (s *Session) Search(ctx context.Context, query string, limit int) (*api.SearchResult, error) {
	r := s.begin(api.EventCatalog, "")
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, r.end(ctx, err)
	}
	result, err := s.search(ctx, v, query, limit, searchPatience)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return result, nil
}

func (s *Session) search(ctx context.Context, v *view, query string, limit int, patience time.Duration) (*api.SearchResult, error) {
	if len(search.Words(query)) == 0 || utf8.RuneCountInString(query) > api.MaxSearchRunes {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindSearch, Message: "the words to search for are missing or too long",
			Hint: fmt.Sprintf("Give up to %d characters, such as: delay", api.MaxSearchRunes)}
	}
	if limit < 1 || limit > api.MaxSearchHits {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindSearch, Message: fmt.Sprintf("%d hits are not possible", limit),
			Hint: fmt.Sprintf("Ask for 1 to %d.", api.MaxSearchHits), Details: map[string]any{"max": api.MaxSearchHits}}
	}
	mine := v.mine()
	columns := s.core.knownColumns(ctx, v, mine, patience)
	tables := make([]api.SearchHit, len(mine))
	for i, t := range mine {
		description := t.Description
		if k, ok := s.core.known.get(knowledgeKey(t)); ok && description == "" && v.readsWhole(t) {
			description = k.schema.Description
		}
		tables[i] = api.SearchHit{ID: t.ID, Name: cmp.Or(t.Name, t.ID), Description: description, SourceType: t.label(), QueryMode: t.QueryMode}
	}
	return search.Best(query, tables, columns, limit), ctx.Err()
}

// knownColumns returns for each table the columns that the caller can see, nil if
// unknown. It asks no warehouse, but reads files for a limited time.
func (c *Core) knownColumns(ctx context.Context, v *view, tables []*table, patience time.Duration) [][]api.Column {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	columns := make([][]api.Column, len(tables))
	var group errgroup.Group
	group.SetLimit(4)
	for i, t := range tables {
		if k, ok := c.known.get(knowledgeKey(t)); ok {
			columns[i] = v.visible(t, k.schema.Columns)
			continue
		}
		if t.sourceType != api.SourceLake || ctx.Err() != nil {
			continue
		}
		group.Go(func() error {
			if schema, err := c.schema(ctx, t, t.unrestricted()); err == nil {
				columns[i] = v.visible(t, schema.Columns)
			}
			return nil
		})
	}
	_ = group.Wait() // cannot fail: a table with unknown columns is still found by name
	return columns
}

// visible returns the columns of a table that the caller can see; never nil.
func (v *view) visible(t *table, columns []api.Column) []api.Column {
	if v.readsWhole(t) {
		return append([]api.Column{}, columns...)
	}
	mine := []api.Column{}
	for _, col := range columns {
		if slices.ContainsFunc(v.grants[t.ID], func(g api.Grant) bool { return g.Columns == nil || slices.Contains(g.Columns, col.Name) }) {
			mine = append(mine, col)
		}
	}
	return mine
}

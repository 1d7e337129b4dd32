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
	known := s.core.knownColumns(ctx, v, mine, patience)
	// Of very many tables few hold all of the words: if any does, only these are ranked.
	terms := search.NewTerms(query)
	var hits []api.SearchHit
	var columns [][]api.Column
	add := func(least int) {
		for i, t := range mine {
			k := known[i]
			if least == 0 || terms.In(t.words, k.description, k.columns) >= least {
				hits = append(hits, api.SearchHit{ID: t.ID, Name: cmp.Or(t.Name, t.ID), Description: cmp.Or(t.Description, k.description),
					SourceType: t.label(), QueryMode: t.QueryMode})
				columns = append(columns, k.columns)
			}
		}
	}
	if add(len(terms)); len(hits) == 0 { // some of the words may be what is nearly one of any table
		add(0)
	}
	result := search.Best(query, hits, columns, limit)
	result.Tables, result.ColumnsKnown = len(mine), 0
	for _, k := range known {
		if k.columns != nil {
			result.ColumnsKnown++
		}
	}
	return result, ctx.Err()
}

// seen is what the caller sees of a table's schema.
type seen struct {
	columns     []api.Column // nil: unknown
	description string       // of its source, if it is declared without one
}

// manyUnknown is how many files are too many to be read while somebody waits:
// then little time is taken for them.
const (
	manyUnknown   = 500
	briefPatience = 10 * time.Millisecond
)

// knownColumns returns what the caller can see of each table's schema. It asks no
// warehouse, but reads files for a limited time.
func (c *Core) knownColumns(ctx context.Context, v *view, tables []*table, patience time.Duration) []seen {
	all := make([]seen, len(tables))
	var unknown []int
	for i, t := range tables {
		if k, ok := c.known.get(knowledgeKey(t)); ok {
			all[i].columns = v.visible(t, k.schema.Columns)
			if t.Description == "" && v.readsWhole(t) {
				all[i].description = k.schema.Description
			}
		} else if t.sourceType == api.SourceLake {
			unknown = append(unknown, i)
		}
	}
	if patience == pagePatience && len(unknown) > manyUnknown {
		patience = briefPatience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(4)
	for _, i := range unknown {
		if ctx.Err() != nil {
			break
		}
		t := tables[i]
		group.Go(func() error {
			if schema, err := c.schema(ctx, t, t.unrestricted()); err == nil {
				all[i].columns = v.visible(t, schema.Columns)
			}
			return nil
		})
	}
	_ = group.Wait() // cannot fail: a table with unknown columns is still found by name
	return all
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

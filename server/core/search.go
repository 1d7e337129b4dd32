package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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
func (s *Session) Search(ctx context.Context, req api.SearchRequest) (*api.SearchResult, error) {
	r := s.begin(api.EventCatalog, "")
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, r.end(ctx, err)
	}
	result, err := s.search(ctx, v, req, searchPatience, nil)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return result, nil
}

// search searches what a view has. window chooses among the ids of all hits those that are
// described, in place of the request's limit; nil: the first ones.
func (s *Session) search(ctx context.Context, v *view, req api.SearchRequest, patience time.Duration,
	window func(ids []string) []string) (*api.SearchResult, error) {
	if strings.TrimSpace(req.Query) == "" || utf8.RuneCountInString(req.Query) > api.MaxSearchRunes {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindSearch, Message: "the words to search for are missing or too long",
			Hint: fmt.Sprintf("Give up to %d characters, such as: delay", api.MaxSearchRunes)}
	}
	if window == nil && (req.Limit < 1 || req.Limit > api.MaxSearchHits) {
		return nil, &api.Error{Code: api.CodeBadRequest, Kind: api.KindSearch, Message: fmt.Sprintf("%d hits are not possible", req.Limit),
			Hint: fmt.Sprintf("Ask for 1 to %d.", api.MaxSearchHits), Details: map[string]any{"max": api.MaxSearchHits}}
	}
	model, err := s.core.meaning.read()
	if err != nil {
		s.core.log.Error("the semantic model cannot be read", "error", err)
	}
	f := s.core.finder
	unread := f.mean(s.core.log)
	words, err := s.core.readWords(ctx, v.all, f.known())
	if err != nil {
		return nil, err
	}
	who, err := v.keeper(ctx)
	if err != nil {
		return nil, err
	}
	s.core.readColumns(ctx, f.follow(v, model, words, s.core.now()), patience)
	may := words.sees(who)
	found := f.index.SearchAgain(req.Query, req.Limit, req.Any, func(id string) search.Sight {
		sight := v.sight(id)
		sight.Key = may
		return sight
	}, &v.looked, window)
	if unread != nil && s.who.Admin { // it names a file of the server
		found.Caveats = append(found.Caveats, api.NewCaveat(api.CaveatUnread, "%s", unread))
	}
	return found.Result(req.Query, func(hit search.Found) api.SearchHit {
		t := v.tables[hit.ID]
		return api.SearchHit{Name: cmp.Or(t.Name, t.ID), Description: cmp.Or(t.Description, hit.About), SourceType: t.label(),
			QueryMode: t.QueryMode}
	}), ctx.Err()
}

// manyUnknown is how many files are too many to be read while somebody waits:
// then little time is taken for them.
const (
	manyUnknown   = 500
	briefPatience = 10 * time.Millisecond
)

// readColumns reads the columns of those tables that are files, for a limited time. It
// asks no warehouse.
func (c *Core) readColumns(ctx context.Context, tables []*table, patience time.Duration) {
	tables = only(tables, func(t *table) bool { return t.sourceType == api.SourceLake })
	if patience == pagePatience && len(tables) > manyUnknown {
		patience = briefPatience
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(4)
	for _, t := range tables {
		if limited.Err() != nil {
			break
		}
		group.Go(func() error {
			if schema, err := c.schema(limited, t, t.unrestricted()); err == nil {
				c.finder.learn(t, schema, c.now().Add(knownFor(c.limits.SchemaCacheTTL)))
			}
			return nil
		})
	}
	_ = group.Wait() // cannot fail: a table with unknown columns is still found by name
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

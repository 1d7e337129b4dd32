package cache

import (
	"cmp"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
)

// SearchKept searches the cache, for use when the server cannot be reached: the
// tables of the last catalog, and the columns of cached schemas. vectors may be nil. age
// is the catalog's; ok is false if no catalog is cached.
func (c *Catalog) SearchKept(query string, limit int, vectors *search.Vectors) (result *api.SearchResult, age time.Duration, ok bool) {
	kept, at, ok := c.answers.openCatalog()
	if !ok {
		return nil, 0, false
	}
	catalog, err := kept.Whole()
	if err != nil {
		return nil, 0, false
	}
	index, tables := search.NewIndex(), map[string]api.Table{}
	for _, t := range catalog.Tables {
		tables[t.ID] = t
		index.Declare(search.Declared{ID: t.ID, Name: t.Name, Description: t.Description})
		if api.CheckName("table id", t.ID) == nil { // the id becomes a file name
			if schema, kept := load[api.TableSchema](c.answers, schemaKey(t.ID)); kept {
				index.Learn(t.ID, search.Learnt{Columns: append([]api.Column{}, schema.Value.Columns...)})
			}
		}
	}
	index.Mean(vectors)
	found := index.Search(query, limit, false, func(string) search.Sight { return search.Sight{Any: true, Whole: true} })
	return found.Result(query, func(f search.Found) api.SearchHit {
		t := tables[f.ID]
		return api.SearchHit{Name: cmp.Or(t.Name, t.ID), Description: t.Description, SourceType: t.SourceType, QueryMode: t.QueryMode}
	}), max(0, c.opts.Now().Sub(at)), true
}

// OutOfReach reports whether err means that the server did not answer.
func OutOfReach(err error) bool {
	return api.CodeUnreachable.Is(err) || api.CodeStalled.Is(err)
}

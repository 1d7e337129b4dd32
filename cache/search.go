package cache

import (
	"cmp"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
)

// SearchKept searches the cache, for use when the server cannot be reached: the
// tables of the last catalog, and the columns of cached schemas. age is the
// catalog's; ok is false if no catalog is cached.
func (c *Catalog) SearchKept(query string, limit int) (result *api.SearchResult, age time.Duration, ok bool) {
	catalog, ok := load[api.TableList](c.answers, catalogKey)
	if !ok {
		return nil, 0, false
	}
	var tables []api.SearchHit
	var columns [][]api.Column
	for _, t := range catalog.Value.Tables {
		tables = append(tables, api.SearchHit{ID: t.ID, Name: cmp.Or(t.Name, t.ID), Description: t.Description, SourceType: t.SourceType,
			QueryMode: t.QueryMode})
		var known []api.Column
		if api.CheckName("table id", t.ID) == nil { // the id becomes a file name
			if schema, kept := load[api.TableSchema](c.answers, schemaKey(t.ID)); kept {
				known = append([]api.Column{}, schema.Value.Columns...)
			}
		}
		columns = append(columns, known)
	}
	return search.Best(query, tables, columns, limit), max(0, c.opts.Now().Sub(catalog.At)), true
}

// OutOfReach reports whether err means that the server did not answer.
func OutOfReach(err error) bool {
	return api.CodeUnreachable.Is(err) || api.CodeStalled.Is(err)
}

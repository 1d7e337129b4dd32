package cache

import (
	"cmp"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/search"
)

// SearchKept searches what is kept, for when nobody can be asked: the tables of
// the last catalog, and the columns of those whose schema is kept. age is the
// catalog's; ok is false if none is kept.
func (c *Catalog) SearchKept(query string, limit int) (result *api.SearchResult, age time.Duration, ok bool) {
	catalog, ok := load[api.TableList](c.answers, catalogKey)
	if !ok {
		return nil, 0, false
	}
	var tables []api.SearchHit
	var columns [][]api.Column
	for _, t := range catalog.Value.Tables {
		tables = append(tables, api.SearchHit{ID: t.ID, Name: cmp.Or(t.Name, t.ID), Description: t.Description, SourceType: t.SourceType, QueryMode: t.QueryMode})
		var known []api.Column
		if api.CheckName("table id", t.ID) == nil { // it becomes a file name
			if schema, kept := load[api.TableSchema](c.answers, schemaKey(t.ID)); kept {
				known = append([]api.Column{}, schema.Value.Columns...)
			}
		}
		columns = append(columns, known)
	}
	return search.Best(query, tables, columns, limit), max(0, c.opts.Now().Sub(catalog.At)), true
}

// OutOfReach says that nobody was there to answer.
func OutOfReach(err error) bool {
	return api.CodeUnreachable.Is(err) || api.CodeStalled.Is(err)
}

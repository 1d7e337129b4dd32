package httpapi

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"github.com/agnes-data/da/api"
)

// pageTables answers with a window of the tables, all of them or those that a
// search finds.
func (c *call) pageTables() error {
	if err := c.params("q", "from", "limit"); err != nil {
		return err
	}
	values := c.r.URL.Query()
	from, err := number(values, "from", 0, api.MaxTables)
	if err != nil {
		return err
	}
	limit, err := number(values, "limit", api.DefaultPageTables, api.MaxPageTables)
	if err != nil {
		return err
	}
	query := values.Get("q")
	return answer(c, func(ctx context.Context) (*api.PageTables, error) {
		list, err := c.data.Tables(ctx)
		if err != nil {
			return nil, err
		}
		out := &api.PageTables{From: from, Found: len(list.Tables), All: len(list.Tables), Tables: []api.PageTable{}, Caveats: []api.Caveat{}}
		if query == "" {
			for _, t := range window(list.Tables, from, limit) {
				out.Tables = append(out.Tables, api.PageTable{Table: t})
			}
			return out, nil
		}
		result, err := c.data.Search(ctx, query, min(max(from+limit, 1), api.MaxSearchHits))
		if err != nil {
			return nil, err
		}
		out.Found, out.Caveats = result.Total, append(out.Caveats, result.Caveats...)
		byID := make(map[string]api.Table, len(list.Tables))
		for _, t := range list.Tables {
			byID[t.ID] = t
		}
		for _, h := range window(result.Hits, from, limit) {
			t, ok := byID[h.ID]
			if !ok { // it came between the two
				t = api.Table{ID: h.ID, Name: h.Name, Description: h.Description, SourceType: h.SourceType, QueryMode: h.QueryMode}
			}
			found := api.PageTable{Table: t}
			for _, m := range h.Matches {
				if m.Column != "" {
					found.Columns = append(found.Columns, m.Column)
				}
			}
			out.Tables = append(out.Tables, found)
		}
		return out, nil
	})
}

// window returns up to limit elements of a list.
func window[T any](all []T, from, limit int) []T {
	return all[min(from, len(all)):min(from+limit, len(all))]
}

// number returns a parameter that is a whole number up to most.
func number(values url.Values, name string, otherwise, most int) (int, error) {
	n, err := strconv.Atoi(cmp.Or(values.Get(name), strconv.Itoa(otherwise)))
	if err != nil || n < 0 || n > most {
		return 0, badBody(api.KindParameter, "parameter '%s' must be a whole number up to %d", name, most)
	}
	return n, nil
}

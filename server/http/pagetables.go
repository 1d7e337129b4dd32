package httpapi

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
)

// pageTables answers with a window of the tables, all of them or those that a
// search finds, of a type and a group if these are given.
func (c *call) pageTables() error {
	if err := c.params("q", "from", "limit", "type", "group"); err != nil {
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
	return answer(c, func(ctx context.Context) (*api.PageTables, error) {
		list, err := c.data.Tables(ctx)
		if err != nil {
			return nil, err
		}
		out := &api.PageTables{From: from, All: len(list.Tables), Caveats: []api.Caveat{}}
		found := make([]api.PageTable, 0, len(list.Tables))
		if query := values.Get("q"); query != "" {
			found, err = c.searched(ctx, query, list.Tables, out)
		} else {
			for _, t := range list.Tables {
				found = append(found, api.PageTable{Table: t})
			}
			out.Found = len(found)
		}
		if err != nil {
			return nil, err
		}
		typ, group := values.Get("type"), values.Get("group")
		out.Types = facets(found, func(t api.PageTable) string { return string(t.SourceType) })
		found = slices.DeleteFunc(found, func(t api.PageTable) bool { return typ != "" && string(t.SourceType) != typ })
		out.Groups = facets(found, groupOf)
		found = slices.DeleteFunc(found, func(t api.PageTable) bool { return group != "" && groupOf(t) != group })
		if typ != "" || group != "" {
			out.Found = len(found)
		}
		out.Tables = window(found, from, limit)
		return out, nil
	})
}

// searched returns the tables that a search finds, the best first.
func (c *call) searched(ctx context.Context, query string, all []api.Table, out *api.PageTables) ([]api.PageTable, error) {
	result, err := c.data.Search(ctx, query, api.MaxSearchHits)
	if err != nil {
		return nil, err
	}
	out.Found, out.Caveats = result.Total, append(out.Caveats, result.Caveats...)
	byID := make(map[string]api.Table, len(all))
	for _, t := range all {
		byID[t.ID] = t
	}
	found := []api.PageTable{}
	for _, h := range result.Hits {
		t, ok := byID[h.ID]
		if !ok { // it came between the two
			t = api.Table{ID: h.ID, Name: h.Name, Description: h.Description, SourceType: h.SourceType, QueryMode: h.QueryMode}
		}
		one := api.PageTable{Table: t}
		for _, m := range h.Matches {
			if m.Column != "" {
				one.Columns = append(one.Columns, m.Column)
			}
		}
		found = append(found, one)
	}
	return found, nil
}

// groupOf returns what a table's id begins with, up to the first mark between
// words; empty if there is none.
func groupOf(t api.PageTable) string {
	if at := strings.IndexAny(t.ID, "._-"); at > 0 {
		return t.ID[:at]
	}
	return ""
}

// facets counts tables by what name says of them, the commonest first, if that
// tells them apart.
func facets(tables []api.PageTable, name func(api.PageTable) string) []api.PageFacet {
	n := map[string]int{}
	for _, t := range tables {
		if of := name(t); of != "" {
			n[of]++
		}
	}
	all := []api.PageFacet{}
	for of, tables := range n {
		all = append(all, api.PageFacet{Name: of, Tables: tables})
	}
	slices.SortFunc(all, func(a, b api.PageFacet) int {
		return cmp.Or(cmp.Compare(b.Tables, a.Tables), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), api.MaxPageFacets)]
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

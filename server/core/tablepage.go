package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
)

// pagePatience is how long a search of the page reads files for columns that are
// not cached yet. Somebody waits for it, and each search leaves more of them known.
const pagePatience = 300 * time.Millisecond

// TablePage implements api.TablePager. Only what the page shows is looked at
// beyond its declaration.
func (s *Session) TablePage(ctx context.Context, req api.TablePageRequest) (*api.PageTables, error) {
	r := s.begin(api.EventCatalog, "")
	page, err := s.tablePage(ctx, req)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return page, nil
}

func (s *Session) tablePage(ctx context.Context, req api.TablePageRequest) (*api.PageTables, error) {
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.PageTables{From: req.From, All: len(v.mine()), Tables: []api.PageTable{}, Caveats: []api.Caveat{}}
	columns := map[string][]string{}
	var shown []*table
	if req.Query == "" {
		shown = v.window(v.mine(), req, out)
	} else if shown, err = s.searched(ctx, v, req, out, columns); err != nil {
		return nil, err
	}
	hints := s.hintsFor(ctx, v, shown)
	for i, t := range shown {
		entry := api.PageTable{Table: s.core.entry(t, hints[i]), Columns: columns[t.ID]}
		entry.RowRule = v.ruled(t)
		out.Tables = append(out.Tables, entry)
	}
	return out, ctx.Err()
}

// window notes how many tables of what is found there are, and returns those that are shown.
func (v *view) window(found []*table, req api.TablePageRequest, out *api.PageTables) []*table {
	if req.Query == "" && req.Type == "" {
		out.Types, out.Groups = v.facets()
	} else {
		out.Types = facets(found, typeOf)
		if req.Type != "" {
			found = only(found, func(t *table) bool { return typeOf(t) == req.Type })
		}
		out.Groups = facets(found, groupOf)
	}
	if req.Group != "" {
		found = only(found, func(t *table) bool { return groupOf(t) == req.Group })
	}
	out.Found = len(found)
	return found[min(req.From, len(found)):min(req.From+req.Limit, len(found))]
}

// only returns the tables to keep.
func only(tables []*table, keep func(*table) bool) (kept []*table) {
	for _, t := range tables {
		if keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// searched returns the window of the tables that a search finds, the best first, and notes
// the columns in which it found the words.
func (s *Session) searched(ctx context.Context, v *view, req api.TablePageRequest, out *api.PageTables,
	columns map[string][]string) (shown []*table, err error) {
	result, err := s.search(ctx, v, api.SearchRequest{Query: req.Query}, pagePatience, func(ids []string) (described []string) {
		found := make([]*table, len(ids))
		for i, id := range ids {
			found[i] = v.tables[id]
		}
		shown = v.window(found, req, out)
		for _, t := range shown {
			described = append(described, t.ID)
		}
		return described
	})
	if err != nil {
		return nil, err
	}
	out.Caveats = append(out.Caveats, result.Caveats...)
	if n := result.Tables - result.ColumnsKnown; n > 0 {
		out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatUnread, "the columns of %d tables were not searched: they are not known yet",
			n))
	}
	for _, h := range result.Hits {
		for _, m := range h.Matches {
			if m.Column != "" && !slices.Contains(columns[h.ID], m.Column) {
				columns[h.ID] = append(columns[h.ID], m.Column)
			}
		}
	}
	return shown, nil
}

// hintsFor returns the hints of tables for the caller. A lake that does not answer is not
// asked for each of its tables: they have no hints.
func (s *Session) hintsFor(ctx context.Context, v *view, tables []*table) []catalogHints {
	hints, silent := make([]catalogHints, len(tables)), s.core.silentLakes(ctx, tables)
	for at := 0; at < len(tables); at += preparedAtOnce {
		part := tables[at:min(at+preparedAtOnce, len(tables))]
		s.core.prepare(ctx, only(part, func(t *table) bool { return !silent[t.source] }))
		var group errgroup.Group
		group.SetLimit(4)
		for i, t := range part {
			group.Go(func() error {
				if !silent[t.source] {
					hints[at+i] = s.core.catalogHints(ctx, v, t)
				}
				return nil
			})
		}
		_ = group.Wait() // cannot fail: a table without hints is still listed
	}
	return hints
}

func typeOf(t *table) string { return string(t.label()) }

// groupOf returns what a table's id begins with, up to the first mark between
// words; empty if there is none.
func groupOf(t *table) string {
	if at := strings.IndexAny(t.ID, "._-"); at > 0 {
		return t.ID[:at]
	}
	return ""
}

// facets counts tables by what name says of them, the commonest first.
func facets(tables []*table, name func(*table) string) []api.PageFacet {
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

// maxJoined is with how many tables of the catalog a table is compared.
const maxJoined = 1000

// TableJoins implements api.TablePager. It asks no warehouse but for the table itself:
// of the others it knows what is cached, and reads a few files.
func (s *Session) TableJoins(ctx context.Context, tableID string) (*api.TableJoins, error) {
	r := s.begin(api.EventSchema, tableID)
	joins, err := s.tableJoins(ctx, tableID)
	if err := r.end(ctx, err); err != nil {
		return nil, err
	}
	return joins, nil
}

func (s *Session) tableJoins(ctx context.Context, tableID string) (*api.TableJoins, error) {
	id, _ := api.AsOf(tableID) // joins are of the table as it is
	of, err := s.schema(ctx, id)
	if err != nil {
		return nil, err
	}
	v, err := s.readRights(ctx)
	if err != nil {
		return nil, err
	}
	model, err := s.semanticModel(ctx)
	if err != nil {
		return nil, err
	}
	self := v.tables[id]
	others := only(v.mine(), func(t *table) bool { return t != self })
	unknown := only(others, func(t *table) bool {
		_, ok := s.core.known.get(knowledgeKey(t))
		return !ok
	})
	s.core.readColumns(ctx, unknown[:min(len(unknown), maxJoined)], pagePatience)

	found, left := &metric.Joins{}, 0
	found.Keys(id, of.ForeignKeys)
	found.Model(model)
	known := 0
	for _, t := range others {
		k, ok := s.core.known.get(knowledgeKey(t))
		if !ok || known == maxJoined {
			left++
			continue
		}
		known++
		columns := v.visible(t, k.schema.Columns)
		keys, err := v.foreignKeys(ctx, t, k.schema.ForeignKeys, []*table{self})
		if err != nil {
			return nil, err
		}
		found.Keys(t.ID, slices.DeleteFunc(keys, func(key api.ForeignKey) bool {
			return slices.ContainsFunc(key.Pairs(), func(p api.ColumnPair) bool {
				return !slices.ContainsFunc(columns, func(c api.Column) bool { return c.Name == p.Column })
			})
		}))
		found.Names(metric.Joinable{Name: id, Of: id, Columns: of.Columns}, metric.Joinable{Name: t.ID, Of: t.ID, Columns: columns})
	}
	out := &api.TableJoins{Joins: []api.Join{}, Caveats: []api.Caveat{}}
	for _, j := range found.All {
		if j.Table == id || j.To == id {
			out.Joins = append(out.Joins, j)
		}
	}
	if left > 0 {
		out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatUnread, "the columns of %d tables were not looked at for joins", left))
	}
	return out, ctx.Err()
}

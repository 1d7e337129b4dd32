package core

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
	"github.com/agnes-data/da/source"
)

// finder keeps the index of the search as the catalog is. Only what has changed is
// indexed again.
type finder struct {
	mu     sync.Mutex
	index  *search.Index
	all    *registered // that are declared in the index
	model  *api.SemanticModel
	learnt map[string]lesson // by table, of those whose columns are in the index
}

// lesson says until when the indexed columns of a table count as current, and which
// declaration of the table they belong to.
type lesson struct {
	key   string
	until time.Time
}

func newFinder() *finder { return &finder{index: search.NewIndex(), learnt: map[string]lesson{}} }

// learn indexes the columns of a table.
func (f *finder) learn(t *table, schema *source.Schema, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.learnt[t.ID] = lesson{t.key, until}
	about := schema.Description
	if about == t.Description {
		about = ""
	}
	columns := schema.Columns
	if columns == nil {
		columns = []api.Column{}
	}
	f.index.Learn(t.ID, search.Learnt{About: about, Columns: columns, Also: enumerated(columns)})
}

// maxListed is how many bytes of the values that a type lists are indexed.
const maxListed = 2000

// enumerated are the values of columns whose types list them: ENUM('new', 'paid').
func enumerated(columns []api.Column) (also []search.Also) {
	for _, c := range columns {
		if strings.HasPrefix(strings.ToUpper(c.Type), "ENUM(") {
			values := strings.NewReplacer("'", "", `"`, "", ")", "").Replace(c.Type[len("ENUM("):min(len(c.Type), maxListed)])
			also = append(also, search.Also{Field: "value", Column: c.Name, Text: values})
		}
	}
	return also
}

// forget drops the columns of a table from the index, or those of all if id is empty.
func (f *finder) forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for of := range f.learnt {
		if id == "" || of == id {
			f.unlearn(of)
		}
	}
}

func (f *finder) unlearn(id string) {
	delete(f.learnt, id)
	f.index.Learn(id, search.Learnt{})
}

// follow brings the index up to the catalog and the semantic model as they are now,
// and returns those of the tables whose columns it does not know.
func (f *finder) follow(v *view, model *api.SemanticModel, now time.Time) (unknown []*table) {
	all := v.all
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all != all || f.model != model {
		also := map[string][]search.Also{}
		if model != nil {
			also = v.meanings(model)
		}
		for _, t := range all.sorted {
			if f.all == nil || f.model != model || f.all.tables[t.ID] != t {
				f.index.Declare(search.Declared{ID: t.ID, Name: t.Name, Description: t.Description, Also: also[t.ID]})
			}
		}
		if f.all != nil {
			for _, t := range f.all.sorted {
				if all.tables[t.ID] == nil {
					f.index.Remove(t.ID)
					delete(f.learnt, t.ID)
				}
			}
		}
		f.all, f.model = all, model
	}
	for id, l := range f.learnt {
		if t := all.tables[id]; t == nil || l.key != t.key || !now.Before(l.until) {
			f.unlearn(id)
		}
	}
	for _, t := range v.mine() {
		if _, ok := f.learnt[t.ID]; !ok {
			unknown = append(unknown, t)
		}
	}
	return unknown
}

// meanings are, by table, the metrics and entities of a semantic model by whose names
// the table is found.
func (v *view) meanings(model *api.SemanticModel) map[string][]search.Also {
	ids, also := map[string]string{}, map[string][]search.Also{}
	for _, t := range model.Tables {
		id := v.named(t.TableID, t.Relation)
		if id == "" {
			continue
		}
		ids[t.Name] = id
		for _, e := range t.Entities {
			if e.Name != e.Expr {
				also[id] = append(also[id], search.Also{Field: "join", Text: e.Name, Column: e.Expr})
			}
		}
	}
	byName := map[string]api.Metric{}
	for _, m := range model.Metrics {
		byName[m.Name] = m
	}
	for _, m := range model.Metrics {
		if m.Inner || m.Unclear != "" {
			continue
		}
		tables, ok := tablesOf(m, byName, ids, len(byName))
		if ok && len(tables) > 0 {
			also[tables[0]] = append(also[tables[0]], search.Also{
				Field: "metric", Text: strings.TrimSpace(m.Name + " " + m.Label + " " + m.Description), Tables: tables[1:],
			})
		}
	}
	return also
}

// tablesOf are the tables that a metric reads; ok is false if one is not in the catalog.
func tablesOf(m api.Metric, byName map[string]api.Metric, ids map[string]string, depth int) (tables []string, ok bool) {
	if m.Kind == api.MetricSimple || m.Table != "" {
		id := ids[m.Table]
		return []string{id}, id != ""
	}
	if depth < 0 {
		return nil, false
	}
	for _, in := range m.Inputs {
		more, ok := tablesOf(byName[in.Metric], byName, ids, depth-1)
		if !ok {
			return nil, false
		}
		for _, id := range more {
			if !slices.Contains(tables, id) {
				tables = append(tables, id)
			}
		}
	}
	return tables, true
}

// sight says what of a table the caller may find it by.
func (v *view) sight(id string) search.Sight {
	t := v.tables[id]
	switch {
	case t == nil:
		return search.Sight{}
	case v.readsWhole(t):
		return search.Sight{Any: true, Whole: true}
	}
	return search.Sight{Any: len(v.grants[id]) > 0, Column: func(name string) bool {
		// Types and descriptions of a masked column can list its values.
		return slices.ContainsFunc(v.grants[id], func(g api.Grant) bool {
			return (g.Columns == nil || slices.Contains(g.Columns, name)) && g.Masks[name] == ""
		})
	}}
}

package postgres

import (
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/statement"
)

// relation records a table, or renames a reference to a WITH definition.
func (w *walker) relation(n *pg.Node, r *pg.RangeVar, sc *scope) error {
	if !r.Inh {
		return w.unsupported("ONLY")
	}
	if r.Schemaname != "" || r.Catalogname != "" {
		return w.field("RangeVar", "schemaname")
	}
	if r.Alias != nil {
		w.called(r.Alias)
	} else {
		w.aliases[lower(r.Relname)] = true
	}
	if own, ok := sc.find(r.Relname); ok {
		if r.Alias == nil {
			r.Alias = &pg.Alias{Aliasname: r.Relname}
		}
		r.Relname = own
		return nil
	}
	if api.CheckName("table id", r.Relname) != nil {
		return w.refuse(api.KindBadTableName, fmt.Sprintf("%q is not a table name", api.Clip(r.Relname, 80)), "", listTables)
	}
	if !w.tables[r.Relname] {
		w.tables[r.Relname] = true
		w.order = append(w.order, r.Relname)
	}
	w.nodes = append(w.nodes, tableNode{n, r.Relname})
	return nil
}

// called notes the name of a table or of a join, which have any columns.
func (w *walker) called(a *pg.Alias) {
	if a == nil {
		return
	}
	w.aliases[lower(a.Aliasname)] = true
	w.whole = w.whole || len(a.Colnames) > 0 // columns that are renamed are counted through
}

// column records what a name can read.
func (w *walker) column(c *pg.ColumnRef) error {
	for i, f := range c.Fields {
		if f.GetAStar() != nil {
			w.whole = true
			continue
		}
		name := f.GetString_().GetSval()
		w.reads(name)
		if i > 0 {
			w.attributes = append(w.attributes, attribute{c.Fields[i-1].GetString_().GetSval(), name, int(c.Location)})
		}
		if i == len(c.Fields)-1 {
			if w.last == nil {
				w.last = map[string]bool{}
			}
			w.last[lower(name)] = true
		}
	}
	if len(c.Fields) > 2 {
		return w.refuse(api.KindQualifiedName, "a column is named with more than its table", "Write table.column, or (column).field.")
	}
	return nil
}

// indirection checks the parts behind a value in parentheses: elements, and
// fields of columns.
func (w *walker) indirection(n *pg.A_Indirection) error {
	for _, part := range n.Indirection {
		switch {
		case part.GetAIndices() != nil:
		case part.GetString_() != nil && n.Arg.GetColumnRef() != nil:
			w.reads(part.GetString_().Sval)
			w.attributes = append(w.attributes, attribute{"", part.GetString_().Sval, w.at})
		default:
			return w.refuse(api.KindUnsupported, "only columns have fields here", "")
		}
	}
	return nil
}

func (w *walker) reads(name string) {
	if name = lower(name); name != "" && !slices.Contains(w.columns, name) {
		w.columns = append(w.columns, name)
	}
}

func (w *walker) define(name string) { w.defined[name] = true }

func (w *walker) defineAll(names []*pg.Node) {
	for _, n := range names {
		w.define(n.GetString_().GetSval())
	}
}

// lower folds as engines do: ASCII only.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

// inFrom is the group in allowed.txt whose functions are allowed in FROM.
const inFrom = "in FROM"

// function checks a call by its name.
func (w *walker) function(name string, at int, from bool) error {
	known := functions()
	mayStandInFrom, ok := known[name]
	if ok && (mayStandInFrom || !from) {
		return nil
	}
	shown := api.Clip(name, 80)
	message := fmt.Sprintf("function %q is not allowed here", shown)
	if ok {
		message = fmt.Sprintf("function %q is not allowed in FROM", shown)
	}
	e := statement.RefuseAt(w.sql, at, api.KindForbiddenFunction, message, "")
	e.Details["function"] = shown
	var candidates []string
	for f := range known {
		if !from || known[f] {
			candidates = append(candidates, f)
		}
	}
	slices.Sort(candidates)
	if near := suggest.Near(name, candidates); len(near) > 0 && !ok {
		e.Details["suggestions"] = near
		e.Hint = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return e
}

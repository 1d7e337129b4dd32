// Package fanout finds sums, counts and averages over rows that a join repeats. It
// reads the tree of a proven SELECT, and measures in the engine that will run it: first
// whether the keys that are joined by are unique, which is cheap and mostly the end of
// it; only if they are not, how often the rows of a table really appear.
//
// What it does not understand it passes over in silence; docs/joins.md lists that.
package fanout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Finding is a table whose rows appear more than once below aggregates.
type Finding struct {
	Table string // as the statement names it
	Alias string // how the statement calls it; may be Table
	// Aggregates are those that count its rows more than once, as the engine writes
	// them.
	Aggregates []string
	// Rows is the number of its rows that appear, in each group; Appear is how often
	// they do in all, Most how often one does. If Appear is less, DISTINCT has folded
	// equal values of different rows.
	Rows, Appear, Most int64
	// Part says that these are of a part of the rows: there are more, and the factor is an
	// estimate.
	Part bool
	// By are the joined tables that have several rows for one of its rows.
	By []Many
	// Right is the statement without the repetition; empty: none is offered.
	Right string
}

// Many is a joined table whose key is not unique.
type Many struct {
	Table      string
	Key        []string
	Rows, Keys int64 // rows that have a key, and different keys

	of    *relation
	where []any // which of its rows are joined
	keys  []any
	near  bool // it is joined to the table itself, or to what that leads to
}

// Factor is how often a row appears on average.
func (f Finding) Factor() float64 { return float64(f.Appear) / float64(f.Rows) }

// Known is what is known of a table.
type Known struct {
	Columns []string   // nil: unknown
	Rows    int64      // -1: unknown
	Once    [][]string // sets of columns in which no values but NULL occur twice, in lower case
	Twice   []string   // columns in which a value occurs twice, in lower case
}

// Tables remembers what is known of tables: as long as their rows are the same, it is
// measured once.
type Tables interface {
	Known(table string) Known
	// Put adds columns that have no values twice; they are sorted.
	Put(table string, columns []string)
}

// Find returns what the joins of a proven SELECT repeat. It runs its own SELECTs over
// the same tables; an error is only that of the context.
func Find(ctx context.Context, conn *duckdb.Conn, sql string, tables Tables) ([]Finding, error) {
	p := &parser{ctx: ctx, conn: conn, tables: tables}
	tree, err := p.parse(sql)
	if err != nil {
		return nil, ctx.Err() // what cannot be read is not judged
	}
	f := &finder{parser: p, tree: tree}
	if f.queries(tree, []any{}); len(f.found) > 0 {
		right := f.right(sql)
		for i := range f.found {
			f.found[i].Right = right
		}
	}
	return f.found, ctx.Err()
}

// finder looks at each SELECT of a statement.
type finder struct {
	*parser
	tree  any
	found []Finding
	tasks []*task
	// missed says that something could not be measured.
	missed bool
}

// queries looks at all SELECTs in a tree; with are the items of WITH around it.
func (f *finder) queries(v any, with []any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			f.queries(item, with)
		}
	case node:
		if text(v, "type") == "RECURSIVE_CTE_NODE" {
			return
		}
		items := list(child(v, "cte_map")["map"])
		for _, item := range items {
			f.queries(child(child(item, "value"), "query"), with)
			with = append(slices.Clip(with), item)
		}
		if text(v, "type") == "SELECT_NODE" {
			f.selects(v, with)
		}
		for key, item := range v {
			if key != "cte_map" {
				f.queries(item, with)
			}
		}
	}
}

// selects judges the aggregates of one SELECT.
func (f *finder) selects(q node, with []any) {
	aggregates := aggregatesOf(q)
	if len(aggregates) == 0 || text(child(q, "from_table"), "type") == "BASE_TABLE" && len(with) == 0 {
		return
	}
	g := &graph{parser: f.parser, all: with, with: with, unique: map[string]*Many{}, repeats: map[string]*repeat{}}
	if !g.build(q) {
		f.missed = true
		return
	}
	if len(g.joined()) < 2 {
		return
	}
	at, t := len(f.found), &task{q: q, g: g}
	for _, a := range aggregates {
		for _, m := range g.measures(a) {
			r, by := g.judge(m)
			f.missed = f.missed || g.missed
			if r == nil {
				continue
			}
			t.wrong, t.of = append(t.wrong, a.node), append(t.of, r)
			for _, m := range by {
				if !slices.Contains(t.many, m.of) {
					t.many = append(t.many, m.of)
				}
			}
			i := slices.IndexFunc(f.found[at:], func(o Finding) bool { return o.Alias == r.of.alias && o.Appear == r.appear })
			if i < 0 {
				f.found = append(f.found, Finding{Table: r.of.table, Alias: r.of.alias, Rows: r.rows, Appear: r.appear, Most: r.most,
					Part: r.part, By: g.figures(nearest(by))})
				i = len(f.found) - 1 - at
			}
			if named := f.expr(a.node); !slices.Contains(f.found[at+i].Aggregates, named) {
				f.found[at+i].Aggregates = append(f.found[at+i].Aggregates, named)
			}
		}
	}
	if len(t.wrong) > 0 {
		f.tasks = append(f.tasks, t)
	}
}

// nearest are the tables that the repetition begins with. What is joined to them alone
// repeats rows because of them, and is not named.
func nearest(all []Many) []Many {
	if near := slices.DeleteFunc(slices.Clone(all), func(m Many) bool { return !m.near }); len(near) > 0 {
		return near
	}
	return all
}

// String words the finding as one sentence without a full stop.
func (f Finding) String() string {
	var by []string
	for _, m := range f.By {
		if len(m.Key) == 0 {
			by = append(by, fmt.Sprintf("'%s' is joined without a key", m.Table))
			continue
		}
		rows := times(float64(m.Rows) / float64(m.Keys))
		if m.Keys == 0 || len(f.By) == 1 && rows != times(f.Factor()) { // it has keys that are not joined: two figures puzzle
			rows = "several"
		}
		by = append(by, fmt.Sprintf("'%s' has %s rows for one %s", m.Table, rows, strings.Join(m.Key, ", ")))
	}
	many := times(f.Factor()) + " times"
	if f.Factor() < 1.05 {
		many = fmt.Sprintf("up to %d times", f.Most)
	} else if f.Part {
		many = "about " + many
	}
	if f.Appear < f.Rows {
		return fmt.Sprintf("%s takes equal values for one: only %d of %d rows of '%s' count", strings.Join(f.Aggregates, ", "), f.Appear, f.Rows,
			f.Table)
	}
	said := fmt.Sprintf("each row of '%s' appears %s in %s", f.Table, many, strings.Join(f.Aggregates, ", "))
	if len(by) > 0 {
		said += ": " + strings.Join(by, ", ")
	}
	return said
}

// times writes a mean: 2, 2.4, 1.05.
func times(f float64) string {
	if f < 1.1 {
		return strings.TrimSuffix(fmt.Sprintf("%.2f", f), "0")
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
}

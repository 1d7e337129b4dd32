package fanout

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/statement"
)

// Of a table with this many rows a part is looked at first, since to find a key twice
// needs few rows of most tables. Tests lower it.
var manyRows int64 = 1 << 18

// aPart is how many of its rows or keys stand for all.
const aPart = 1 << 11

// answer is what a quick look tells of a key.
type answer int

const (
	unknown answer = iota
	once           // no value occurs twice
	twice          // a value does
)

// large reports whether a relation is a table with very many rows.
func (g *graph) large(r *relation) bool {
	g.count(r)
	return r.rows >= manyRows
}

// oneOf is how many rows of a table stand for one that is looked at.
func (r *relation) oneOf() int64 { return max(r.rows/aPart, 2) }

// some is the condition that chooses about aPart of the values of keys.
func (g *graph) some(r *relation, keys []any) (any, error) {
	q, err := g.query(fmt.Sprintf("SELECT hash(a) %% %d = 0", r.oneOf()))
	if err != nil {
		return nil, err
	}
	n := list(q["select_list"])[0].(node)
	visit(n, func(n node) bool {
		if text(n, "function_name") == "hash" {
			n["children"] = keys
		}
		return true
	})
	return n, nil
}

// part is the condition that a part of a relation's rows is to stand for all, since the
// join has very many; nil: all are counted. They are chosen by what they are joined by,
// as their order may be another one each time.
func (g *graph) part(r *relation) (any, error) {
	if g.count(r); r.rows < 2*aPart && r.rows < manyRows || !slices.ContainsFunc(g.joined(), g.large) {
		return nil, nil //nolint:nilnil // documented
	}
	keys, _ := g.keys(r, g.joined())
	if keys = slices.DeleteFunc(keys, g.fixed); len(keys) == 0 {
		return nil, nil //nolint:nilnil // documented
	}
	return g.some(r, keys)
}

// figures counts the rows and the keys of tables in which a quick look has found a key
// twice: those of a part of the keys. One table alone repeats as often as it has rows.
func (g *graph) figures(all []Many) []Many {
	if len(all) == 1 {
		return all
	}
	all = slices.Clone(all)
	for i, m := range all {
		if m.Rows > 0 {
			continue
		}
		some, err := g.some(m.of, m.keys)
		if err == nil {
			var most int64
			err = g.grouped(m.of.node, append(slices.Clip(m.where), some), m.keys, &all[i].Rows, &all[i].Keys, &most)
		}
		g.missed = g.missed || err != nil
	}
	return all
}

// quick looks for a value that occurs twice in the cheap ways: bits for integers, and the
// first rows for others.
func (g *graph) quick(r *relation, where, keys []any) (answer, error) {
	if len(keys) == 1 {
		if a, err := g.bits(r, where, keys[0]); a != unknown || err != nil {
			return a, err
		}
	}
	first, err := g.query(fmt.Sprintf("SELECT * FROM (SELECT * FROM t LIMIT %d)", min(16*aPart, max(r.rows/2, 1))))
	if err != nil {
		return unknown, err
	}
	from, inner := child(first, "from_table"), clone(r.node).(node)
	from["alias"], inner["alias"] = r.id, ""
	child(child(from, "subquery"), "node")["from_table"] = inner
	var rows, values, most int64
	if err := g.grouped(from, where, keys, &rows, &values, &most); err != nil || most <= 1 {
		return unknown, err
	}
	return twice, nil
}

// bits reads an integer key of all rows until a value comes again. It gives up where the
// values do not lie near each other.
func (g *graph) bits(r *relation, where []any, key any) (answer, error) {
	q, err := g.query("SELECT a FROM t")
	if err != nil {
		return unknown, err
	}
	q["select_list"], q["from_table"], q["cte_map"] = []any{plain(key)}, r.node, node{"map": g.all}
	if len(where) > 0 {
		if q["where_clause"], err = g.both(where); err != nil {
			return unknown, err
		}
	}
	sql, err := g.print(q)
	if err != nil {
		return unknown, err
	}
	sel, err := statement.CheckWithResults(g.ctx, g.conn, sql)
	if err != nil || sel.Grows != nil {
		return unknown, err
	}
	rows, err := g.conn.Query(g.ctx, sel.SQL)
	if err != nil {
		return unknown, err
	}
	defer rows.Release()
	s := seen{pages: map[int64]*[1 << 10]uint64{}}
	for rows.Next() {
		column := rows.RecordBatch().Column(0)
		if column.NullN() > 0 {
			return unknown, nil
		}
		found := unknown
		switch values := column.(type) {
		case *array.Int64:
			found = see(&s, values.Int64Values())
		case *array.Int32:
			found = see(&s, values.Int32Values())
		case *array.Date32:
			found = see(&s, values.Date32Values())
		}
		if found != once {
			return found, nil
		}
	}
	return once, rows.Err()
}

// mostPages are 32 MB, whatever the number of rows.
const mostPages = 1 << 12

// seen has a bit for each value.
type seen struct {
	pages  map[int64]*[1 << 10]uint64
	page   *[1 << 10]uint64 // of the value before
	number int64
	rows   int
}

// see adds values: once says that all differ so far, unknown that nobody can tell.
func see[T ~int64 | ~int32](s *seen, values []T) answer {
	for _, value := range values {
		v := int64(value)
		if number := v >> 16; s.page == nil || number != s.number {
			if s.number, s.page = number, s.pages[number]; s.page == nil {
				if len(s.pages) > min(64+s.rows>>10, mostPages) { // they take more room than the values
					return unknown
				}
				s.page = new([1 << 10]uint64)
				s.pages[number] = s.page
			}
		}
		word, bit := &s.page[v>>6&(1<<10-1)], uint64(1)<<(v&63)
		if *word&bit != 0 {
			return twice
		}
		*word |= bit
	}
	s.rows += len(values)
	return once
}

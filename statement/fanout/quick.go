package fanout

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/statement"
)

// Of a table with this many rows a part is looked at first, since to find a key twice
// needs few rows of most tables. Tests lower it.
var manyRows int64 = 1 << 18

// aPart is how many of its rows or keys stand for all.
const aPart = 1 << 11

// manyBits is from how many rows on bits take less time than counting all keys.
const manyBits = 1 << 13

// fewKeys are enough to tell how often a row appears, if each does so very often.
const fewKeys = 256

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

// some is the condition that chooses one of so many values of keys.
func (g *graph) some(keys []any, oneOf int64) (any, error) {
	return g.hashOf(keys, fmt.Sprintf("hash(a) %% %d = 0", oneOf))
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
	oneOf := r.oneOf()
	for _, other := range g.joined() { // few keys with many rows each
		oneOf = max(oneOf, min(other.rows/(32*aPart), r.rows/fewKeys))
	}
	return g.some(keys, oneOf)
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
		some, err := g.some(m.keys, m.of.oneOf())
		if err == nil {
			var most int64
			err = g.grouped(m.of.node, append(slices.Clip(m.where), some), m.keys, &all[i].Rows, &all[i].Keys, &most)
		}
		g.missed = g.missed || err != nil
	}
	return all
}

// quick looks for a value that occurs twice in the cheap ways: bits for integers that lie near
// each other; for others the first rows, and then a set of hashes.
func (g *graph) quick(r *relation, where, keys []any) (answer, error) {
	large := g.large(r)
	if len(keys) == 1 && r.rows >= manyBits {
		s := seen{pages: map[int64]*[1 << 10]uint64{}}
		if a, err := g.scan(r, where, plain(keys[0]), s.see); a == once || a == twice && large || err != nil {
			return a, err
		}
	}
	if !large { // all keys are counted
		return unknown, nil
	}
	first, err := g.query(fmt.Sprintf("SELECT * FROM (SELECT * FROM t LIMIT %d)", min(16*aPart, max(r.rows/2, 1))))
	if err != nil {
		return unknown, err
	}
	from, inner := child(first, "from_table"), clone(r.node).(node)
	from["alias"], inner["alias"] = r.id, ""
	child(child(from, "subquery"), "node")["from_table"] = inner
	var rows, values, most int64
	if err := g.grouped(from, where, keys, &rows, &values, &most); err != nil || most > 1 {
		return twice, err
	}
	if r.rows > mostHashes {
		return unknown, nil
	}
	s := hashes{prints: make([]uint32, 1<<bits.Len64(uint64(r.rows+r.rows/2)))}
	hash, err := g.hashOf(keys, "hash(a)")
	if err != nil {
		return unknown, err
	}
	a, err := g.scan(r, where, hash, s.see)
	if a != twice || err != nil {
		return a, err
	}
	same, err := g.hashOf(keys, fmt.Sprintf("hash(a) = %d", s.again))
	if err == nil {
		err = g.grouped(r.node, append(slices.Clip(where), same), keys, &rows, &values, &most)
	}
	if most > 1 {
		return twice, err
	}
	return unknown, err // two different values share a hash
}

// hashOf is an expression that is written for one column a, over keys in its place.
func (g *graph) hashOf(keys []any, written string) (any, error) {
	tree, err := g.parse("SELECT " + written)
	if err != nil {
		return nil, err
	}
	n := list(child(tree, "node")["select_list"])[0].(node)
	visit(n, func(n node) bool {
		if text(n, "function_name") == "hash" {
			n["children"] = keys
			return false // a key may call hash, too
		}
		return true
	})
	return n, nil
}

// scan computes an expression for every row, and passes each batch to see. It stops as soon
// as see returns another answer than once.
func (g *graph) scan(r *relation, where []any, item any, see func(arrow.Array) answer) (answer, error) {
	q, err := g.query("SELECT a FROM t")
	if err != nil {
		return unknown, err
	}
	q["select_list"], q["from_table"], q["cte_map"] = []any{item}, r.node, node{"map": g.all}
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
	for rows.Next() {
		if found := see(rows.RecordBatch().Column(0)); found != once {
			return found, nil
		}
	}
	return once, rows.Err()
}

// mostHashes is how many rows have a set of at most 64 MB.
const mostHashes = 1 << 25 / 3

// hashes is a set of hashes. It keeps 32 bits of each; other bits choose the place.
type hashes struct {
	prints []uint32 // 0: free
	used   int
	again  uint64 // the hash that came again
}

func (s *hashes) see(column arrow.Array) answer {
	values, ok := column.(*array.Uint64)
	if !ok {
		return unknown
	}
	last := uint64(len(s.prints) - 1)
	if s.used += values.Len(); s.used > len(s.prints)/2+len(s.prints)/4 { // more rows than were counted
		return unknown
	}
	for _, h := range values.Uint64Values() {
		at, print := h&last, max(uint32(h>>32), 1)
		for s.prints[at] != 0 {
			if s.prints[at] == print {
				s.again = h
				return twice
			}
			at = (at + 1) & last
		}
		s.prints[at] = print
	}
	return once
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

// see adds a column of integers: once says that all differ so far, unknown that nobody can tell.
func (s *seen) see(column arrow.Array) answer {
	if column.NullN() > 0 {
		return unknown
	}
	switch values := column.(type) {
	case *array.Int64:
		return add(s, values.Int64Values())
	case *array.Int32:
		return add(s, values.Int32Values())
	case *array.Date32:
		return add(s, values.Date32Values())
	}
	return unknown
}

func add[T ~int64 | ~int32](s *seen, values []T) answer {
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

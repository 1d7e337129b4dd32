package fanout

import (
	"fmt"
	"slices"

	"github.com/agnes-data/da/internal/engine/unique"
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
	if g.count(r); r.rows < 0 || !slices.ContainsFunc(g.joined(), g.large) {
		return nil, nil //nolint:nilnil // documented
	}
	keys, _ := g.keys(r, g.joined())
	oneOf := r.rows / aPart
	if r.rows >= manyRows {
		oneOf = r.oneOf()
	}
	for _, other := range g.joined() { // few keys with many rows each
		oneOf = max(oneOf, min(other.rows/(32*aPart), r.rows/fewKeys))
	}
	if keys = slices.DeleteFunc(keys, g.fixed); len(keys) == 0 || oneOf < 2 {
		return nil, nil //nolint:nilnil // documented
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
func (g *graph) quick(r *relation, where, keys []any) (unique.Answer, error) {
	large := g.large(r)
	if len(keys) == 1 && r.rows >= manyBits {
		if a, err := g.scan(r, where, plain(keys[0]), unique.NearOf(0)); a == unique.Once || a == unique.Twice && large || err != nil {
			return a, err
		}
	}
	if !large { // all keys are counted
		return unique.Unknown, nil
	}
	first, err := g.query(fmt.Sprintf("SELECT * FROM (SELECT * FROM t LIMIT %d)", min(16*aPart, max(r.rows/2, 1))))
	if err != nil {
		return unique.Unknown, err
	}
	from, inner := child(first, "from_table"), clone(r.node).(node)
	from["alias"], inner["alias"] = r.id, ""
	child(child(from, "subquery"), "node")["from_table"] = inner
	var rows, values, most int64
	if err := g.grouped(from, where, keys, &rows, &values, &most); err != nil || most > 1 {
		return unique.Twice, err
	}
	if r.rows > unique.MostHashes {
		return unique.Unknown, nil
	}
	s := unique.HashesOf(r.rows)
	hash, err := g.hashOf(keys, "hash(a)")
	if err != nil {
		return unique.Unknown, err
	}
	a, err := g.scan(r, where, hash, s)
	if a != unique.Twice || err != nil {
		return a, err
	}
	same, err := g.hashOf(keys, fmt.Sprintf("hash(a) = %d", s.Again))
	if err == nil {
		err = g.grouped(r.node, append(slices.Clip(where), same), keys, &rows, &values, &most)
	}
	if most > 1 {
		return unique.Twice, err
	}
	return unique.Unknown, err // two different values share a hash
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

// scan computes an expression for every row, and shows each batch to a set. It stops as soon
// as that returns another answer than Once.
func (g *graph) scan(r *relation, where []any, item any, set unique.Set) (unique.Answer, error) {
	q, err := g.query("SELECT a FROM t")
	if err != nil {
		return unique.Unknown, err
	}
	q["select_list"], q["from_table"], q["cte_map"] = []any{item}, r.node, node{"map": g.all}
	if len(where) > 0 {
		if q["where_clause"], err = g.both(where); err != nil {
			return unique.Unknown, err
		}
	}
	sql, err := g.print(q)
	if err != nil {
		return unique.Unknown, err
	}
	sel, err := statement.CheckWithResults(g.ctx, g.conn, sql)
	if err != nil || sel.Grows != nil {
		return unique.Unknown, err
	}
	rows, err := g.conn.Query(g.ctx, sel.SQL)
	if err != nil {
		return unique.Unknown, err
	}
	defer rows.Release()
	for rows.Next() {
		if found := set.See(rows.RecordBatch().Column(0)); found != unique.Once {
			return found, nil
		}
	}
	return set.End(), rows.Err()
}

package fanout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// node is a part of the engine's tree of a statement, with all its properties: only
// whole trees become text again. Numbers keep their digits.
type node = map[string]any

// parser turns texts into trees and back, by the engine's own parser.
type parser struct {
	ctx    context.Context //nolint:containedctx // of one call of Find
	conn   *duckdb.Conn
	tables Tables
}

var errNotUnderstood = errors.New("fanout: this statement is not understood")

// parse returns the tree of a SELECT.
func (p *parser) parse(sql string) (any, error) {
	var tree string
	if err := p.conn.QueryRow(p.ctx, "SELECT json_serialize_sql($1::VARCHAR)::VARCHAR", []any{sql}, &tree); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader([]byte(tree)))
	d.UseNumber()
	var whole struct{ Statements []any }
	if err := d.Decode(&whole); err != nil || len(whole.Statements) != 1 {
		return nil, errNotUnderstood
	}
	return whole.Statements[0], nil
}

// query returns the query node of a text of ours, which the caller can change.
func (p *parser) query(sql string) (node, error) {
	if tree, ok := templates.Load(sql); ok {
		return child(clone(tree), "node"), nil
	}
	tree, err := p.parse(sql)
	if err == nil {
		templates.Store(sql, clone(tree))
	}
	return child(tree, "node"), err
}

// templates are the trees of our few texts.
var templates sync.Map

// print returns the text of a query node. The engine writes each name and value of the
// tree anew.
func (p *parser) print(q node) (string, error) {
	tree, err := json.Marshal(node{"error": false, "statements": []any{node{"node": q, "named_param_map": []any{}}}})
	if err != nil {
		return "", err
	}
	var sql string
	err = p.conn.QueryRow(p.ctx, "SELECT json_deserialize_sql($1::JSON)", []any{string(tree)}, &sql)
	return sql, err
}

// expr returns the text of an expression; empty if it has none.
func (p *parser) expr(e any) string {
	q, err := p.query("SELECT 1")
	if err != nil {
		return ""
	}
	q["select_list"] = []any{plain(e)}
	sql, _ := p.print(q) // what cannot be printed has no text
	return strings.ReplaceAll(strings.TrimPrefix(sql, "SELECT "), "count_star()", "count(*)")
}

// run proves a SELECT of three counts like any statement, and runs it.
func (p *parser) run(sql string, dest ...any) error {
	sel, err := statement.CheckWithResults(p.ctx, p.conn, sql)
	if err != nil {
		return err
	}
	if sel.Grows != nil { // its memory has no bound, and once is enough
		return sel.Grows
	}
	return p.conn.QueryRow(p.ctx, sel.SQL, nil, dest...)
}

// text returns a text property in lower case if it is a name of the language.
func text(n node, key string) string {
	s, _ := n[key].(string)
	return s
}

// child returns v[key] as a node; nil if it is not one.
func child(v any, key string) node {
	n, _ := v.(node)
	n, _ = n[key].(node)
	return n
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func names(v any) []string {
	var out []string
	for _, item := range list(v) {
		s, _ := item.(string)
		out = append(out, s)
	}
	return out
}

// clone copies a tree.
func clone(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	case node:
		out := make(node, len(v))
		for key, item := range v {
			out[key] = clone(item)
		}
		return out
	}
	return v
}

// plain copies an expression without the name that it gets.
func plain(e any) any {
	e = clone(e)
	if n, ok := e.(node); ok && n["alias"] != nil {
		n["alias"] = ""
	}
	return e
}

// identity is the same for two expressions that compute the same of the same columns.
func identity(e any) string {
	e = plain(e)
	visit(e, func(n node) bool {
		delete(n, "query_location")
		return true
	})
	b, _ := json.Marshal(e) // cannot fail: it came as JSON
	return string(b)
}

// visit calls f for each node from the outside to the inside, as long as it returns
// true.
func visit(v any, f func(node) bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			visit(item, f)
		}
	case node:
		if !f(v) {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(v[key], f)
		}
	}
}

// conjuncts are the conditions that all hold where e does.
func conjuncts(e any) []any {
	n, _ := e.(node)
	switch {
	case n == nil:
		return nil
	case text(n, "type") != "CONJUNCTION_AND":
		return []any{e}
	}
	var out []any
	for _, c := range list(n["children"]) {
		out = append(out, conjuncts(c)...)
	}
	return out
}

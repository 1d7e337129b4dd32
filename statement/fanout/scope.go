package fanout

import (
	"encoding/json"
	"slices"
	"strings"
)

// scope is what expressions of a SELECT can name.
type scope struct {
	sources []*source
	items   []any  // of the SELECT, which other parts of it can name
	within  int    // how deep names of items lead to others
	outer   *scope // what stands to the left of a query in FROM, which LATERAL can name; may be nil
}

// source is an item of FROM: a relation, or a query that was opened.
type source struct {
	alias   string
	rel     *relation
	columns []output
}

// output is a column of an opened query: an expression over relations.
type output struct {
	name string
	expr any
}

// column returns the expression of a column; nil if the source has none. sure says that
// the source was named.
func (s *source) column(name string, sure bool, ref node) any {
	if s.rel == nil {
		for _, c := range s.columns {
			if strings.EqualFold(c.name, name) {
				return plain(c.expr)
			}
		}
		return nil
	}
	i := slices.IndexFunc(s.rel.columns, func(c string) bool { return strings.EqualFold(c, name) })
	if i >= 0 {
		name = s.rel.columns[i]
	} else if !sure || s.rel.columns != nil {
		return nil
	}
	out := plain(ref).(node)
	out["column_names"] = []any{s.rel.id, name}
	return out
}

// resolve returns an expression that names columns by the ids of relations.
func (s *scope) resolve(e any) (any, error) {
	switch v := e.(type) {
	case []any:
		return s.resolveAll(v)
	case node:
		switch text(v, "class") {
		case "COLUMN_REF":
			return s.reference(v)
		case "STAR", "LAMBDA", "POSITIONAL_REFERENCE":
			return nil, errNotUnderstood
		}
		if v["subquery"] != nil && text(v, "class") == "SUBQUERY" {
			return s.subquery(v)
		}
		out := make(node, len(v))
		for key, item := range v {
			r, err := s.resolve(item)
			if err != nil {
				return nil, err
			}
			out[key] = r
		}
		return out, nil
	}
	return e, nil
}

func (s *scope) resolveAll(all []any) ([]any, error) {
	out := make([]any, len(all))
	for i, e := range all {
		r, err := s.resolve(e)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// reference resolves the name of a column: of a source, of any source, or of an item.
func (s *scope) reference(ref node) (any, error) {
	parts := names(ref["column_names"])
	if len(parts) > 1 {
		for _, src := range s.sources {
			if strings.EqualFold(src.alias, parts[0]) {
				if found := src.column(parts[1], true, ref); found != nil {
					return field(found, parts[2:])
				}
			}
		}
	}
	for _, src := range s.sources {
		if found := src.column(parts[0], false, ref); found != nil {
			return field(found, parts[1:])
		}
	}
	for _, item := range s.items {
		n, _ := item.(node)
		if len(parts) == 1 && strings.EqualFold(text(n, "alias"), parts[0]) && s.within < 5 {
			return (&scope{s.sources, s.items, s.within + 1, s.outer}).resolve(plain(item))
		}
	}
	if s.outer != nil {
		return s.outer.reference(ref)
	}
	return nil, errNotUnderstood
}

// field adds fields of a struct to a column.
func field(e any, fields []string) (any, error) {
	if len(fields) == 0 {
		return e, nil
	}
	n := e.(node)
	if text(n, "class") != "COLUMN_REF" {
		return nil, errNotUnderstood
	}
	parts := list(n["column_names"])
	for _, f := range fields {
		parts = append(parts, f)
	}
	n["column_names"] = parts
	return n, nil
}

// subquery resolves what a query in an expression names of the outer one: columns with
// the name of a source that it does not have itself.
func (s *scope) subquery(v node) (any, error) {
	out := clone(v).(node)
	if v["child"] != nil {
		c, err := s.resolve(v["child"])
		if err != nil {
			return nil, err
		}
		out["child"] = c
	}
	own := map[string]bool{}
	visit(out["subquery"], func(n node) bool {
		own[strings.ToLower(text(n, "alias"))], own[strings.ToLower(text(n, "table_name"))] = true, true
		return true
	})
	visit(out["subquery"], func(n node) bool {
		parts := names(n["column_names"])
		if text(n, "class") != "COLUMN_REF" || len(parts) < 2 || own[strings.ToLower(parts[0])] {
			return true
		}
		if r, err := s.reference(n); err == nil {
			for key, item := range r.(node) {
				n[key] = item
			}
			return false
		}
		return true
	})
	return out, nil
}

// outputs are the columns of a SELECT over the scope; nil items: all.
func (s *scope) outputs(items []any) (out []output, err error) {
	if items == nil {
		items = []any{node{"class": "STAR"}}
	}
	for _, item := range items {
		n, _ := item.(node)
		if text(n, "class") == "STAR" {
			all, err := s.star(n)
			if err != nil {
				return nil, err
			}
			out = append(out, all...)
			continue
		}
		e, err := s.resolve(item)
		if err != nil {
			return nil, err
		}
		name := text(n, "alias")
		if parts := names(n["column_names"]); name == "" && len(parts) > 0 {
			name = parts[len(parts)-1]
		}
		out = append(out, output{name, plain(e)})
	}
	return out, nil
}

// star are the columns of all sources, or of one.
func (s *scope) star(n node) (out []output, err error) {
	if len(list(n["replace_list"])) > 0 || len(list(n["rename_list"])) > 0 {
		return nil, errNotUnderstood
	}
	without := names(n["exclude_list"])
	for _, src := range s.sources {
		if of := text(n, "relation_name"); of != "" && !strings.EqualFold(of, src.alias) {
			continue
		}
		columns := src.columns
		if src.rel != nil {
			if src.rel.columns == nil {
				return nil, errNotUnderstood
			}
			for _, c := range src.rel.columns {
				columns = append(columns, output{c, node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "query_location": 0,
					"column_names": []any{src.rel.id, c}}})
			}
		}
		for _, c := range columns {
			if !slices.ContainsFunc(without, func(w string) bool { return strings.EqualFold(w, c.name) }) {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// number is the text of a number in the tree.
func number(v any) string {
	n, _ := v.(json.Number)
	return n.String()
}

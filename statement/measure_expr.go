package statement

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agnes-data/da/internal/guard/growth"
)

// maxSteps bounds the measuring: the engine's trees have many nodes.
const maxSteps = 2_000_000

// expr bounds an expression.
func (m *meter) expr(v any, p exprScope) growth.Size {
	node := child(v, "")
	if node == nil || m.TooLarge != nil {
		return growth.Size{}
	}
	m.see(node)
	m.Step()
	switch name(node, "class") {
	case "CONSTANT":
		return growth.Size{Nodes: 1, Text: max(growth.ValueText, int64(len(written(node))))}
	case "COLUMN_REF":
		return m.column(texts(node["column_names"]), p.scope)
	case "POSITIONAL_REFERENCE", "STAR":
		s := growth.Column
		for sc := p.scope; sc != nil; sc = sc.Outer {
			if name(node, "class") == "STAR" && node["columns"] != true {
				s = s.Max(sc.From.All)
			} else {
				s = s.Max(sc.From.Any)
			}
		}
		return s.Plus(m.sumAll(node["expr"], p))
	case "COMPARISON", "BETWEEN", "CONJUNCTION":
		return growth.Size{Nodes: m.below(node, p).Nodes + 1, Text: growth.ValueText}
	case "CASE":
		return m.branches(node, p)
	case "CAST":
		s := m.expr(node["child"], p)
		if id := name(child(node["cast_type"], ""), "id"); id == "VARCHAR" || id == "JSON" {
			s.Text = growth.Product(s.Text, 2) // texts in lists are quoted
		}
		return growth.Size{Nodes: s.Nodes + 1, Text: s.Text}
	case "SUBQUERY":
		r := m.query(child(child(node, "subquery"), "node"), p)
		s := growth.Size{Nodes: growth.Sum(r.Nodes, 1), Text: r.All.Text}
		if name(node, "subquery_type") != "SCALAR" {
			s.Text = growth.ValueText
		}
		return s.Plus(growth.Size{Nodes: m.expr(node["child"], p).Nodes})
	case "FUNCTION", "WINDOW":
		return m.call(node, p)
	}
	s := m.below(node, p)
	return growth.Size{Nodes: growth.Sum(s.Nodes, 1), Text: s.Text}
}

// column measures a column reference, with its qualifiers and fields.
func (m *meter) column(parts []string, scope *growth.Scope) growth.Size {
	s := growth.Size{Nodes: 1}
	for i, part := range parts {
		if i+1 < len(parts) {
			s = s.Max(scope.FindIn(part, parts[i+1]))
		} else if i == 0 {
			s = s.Max(scope.Find(part))
		}
	}
	return s
}

// sumAll adds up the expressions in a place, however deep they are in it.
func (m *meter) sumAll(v any, p exprScope) growth.Size {
	switch v := v.(type) {
	case []any:
		s := growth.Size{}
		for _, item := range v {
			s = s.Plus(m.sumAll(item, p))
		}
		return s
	case map[string]any:
		if _, ok := v["class"]; ok {
			return m.expr(v, p)
		}
		return m.below(v, p)
	}
	return growth.Size{}
}

// below adds up the nodes below a node.
func (m *meter) below(node map[string]any, p exprScope) growth.Size {
	s := growth.Size{}
	for key, v := range node {
		if key != "cast_type" {
			s = s.Plus(m.sumAll(v, p))
		}
	}
	return s
}

// branches bounds a CASE, whose value is that of one branch.
func (m *meter) branches(node map[string]any, p exprScope) growth.Size {
	s := m.expr(node["else_expr"], p)
	for _, check := range list(node["case_checks"]) {
		branch := child(check, "")
		when, then := m.expr(branch["when_expr"], p), m.expr(branch["then_expr"], p)
		s = growth.Size{Nodes: growth.Sum(s.Nodes, growth.Sum(when.Nodes, then.Nodes)), Text: max(s.Text, then.Text)}
	}
	s.Nodes = growth.Sum(s.Nodes, 1)
	return s
}

// call measures a call and checks the size of its text.
func (m *meter) call(node map[string]any, p exprScope) growth.Size {
	at := m.At
	children := list(node["children"])
	function := lower(name(node, "function_name"))
	lambda := slices.IndexFunc(children, func(c any) bool { return name(child(c, ""), "class") == "LAMBDA" })
	rest := growth.Size{}
	for key, v := range node {
		if key != "children" {
			rest = rest.Plus(m.sumAll(v, p))
		}
	}
	if schema := name(node, "schema"); schema != "" && schema != "main" && schema != "pg_catalog" {
		// The part before the name can be a column.
		children = append([]any{map[string]any{"class": "COLUMN_REF", "column_names": []any{schema}}}, children...)
	}
	var s growth.Size
	if lambda > 0 {
		s = m.lambda(function, children, lambda, p)
	} else {
		args := make([]growth.Arg, len(children))
		for i, c := range children {
			args[i] = growth.Arg{Size: m.expr(c, p)}
			if n := child(c, ""); name(n, "class") == "CONSTANT" {
				args[i].Literal, args[i].Written = true, written(n)
			}
		}
		s = growth.Call(function, args)
	}
	s.Nodes = growth.Sum(s.Nodes, rest.Nodes)
	if m.At = at; s.Text > growth.MaxText {
		m.Made(s)
	}
	return s
}

// reduces are the functions whose lambda gets its own previous result.
var reduces = map[string]bool{"list_reduce": true, "array_reduce": true, "reduce": true}

// lambda measures a call with a lambda. It is called for each element, or for the
// previous result and the next element.
func (m *meter) lambda(function string, children []any, at int, p exprScope) growth.Size {
	node := child(children[at], "")
	s := growth.Size{Nodes: 1}
	for i, c := range children {
		if i != at {
			s = s.Plus(m.expr(c, p))
		}
	}
	body := func(text int64) growth.Size {
		named := &growth.Relation{}
		for i, param := range lambdaParams(node["lhs"]) {
			if i > 0 {
				text = growth.ColumnText
			}
			named.Define(param, growth.Size{Nodes: 1, Text: text})
		}
		return m.expr(node["expr"], p.in(named))
	}
	once, twice := body(growth.ColumnText), body(2*growth.ColumnText)
	s.Nodes = growth.Sum(s.Nodes, once.Nodes)
	if reduces[function] && twice.Text-once.Text > growth.ColumnText {
		s.Text = growth.Unbounded // each round can multiply the length
		return s
	}
	factor := growth.Sum(once.Text, growth.ColumnText-1) / growth.ColumnText
	s.Text = growth.Product(growth.Sum(s.Text, growth.ValueText), max(1, factor))
	return s
}

// lambdaParams are the names of a lambda's parameters.
func lambdaParams(v any) []string {
	node := child(v, "")
	if name(node, "class") == "COLUMN_REF" {
		return texts(node["column_names"])
	}
	var out []string
	for _, c := range list(node["children"]) {
		out = append(out, lambdaParams(c)...)
	}
	return out
}

// written returns the text of a constant.
func written(node map[string]any) string {
	v := child(node["value"], "")
	if v == nil || v["value"] == nil {
		return ""
	}
	if s, ok := v["value"].(string); ok {
		return s
	}
	if n, ok := v["value"].(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v["value"])
}

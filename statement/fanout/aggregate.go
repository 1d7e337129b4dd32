package fanout

import (
	"slices"
	"strings"
)

// additive are the aggregates whose value depends on how often a row appears.
var additive = map[string]bool{
	"sum": true, "sum_no_overflow": true, "fsum": true, "kahan_sum": true, "sumkahan": true, "product": true,
	"count": true, "count_star": true, "count_if": true, "countif": true,
	"avg": true, "mean": true, "favg": true, "median": true, "mad": true,
	"quantile": true, "quantile_cont": true, "quantile_disc": true, "approx_quantile": true, "reservoir_quantile": true,
	"stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true, "sem": true,
}

// Counts reports whether a function, in lower case, is one of those that Find judges.
func Counts(function string) bool { return additive[function] }

// aggregate is one that a SELECT computes of its joined rows.
type aggregate struct {
	node       node
	partitions []any // of a window; nil: it groups as its SELECT does
	window     bool
}

// aggregatesOf finds the additive aggregates of a SELECT, without those of queries in
// it.
func aggregatesOf(q node) (found []aggregate) {
	var windows []aggregate
	grouped := len(list(q["group_expressions"])) > 0 || text(q, "aggregate_handling") == "FORCE_AGGREGATES"
	look := func(n node) bool {
		called := additive[strings.ToLower(text(n, "function_name"))]
		switch text(n, "class") {
		case "SUBQUERY":
			return false
		case "FUNCTION":
			if called {
				found = append(found, aggregate{node: n})
			}
		case "WINDOW":
			if called {
				windows = append(windows, aggregate{n, list(n["partitions"]), true})
			}
		}
		return true
	}
	for _, part := range []string{"select_list", "having", "qualify", "modifiers"} {
		visit(q[part], look)
	}
	if len(found) == 0 && !grouped {
		found = windows
	}
	return slices.DeleteFunc(found, func(a aggregate) bool {
		name := strings.ToLower(text(a.node, "function_name"))
		return a.node["distinct"] == true && (a.window || !strings.Contains(name, "sum") && name != "avg" && name != "mean")
	})
}

// measure is a sum of values that are of some tables.
type measure struct {
	of     []*relation // one of them must not be repeated
	rows   bool        // it counts rows, of whatever table
	filter []any       // conditions for a row to count
	groups []any
	value  any // rows with equal values count once; nil: all rows count
}

// measures splits an aggregate into sums over different tables; none if it is not
// understood.
func (g *graph) measures(a aggregate) []measure {
	m := measure{groups: g.groups}
	var err error
	if a.window {
		if m.groups, err = g.top.resolveAll(a.partitions); err != nil {
			return nil
		}
	}
	for _, key := range []string{"filter", "filter_expr"} {
		if a.node[key] == nil {
			continue
		}
		f, err := g.top.resolve(a.node[key])
		if err != nil {
			return nil
		}
		m.filter = append(m.filter, f)
	}
	args, err := g.top.resolveAll(list(a.node["children"]))
	if err != nil {
		return nil
	}
	name := strings.ToLower(text(a.node, "function_name"))
	if len(args) == 0 || name == "count_if" || name == "countif" {
		return []measure{g.counting(m, args)}
	}
	if a.node["distinct"] == true {
		m.of, m.value = g.refs(args), args[0]
		return []measure{m}
	}
	var out []measure
	for _, term := range terms(args[0], name) {
		out = append(out, g.valued(m, term))
	}
	return out
}

// terms are what a sum adds up of different tables: sum(a + b) is sum(a) + sum(b).
func terms(e any, of string) []any {
	n, _ := e.(node)
	if op := text(n, "function_name"); n["is_operator"] == true && (op == "+" || op == "-") &&
		(strings.Contains(of, "sum") || of == "avg" || of == "mean") {
		var out []any
		for _, c := range list(n["children"]) {
			out = append(out, terms(c, of)...)
		}
		return out
	}
	return []any{e}
}

// valued is the measure of one value: of the tables that it comes from, where the
// conditions of a CASE only choose rows.
func (g *graph) valued(m measure, e any) measure {
	if n, _ := e.(node); text(n, "class") == "CASE" {
		checks := list(n["case_checks"])
		var values []any
		for _, c := range checks {
			values = append(values, child(c, "then_expr"))
		}
		if len(checks) == 1 && isNothing(n["else_expr"]) {
			m.filter = append(slices.Clip(m.filter), child(checks[0], "when_expr"))
		} else {
			values = append(values, n["else_expr"])
		}
		e = values
	}
	if m.of = g.refs(e); len(m.of) == 0 {
		return g.counting(m, nil)
	}
	return m
}

// counting is the measure that counts joined rows: right if those of one table appear
// once.
func (g *graph) counting(m measure, condition []any) measure {
	m.filter = append(slices.Clip(m.filter), condition...)
	m.rows, m.of = true, g.joined()
	return m
}

// isNothing says that an expression adds nothing to a sum: NULL or 0.
func isNothing(e any) bool {
	n, _ := e.(node)
	if n == nil {
		return true
	}
	v := child(n, "value")
	return text(n, "class") == "CONSTANT" && (v["is_null"] == true || number(v["value"]) == "0")
}

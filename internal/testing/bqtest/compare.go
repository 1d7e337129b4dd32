package bqtest

import (
	"fmt"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
	"github.com/cloudspannerecosystem/memefish/token"
)

// isDistinct says that the operator was written IS [NOT] DISTINCT FROM.
func (x *translator) isDistinct(e *ast.BinaryExpr) bool {
	for _, at := range x.p.distinct {
		if token.Pos(at) >= e.Left.End() && token.Pos(at) <= e.Right.Pos() {
			return true
		}
	}
	return false
}

// unify gives two values one type, as GoogleSQL does where they meet.
func unify(a, b val) (val, val, error) {
	t, err := supertype(a, b)
	if err != nil {
		return a, b, err
	}
	return as(a, t), as(b, t), nil
}

// supertype is the type that values have in common; a literal takes that of
// what it meets.
func supertype(vals ...val) (typ, error) {
	var out typ
	literals := true
	for _, v := range vals {
		if v.typ.kind == "" {
			continue
		}
		switch {
		case out.kind == "" || literals && v.lit == nil && fits(out.kind, v.typ.kind):
			out, literals = v.typ, v.lit != nil
		case v.typ.kind == out.kind, v.lit != nil && fits(v.typ.kind, out.kind):
		case v.lit != nil && fits(out.kind, v.typ.kind) && literals:
			out = v.typ
		default:
			wider := map[[2]string]string{
				{"INT64", "FLOAT64"}: "FLOAT64", {"INT64", "NUMERIC"}: "NUMERIC", {"NUMERIC", "FLOAT64"}: "FLOAT64", {"DATE", "DATETIME"}: "DATETIME",
			}
			w := wider[[2]string{v.typ.kind, out.kind}] + wider[[2]string{out.kind, v.typ.kind}]
			if w == "" {
				return out, cannot("%s beside %s", v.typ.kind, out.kind)
			}
			out = scalar(w)
		}
		literals = literals && v.lit != nil
	}
	if out.kind == "" {
		out = scalar("INT64")
	}
	return out, nil
}

// fits says that a literal of one type may stand for another.
func fits(lit, kind string) bool {
	switch lit {
	case "INT64":
		return kind == "NUMERIC" || kind == "FLOAT64"
	case "FLOAT64":
		return kind == "NUMERIC"
	case "STRING":
		return kind == "DATE" || kind == "DATETIME" || kind == "TIMESTAMP" || kind == "TIME" || kind == "BYTES" && false
	}
	return false
}

func as(v val, t typ) val {
	if v.typ.kind == t.kind || v.typ.kind == "" {
		return v
	}
	sql := v.sql
	if v.lit != nil {
		sql = literal(*v.lit)
	}
	return val{sql: "CAST(" + sql + " AS " + t.engine() + ")", typ: t}
}

// compare follows GoogleSQL for NaN: it is equal to nothing, and neither below
// nor above anything.
func compare(op ast.BinaryOp, a, b val) (val, error) {
	a, b, err := unify(a, b)
	if err != nil {
		return val{}, err
	}
	if t := orKind(a, b); t.is("STRUCT", "ARRAY", "JSON", "GEOGRAPHY", "BIGNUMERIC") {
		return val{}, cannot("comparisons of %s", t.kind)
	} else if t.kind == "FLOAT64" {
		names := map[ast.BinaryOp]string{ast.OpEqual: "bq_eq", ast.OpNotEqual: "bq_ne", ast.OpLess: "bq_lt", ast.OpLessEqual: "bq_le"}
		switch op {
		case ast.OpGreater:
			a, b, op = b, a, ast.OpLess
		case ast.OpGreaterEqual:
			a, b, op = b, a, ast.OpLessEqual
		}
		return of("BOOL", "%s(%s, %s)", names[op], a.sql, b.sql), nil
	}
	return of("BOOL", "%s %s %s", a.sql, op, b.sql), nil
}

func orKind(a, b val) typ {
	if a.typ.kind == "" {
		return b.typ
	}
	return a.typ
}

func (x *translator) in(e *ast.InExpr) (val, error) {
	list, ok := e.Right.(*ast.ValuesInCondition)
	if !ok {
		return val{}, cannot("IN with a query")
	}
	left, err := x.expr(e.Left)
	if err != nil {
		return val{}, err
	}
	terms := make([]string, len(list.Exprs))
	for i, item := range list.Exprs {
		v, err := x.expr(item)
		if err != nil {
			return val{}, err
		}
		c, err := compare(ast.OpEqual, left, v)
		if err != nil {
			return val{}, err
		}
		terms[i] = c.sql
	}
	return of("BOOL", "%s(%s)", notWord(e.Not), strings.Join(terms, " OR ")), nil
}

func (x *translator) between(e *ast.BetweenExpr) (val, error) {
	v, low, err := x.two(e.Left, e.RightStart)
	if err != nil {
		return val{}, err
	}
	high, err := x.expr(e.RightEnd)
	if err != nil {
		return val{}, err
	}
	a, err := compare(ast.OpGreaterEqual, v, low)
	if err != nil {
		return val{}, err
	}
	b, err := compare(ast.OpLessEqual, v, high)
	return of("BOOL", "%s(%s AND %s)", notWord(e.Not), a.sql, b.sql), err
}

func (x *translator) like(e *ast.BinaryExpr) (val, error) {
	left, err := x.expr(e.Left)
	if err != nil {
		return val{}, err
	}
	patterns, join := []ast.Expr{e.Right}, " OR "
	if c, ok := e.Right.(*ast.CallExpr); ok && (named(c, callAny) || named(c, callAll)) {
		patterns = nil
		for _, a := range c.Args {
			arg, ok := a.(*ast.ExprArg)
			if !ok {
				return val{}, cannot("this LIKE")
			}
			patterns = append(patterns, arg.Expr)
		}
		if named(c, callAll) {
			join = " AND "
		}
	}
	var terms []string
	for _, p := range patterns {
		v, err := x.expr(p)
		if err != nil {
			return val{}, err
		}
		if !left.typ.is("STRING", "") || !v.typ.is("STRING", "") {
			return val{}, cannot("LIKE of %s", left.typ.kind)
		}
		terms = append(terms, fmt.Sprintf(`%s LIKE %s ESCAPE '\'`, left.sql, v.sql))
	}
	return of("BOOL", "%s(%s)", notWord(e.Op == ast.OpNotLike), strings.Join(terms, join)), nil
}

func named(c *ast.CallExpr, name string) bool {
	return len(c.Func.Idents) == 1 && strings.EqualFold(c.Func.Idents[0].Name, name)
}

// arithmetic follows GoogleSQL: / makes a FLOAT64 and fails at 0, days may be
// added to a DATE, an INTERVAL to a point in time.
func arithmetic(op ast.BinaryOp, a, b val) (val, error) {
	if out, ok := moments(op, a, b); ok {
		return out, nil
	}
	if !a.typ.numeric() && a.typ.kind != "" || !b.typ.numeric() && b.typ.kind != "" {
		return val{}, cannot("%s %s %s", a.typ.kind, op, b.typ.kind)
	}
	a, b, err := unify(a, b)
	if err != nil {
		return val{}, err
	}
	t := orKind(a, b)
	switch {
	case op == ast.OpDiv && t.kind != "NUMERIC":
		return of("FLOAT64", "bq_div(CAST(%s AS DOUBLE), CAST(%s AS DOUBLE))", a.sql, b.sql), nil
	case t.kind == "NUMERIC" && op != ast.OpAdd && op != ast.OpSub:
		return val{}, cannot("%s of NUMERIC", op)
	case op == ast.OpAdd, op == ast.OpSub, op == ast.OpMul:
		return of(t.kind, "%s %s %s", a.sql, op, b.sql), nil
	}
	return val{}, cannot("the operator %s", op)
}

func moments(op ast.BinaryOp, a, b val) (val, bool) {
	if op != ast.OpAdd && op != ast.OpSub {
		return val{}, false
	}
	switch {
	case a.typ.kind == "DATE" && b.typ.kind == "INT64":
		return of("DATE", "CAST(%s %s to_days(CAST(%s AS INTEGER)) AS DATE)", a.sql, op, b.sql), true
	case a.typ.is("DATE", "DATETIME") && b.typ.kind == "INTERVAL":
		return of("DATETIME", "CAST(%s AS TIMESTAMP) %s %s", a.sql, op, b.sql), true
	case a.typ.kind == "TIMESTAMP" && b.typ.kind == "INTERVAL":
		return of("TIMESTAMP", "%s %s %s", a.sql, op, b.sql), true
	}
	return val{}, false
}

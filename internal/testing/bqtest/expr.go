package bqtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish/ast"
)

// val is an expression in the engine's SQL.
type val struct {
	sql  string
	typ  typ
	name string // of a column, for the select list
	// lit is the text of a literal that other types may take over; nil: none.
	lit *string
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// of makes a value of a scalar type from a format with its operands.
func of(kind, format string, args ...any) val {
	return val{sql: "(" + fmt.Sprintf(format, args...) + ")", typ: scalar(kind)}
}

// condition is a boolean.
func (x *translator) condition(e ast.Expr) (string, error) {
	v, err := x.expr(e)
	if err == nil && !v.typ.is("BOOL", "") {
		err = invalid("a condition must be BOOL, not %s", v.typ.kind)
	}
	return v.sql, err
}

func (x *translator) expr(e ast.Expr) (val, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return x.expr(e.Expr)
	case *ast.Ident:
		return x.path([]*ast.Ident{e})
	case *ast.Path:
		return x.path(e.Idents)
	case *ast.SelectorExpr:
		v, err := x.expr(e.Expr)
		if err != nil {
			return val{}, err
		}
		return member(v, e.Ident.Name)
	case *ast.IndexExpr:
		return x.index(e)
	case *ast.BinaryExpr:
		return x.binary(e)
	case *ast.UnaryExpr:
		return x.unary(e)
	case *ast.InExpr:
		return x.in(e)
	case *ast.BetweenExpr:
		return x.between(e)
	case *ast.IsNullExpr:
		v, err := x.expr(e.Left)
		return of("BOOL", "%s IS %sNULL", v.sql, notWord(e.Not)), err
	case *ast.IsBoolExpr:
		v, err := x.condition(e.Left)
		return of("BOOL", "%s IS %s%t", v, notWord(e.Not), e.Right), err
	case *ast.CaseExpr:
		return x.cases(e)
	case *ast.IfExpr:
		return x.ifs(e.Expr, e.TrueResult, e.ElseResult)
	case *ast.CastExpr:
		return x.cast(e)
	case *ast.ExtractExpr:
		return x.extract(e)
	case *ast.CallExpr:
		return x.call(e)
	case *ast.CountStarExpr:
		return of("INT64", "count(*)"), nil
	}
	return x.literal(e)
}

func notWord(not bool) string {
	if not {
		return "NOT "
	}
	return ""
}

// path resolves a column, perhaps behind the name of its table, and what lies
// in it. The name of a table, which by itself is its row, goes before a column
// of the same name.
func (x *translator) path(ids []*ast.Ident) (val, error) {
	for _, item := range x.scope.from {
		switch {
		case !strings.EqualFold(item.alias, ids[0].Name):
		case len(ids) == 1:
			return x.row(item, ids[0].Name), nil
		default:
			return x.within([]*fromItem{item}, ids[1:])
		}
	}
	return x.within(x.scope.from, ids)
}

// row is all that a row holds, as one value.
func (x *translator) row(item *fromItem, name string) val {
	out := val{typ: typ{kind: "STRUCT", fields: item.columns}, name: name}
	members := make([]string, len(item.columns))
	for i, c := range item.columns {
		members[i] = quote(c.name) + " := " + x.read(item, c).sql
	}
	out.sql = "struct_pack(" + strings.Join(members, ", ") + ")"
	return out
}

func (x *translator) within(items []*fromItem, ids []*ast.Ident) (val, error) {
	var found []val
	for _, item := range items {
		for _, c := range slices.Concat(item.columns, item.pseudo) {
			if strings.EqualFold(c.name, ids[0].Name) {
				found = append(found, x.read(item, c))
			}
		}
	}
	switch len(found) {
	case 0:
		return val{}, invalid("Unrecognized name: %s", ids[0].Name)
	case 1:
	default:
		return val{}, invalid("Column name %s is ambiguous", ids[0].Name)
	}
	v := found[0]
	for _, id := range ids[1:] {
		var err error
		if v, err = member(v, id.Name); err != nil {
			return val{}, err
		}
	}
	return v, nil
}

// read is a column, and notes that it is read.
func (x *translator) read(item *fromItem, c field) val {
	if item.table != nil {
		x.plan.reads[item.table][c.name] = true
	}
	return val{sql: quote(x.itemName(item)) + "." + quote(c.name), typ: c.typ, name: c.name}
}

func member(v val, name string) (val, error) {
	for _, f := range v.typ.fields {
		if v.typ.kind == "STRUCT" && strings.EqualFold(f.name, name) {
			return val{sql: "struct_extract(" + v.sql + ", " + literal(f.name) + ")", typ: f.typ, name: f.name}, nil
		}
	}
	return val{}, invalid("Field name %s does not exist in %s", name, v.typ.kind)
}

func (x *translator) index(e *ast.IndexExpr) (val, error) {
	v, err := x.expr(e.Expr)
	if err != nil {
		return val{}, err
	}
	spec, ok := e.Index.(*ast.SubscriptSpecifierKeyword)
	if !ok || v.typ.kind != "ARRAY" {
		return val{}, cannot("this subscript")
	}
	at, err := x.expr(spec.Expr)
	if err != nil {
		return val{}, err
	}
	elem := fmt.Sprintf("CASE WHEN %[2]s >= 0 THEN %[1]s[%[2]s + 1] END", v.sql, at.sql)
	switch spec.Keyword {
	case ast.PositionKeywordSafeOffset:
	case ast.PositionKeywordOffset:
		elem = fmt.Sprintf("CASE WHEN %[1]s IS NOT NULL AND (%[2]s < 0 OR %[2]s >= len(%[1]s)) THEN error('Array index out of bounds') ELSE %[1]s[%[2]s + 1] END", v.sql, at.sql)
	default:
		return val{}, cannot("%s", spec.Keyword)
	}
	return val{sql: "(" + elem + ")", typ: *v.typ.elem}, nil
}

func (x *translator) unary(e *ast.UnaryExpr) (val, error) {
	if e.Op == ast.OpNot {
		v, err := x.condition(e.Expr)
		return of("BOOL", "NOT %s", v), err
	}
	v, err := x.expr(e.Expr)
	if err != nil || e.Op != ast.OpMinus || !v.typ.numeric() {
		return val{}, orElse(err, cannot("unary %s of %s", e.Op, v.typ.kind))
	}
	out := val{sql: "(-" + v.sql + ")", typ: v.typ}
	if v.lit != nil {
		text := "-" + *v.lit
		out.lit = &text
	}
	if v.typ.kind == "INT64" {
		out.sql = "CAST(-(" + v.sql + ") AS BIGINT)"
	}
	return out, nil
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

func (x *translator) two(l, r ast.Expr) (val, val, error) {
	a, err := x.expr(l)
	if err != nil {
		return a, a, err
	}
	b, err := x.expr(r)
	return a, b, err
}

func (x *translator) binary(e *ast.BinaryExpr) (val, error) {
	switch e.Op {
	case ast.OpAnd, ast.OpOr:
		a, err := x.condition(e.Left)
		if err != nil {
			return val{}, err
		}
		b, err := x.condition(e.Right)
		return of("BOOL", "%s %s %s", a, e.Op, b), err
	case ast.OpLike, ast.OpNotLike:
		return x.like(e)
	}
	a, b, err := x.two(e.Left, e.Right)
	if err != nil {
		return val{}, err
	}
	switch e.Op {
	case ast.OpEqual, ast.OpNotEqual, ast.OpLess, ast.OpLessEqual, ast.OpGreater, ast.OpGreaterEqual:
		if x.isDistinct(e) {
			a, b, err = unify(a, b)
			word := map[ast.BinaryOp]string{ast.OpEqual: "NOT ", ast.OpNotEqual: ""}[e.Op]
			return of("BOOL", "%s IS %sDISTINCT FROM %s", a.sql, word, b.sql), err
		}
		return compare(e.Op, a, b)
	case ast.OpConcat:
		if a.typ.kind != b.typ.kind || !a.typ.is("STRING", "BYTES") {
			return val{}, cannot("|| of %s and %s", a.typ.kind, b.typ.kind)
		}
		return of(a.typ.kind, "%s || %s", a.sql, b.sql), nil
	}
	return arithmetic(e.Op, a, b)
}

func (x *translator) ifs(cond, yes, no ast.Expr) (val, error) {
	c, err := x.condition(cond)
	if err != nil {
		return val{}, err
	}
	a, b, err := x.two(yes, no)
	if err != nil {
		return val{}, err
	}
	if a, b, err = unify(a, b); err != nil {
		return val{}, err
	}
	return val{sql: "(CASE WHEN " + c + " THEN " + a.sql + " ELSE " + b.sql + " END)", typ: orKind(a, b)}, nil
}

func (x *translator) cases(e *ast.CaseExpr) (val, error) {
	var results []val
	var conds []string
	for _, w := range e.Whens {
		var cond string
		if e.Expr == nil {
			c, err := x.condition(w.Cond)
			if err != nil {
				return val{}, err
			}
			cond = c
		} else {
			a, b, err := x.two(e.Expr, w.Cond)
			if err != nil {
				return val{}, err
			}
			c, err := compare(ast.OpEqual, a, b)
			if err != nil {
				return val{}, err
			}
			cond = c.sql
		}
		then, err := x.expr(w.Then)
		if err != nil {
			return val{}, err
		}
		conds, results = append(conds, cond), append(results, then)
	}
	otherwise := val{sql: "NULL"}
	if e.Else != nil {
		var err error
		if otherwise, err = x.expr(e.Else.Expr); err != nil {
			return val{}, err
		}
	}
	t, err := supertype(append(results, otherwise)...)
	if err != nil {
		return val{}, err
	}
	var b strings.Builder
	b.WriteString("(CASE")
	for i, c := range conds {
		b.WriteString(" WHEN " + c + " THEN " + as(results[i], t).sql)
	}
	b.WriteString(" ELSE " + as(otherwise, t).sql + " END)")
	return val{sql: b.String(), typ: t}, nil
}

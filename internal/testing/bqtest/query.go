package bqtest

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/ast"
	"github.com/cloudspannerecosystem/memefish/token"
)

func (u *unsupported) Error() string { return "the test server cannot run " + u.what }

// asOf is how a table is read as it was; its time goes behind its name.
var asOf = regexp.MustCompile("`((?: AS [a-z_0-9]+)?) FOR SYSTEM_TIME AS OF TIMESTAMP '([^']+)'")

// translate parses a statement and writes it in the engine's SQL. find resolves
// the names of tables.
func translate(sql string, find func(path []string) (*stored, error)) (*plan, error) {
	p, err := prepare(asOf.ReplaceAllString(sql, "@$2`$1"))
	if err != nil {
		return nil, invalid("Syntax error: %v", err)
	}
	stmt, err := memefish.ParseQuery("", p.text)
	if err != nil {
		return nil, invalid("Syntax error: %v", err)
	}
	x := &translator{p: p, find: find, plan: &plan{reads: map[*stored]map[string]bool{}, pruned: map[*stored]string{}}}
	text, columns, err := x.query(stmt.Query)
	if err != nil {
		return nil, err
	}
	x.plan.sql, x.plan.columns = text, columns
	return x.plan, nil
}

func (x *translator) query(q ast.QueryExpr) (string, []field, error) {
	switch q := q.(type) {
	case *ast.Query:
		if q.ForUpdate != nil || len(q.PipeOperators) > 0 {
			return "", nil, cannot("FOR UPDATE and pipes")
		}
		if q.With != nil {
			outer := x.named
			x.named = maps.Clone(outer)
			if x.named == nil {
				x.named = map[string]ast.QueryExpr{}
			}
			defer func() { x.named = outer }()
			for _, c := range q.With.CTEs {
				x.named[strings.ToLower(c.Name.Name)] = c.QueryExpr
			}
		}
		sel, ok := q.Query.(*ast.Select)
		if !ok {
			return "", nil, cannot("%T", q.Query)
		}
		return x.selects(sel, q.OrderBy, q.Limit)
	case *ast.Select:
		return x.selects(q, nil, nil)
	case *ast.SubQuery:
		return x.query(q.Query)
	}
	return "", nil, cannot("%T", q)
}

func (x *translator) selects(s *ast.Select, order *ast.OrderBy, limit *ast.Limit) (string, []field, error) {
	if s.As != nil || s.AllOrDistinct != "" || s.Having != nil {
		return "", nil, cannot("SELECT AS, DISTINCT, HAVING")
	}
	outer := x.scope
	x.scope = &scope{aliases: map[string]val{}}
	defer func() { x.scope = outer }()
	from := ""
	if s.From != nil {
		text, err := x.from(s.From.Source)
		if err != nil {
			return "", nil, err
		}
		from = " FROM " + text
	}
	list, columns, err := x.list(s.Results)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	b.WriteString("SELECT " + strings.Join(list, ", ") + from)
	if s.Where != nil {
		v, err := x.condition(s.Where.Expr)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(" WHERE " + v)
		if err := x.prune(s.Where.Expr); err != nil {
			return "", nil, err
		}
	}
	if err := x.partitionFilters(s.Where); err != nil {
		return "", nil, err
	}
	if s.GroupBy != nil {
		terms := make([]string, len(s.GroupBy.Exprs))
		for i, e := range s.GroupBy.Exprs {
			v, err := x.term(e)
			if err != nil {
				return "", nil, err
			}
			terms[i] = v.sql
		}
		b.WriteString(" GROUP BY " + strings.Join(terms, ", "))
	}
	if err := x.orderBy(&b, order); err != nil {
		return "", nil, err
	}
	if limit != nil {
		n, ok := limit.Count.(*ast.IntLiteral)
		if !ok || limit.Offset != nil {
			return "", nil, cannot("this LIMIT")
		}
		b.WriteString(" LIMIT " + n.Value)
	}
	return b.String(), columns, nil
}

// reserved are the names that no column of a result may have.
var reserved = regexp.MustCompile(`(?i)^(_PARTITION|_TABLE_|_FILE_|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)`)

// list writes the select list, each item under its name and in the engine's
// type of its own.
func (x *translator) list(items []ast.SelectItem) ([]string, []field, error) {
	var list []string
	var columns []field
	add := func(v val, name string) error {
		if name == "" {
			name = fmt.Sprintf("f%d_", len(columns))
		}
		if reserved.MatchString(name) {
			return invalid("Invalid field name \"%s\". Field names are not allowed to start with the (case-insensitive) prefixes _PARTITION, _TABLE_, _FILE_, _ROW_TIMESTAMP, __ROOT__ and _COLIDENTIFIER", name)
		}
		list = append(list, "CAST("+v.sql+" AS "+v.typ.engine()+") AS "+quote(name))
		columns = append(columns, field{name, v.typ})
		x.scope.aliases[strings.ToLower(name)] = v
		return nil
	}
	for _, item := range items {
		switch item := item.(type) {
		case *ast.Star:
			if item.Except != nil || item.Replace != nil {
				return nil, nil, cannot("* EXCEPT and * REPLACE")
			}
			for _, from := range x.scope.from {
				for _, c := range from.columns {
					if err := add(x.read(from, c), c.name); err != nil {
						return nil, nil, err
					}
				}
			}
		case *ast.Alias:
			v, err := x.expr(item.Expr)
			if err == nil {
				err = add(v, item.As.Alias.Name)
			}
			if err != nil {
				return nil, nil, err
			}
		case *ast.ExprSelectItem:
			v, err := x.expr(item.Expr)
			if err == nil {
				err = add(v, v.name)
			}
			if err != nil {
				return nil, nil, err
			}
		default:
			return nil, nil, cannot("%T", item)
		}
	}
	return list, columns, nil
}

// term is a term of GROUP BY or ORDER BY: the name of a select item goes first.
func (x *translator) term(e ast.Expr) (val, error) {
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := x.scope.aliases[strings.ToLower(id.Name)]; ok {
			return v, nil
		}
	}
	if _, ok := e.(*ast.IntLiteral); ok {
		return val{}, cannot("the number of a select item")
	}
	return x.expr(e)
}

// orderBy follows GoogleSQL: NULL is less than NaN, NaN less than any number.
func (x *translator) orderBy(b *strings.Builder, order *ast.OrderBy) error {
	if order == nil {
		return nil
	}
	for i, item := range order.Items {
		v, err := x.term(item.Expr)
		if err != nil {
			return err
		}
		if item.Collate != nil || v.typ.is("ARRAY", "STRUCT", "JSON", "GEOGRAPHY", "BIGNUMERIC") {
			return cannot("an order by %s", v.typ.kind)
		}
		desc := item.Dir == ast.DirectionDesc
		next := token.Pos(len(x.p.text))
		if i+1 < len(order.Items) {
			next = order.Items[i+1].Pos()
		}
		first := !desc
		for at, f := range x.p.nulls {
			if token.Pos(at) >= item.End() && token.Pos(at) <= next {
				first = f
			}
		}
		way := map[bool]string{true: " DESC", false: " ASC"}[desc]
		b.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)])
		b.WriteString("(" + v.sql + ") IS NULL" + map[bool]string{true: " DESC", false: " ASC"}[first])
		if v.typ.kind == "FLOAT64" {
			b.WriteString(", NOT isnan(" + v.sql + ")" + way)
		}
		b.WriteString(", " + v.sql + way)
	}
	return nil
}

// partitionFilters refuses a table that requires a filter on its partition column
// and has none.
func (x *translator) partitionFilters(where *ast.Where) error {
	for _, item := range x.scope.from {
		if item.table == nil || !item.table.def.RequirePartitionFilter {
			continue
		}
		by := item.table.def.PartitionBy
		dated := by == PartitionTime && where != nil && filters(where.Expr, partitionDate)
		if where == nil || !dated && !filters(where.Expr, by) {
			return invalid("Cannot query over table '%s' without a filter over column(s) '%s' that can be used for partition elimination", item.table.id(), by)
		}
	}
	return nil
}

// filters reports whether a condition compares a column with something that is
// the same for all rows, in a term that must hold.
func filters(e ast.Expr, column string) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return filters(e.Expr, column)
	case *ast.BinaryExpr:
		switch e.Op {
		case ast.OpAnd:
			return filters(e.Left, column) || filters(e.Right, column)
		case ast.OpEqual, ast.OpLess, ast.OpLessEqual, ast.OpGreater, ast.OpGreaterEqual:
			return names(e.Left, column) && !readsAny(e.Right) || names(e.Right, column) && !readsAny(e.Left)
		}
	case *ast.BetweenExpr:
		return !e.Not && names(e.Left, column) && !readsAny(e.RightStart) && !readsAny(e.RightEnd)
	case *ast.InExpr:
		_, list := e.Right.(*ast.ValuesInCondition)
		return !e.Not && list && names(e.Left, column)
	}
	return false
}

func names(e ast.Expr, column string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(e.Name, column)
	case *ast.Path:
		return strings.EqualFold(e.Idents[len(e.Idents)-1].Name, column)
	}
	return false
}

// readsAny reports whether an expression reads a column.
func readsAny(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, a := range n.Args {
				if arg, ok := a.(*ast.ExprArg); ok && readsAny(arg.Expr) {
					found = true
				}
			}
			return false // the function's name is a path, too
		case *ast.Ident, *ast.Path:
			found = true
		}
		return !found
	})
	return found
}

package bqtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cloudspannerecosystem/memefish"
	"github.com/cloudspannerecosystem/memefish/ast"
)

func (x *translator) from(t ast.TableExpr) (string, error) {
	switch t := t.(type) {
	case *ast.TableName:
		if t.Hint != nil || t.Sample != nil {
			return "", cannot("hints and samples")
		}
		return x.tableRef([]string{t.Table.Name}, t.As)
	case *ast.PathTableExpr:
		if t.Hint != nil || t.Sample != nil || t.WithOffset != nil {
			return "", cannot("hints, samples and offsets")
		}
		var path []string
		for _, i := range t.Path.Idents {
			path = append(path, i.Name)
		}
		return x.tableRef(path, t.As)
	case *ast.SubQueryTableExpr:
		text, columns, err := x.query(t.Query)
		if err != nil {
			return "", err
		}
		item := &fromItem{columns: columns}
		if t.As != nil {
			item.alias = t.As.Alias.Name
		}
		x.scope.from = append(x.scope.from, item)
		return "(" + text + ") AS " + quote(x.itemName(item)), nil
	case *ast.Join:
		return x.join(t)
	}
	return "", cannot("%T in FROM", t)
}

func (x *translator) join(j *ast.Join) (string, error) {
	on, ok := j.Cond.(*ast.On)
	if !ok || j.Method != "" || j.Hint != nil || j.Op != ast.InnerJoin && j.Op != ast.LeftOuterJoin {
		return "", cannot("this JOIN")
	}
	left, err := x.from(j.Left)
	if err != nil {
		return "", err
	}
	right, err := x.from(j.Right)
	if err != nil {
		return "", err
	}
	cond, err := x.condition(on.Expr)
	if err != nil {
		return "", err
	}
	word := map[ast.JoinOp]string{ast.InnerJoin: "JOIN", ast.LeftOuterJoin: "LEFT JOIN"}[j.Op]
	return left + " " + word + " " + right + " ON " + cond, nil
}

func (x *translator) itemName(item *fromItem) string {
	return fmt.Sprintf("from%d", slices.Index(x.scope.from, item))
}

// tableRef reads a table or, in its place, the query of a view.
func (x *translator) tableRef(path []string, as *ast.AsAlias) (string, error) {
	if len(path) == 1 {
		if q, ok := x.named[strings.ToLower(path[0])]; ok {
			return x.withRef(path[0], q, as)
		}
		path = strings.Split(path[0], ".") // `project.dataset.table` as one name
	}
	t, err := x.find(path)
	if err != nil {
		return "", err
	}
	item := &fromItem{alias: path[len(path)-1], columns: t.columns(), pseudo: t.pseudo(), table: t, used: map[string]bool{}}
	if as != nil {
		item.alias = as.Alias.Name
	}
	if x.plan.reads[t] == nil {
		x.plan.reads[t] = map[string]bool{}
		x.plan.order = append(x.plan.order, t)
	}
	from := quote(t.engineName)
	if t.def.View != "" {
		inner := &translator{find: x.find, plan: x.plan}
		if inner.p, err = prepare(t.def.View); err != nil {
			return "", err
		}
		stmt, err := memefish.ParseQuery("", inner.p.text)
		if err != nil {
			return "", err
		}
		text, _, err := inner.query(stmt.Query)
		if err != nil {
			return "", err
		}
		from = "(" + text + ")"
	}
	x.scope.from = append(x.scope.from, item)
	return from + " AS " + quote(x.itemName(item)), nil
}

// withRef reads a query of WITH, which does not see itself.
func (x *translator) withRef(name string, q ast.QueryExpr, as *ast.AsAlias) (string, error) {
	outer := x.named
	x.named = maps.Clone(outer)
	delete(x.named, strings.ToLower(name))
	text, columns, err := x.query(q)
	x.named = outer
	if err != nil {
		return "", err
	}
	item := &fromItem{alias: name, columns: columns}
	if as != nil {
		item.alias = as.Alias.Name
	}
	x.scope.from = append(x.scope.from, item)
	return "(" + text + ") AS " + quote(x.itemName(item)), nil
}

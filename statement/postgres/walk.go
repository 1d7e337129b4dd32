package postgres

import (
	"fmt"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// message checks a node and everything below it.
func (w *walker) message(m protoreflect.Message, sc *scope, depth int) error {
	name := string(m.Descriptor().Name())
	fields, ok := grammar()[name]
	if !ok {
		if name == "ParamRef" {
			return w.refuse(api.KindParameter, "the statement has a parameter", "Write the value in its place.")
		}
		return w.unsupported(name)
	}
	if depth > maxDepth {
		return w.refuse(api.KindTooDeep, "the statement is nested too deeply", "")
	}
	for f, v := range set(m) {
		if f.Name() == "location" && v.Int() >= 0 {
			w.at = int(v.Int())
		}
		if name != "Node" && !fields.Has(string(f.Name())) {
			return w.field(name, string(f.Name()))
		}
	}
	return w.node(m, sc, depth)
}

// node applies the rules for the kind of node.
func (w *walker) node(m protoreflect.Message, sc *scope, depth int) error {
	switch n := m.Interface().(type) {
	case *pg.SelectStmt:
		return w.selects(n, sc, depth)
	case *pg.Node:
		if r := n.GetRangeVar(); r != nil {
			w.at = int(r.Location)
			if err := w.relation(n, r, sc); err != nil {
				return err
			}
		}
	case *pg.ColumnRef:
		return w.column(n)
	case *pg.A_Indirection:
		if err := w.indirection(n); err != nil {
			return err
		}
	case *pg.FuncCall:
		if err := w.call(n, false); err != nil {
			return err
		}
	case *pg.RangeFunction:
		return w.rangeFunction(n, sc, depth)
	case *pg.TypeName:
		if err := w.typeName(n); err != nil {
			return err
		}
	case *pg.A_Expr:
		if err := w.operator(n.Name); err != nil {
			return err
		}
		if n.Kind == pg.A_Expr_Kind_AEXPR_OP && comparisons.Has(n.Name[len(n.Name)-1].GetString_().GetSval()) &&
			(isNull(n.Lexpr) || isNull(n.Rexpr)) {
			w.nullCompared = statement.ComparesNull(w.sql, w.at)
		}
	case *pg.NullTest:
		w.nullTested = w.nullTested || isNull(n.Arg)
	case *pg.SubLink:
		if err := w.operator(n.OperName); err != nil {
			return err
		}
	case *pg.SQLValueFunction:
		if !clocks[n.Op] {
			return w.refuse(api.KindForbiddenFunction, "the statement asks who is connected", "")
		}
	case *pg.CollateClause:
		if len(n.Collname) != 1 {
			return w.unsupported("a collation with its schema")
		}
	case *pg.ResTarget:
		w.define(n.Name)
	case *pg.Alias:
		w.define(n.Aliasname)
		w.defineAll(n.Colnames)
	case *pg.JoinExpr:
		w.whole = w.whole || n.IsNatural
		w.called(n.Alias)
		w.called(n.JoinUsingAlias)
		for _, c := range n.UsingClause {
			w.reads(c.GetString_().GetSval())
		}
	}
	return w.below(m, sc, depth)
}

// below checks the children of a node.
func (w *walker) below(m protoreflect.Message, sc *scope, depth int) error {
	for child := range children(m) {
		if err := w.message(child, sc, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// selects checks a SELECT, starting with the parts of its WITH.
func (w *walker) selects(s *pg.SelectStmt, sc *scope, depth int) error {
	if with := s.WithClause; with != nil {
		sc = &scope{outer: sc, names: map[string]string{}}
		name := func(c *pg.CommonTableExpr) {
			w.ctes++
			own := ownName(w.ctes)
			sc.names[c.Ctename], c.Ctename = own, own
		}
		ctes := make([]*pg.CommonTableExpr, len(with.Ctes))
		for i, c := range with.Ctes {
			if ctes[i] = c.GetCommonTableExpr(); ctes[i] == nil {
				return w.unsupported("WITH")
			}
			w.defineAll(ctes[i].Aliascolnames)
			if with.Recursive { // all see all
				name(ctes[i])
			}
		}
		for i, c := range ctes {
			if err := w.message(with.Ctes[i].ProtoReflect(), sc, depth+1); err != nil {
				return err
			}
			if !with.Recursive { // each sees those before it
				name(c)
			}
		}
		s.WithClause = nil
		defer func() { s.WithClause = with }()
	}
	return w.below(s.ProtoReflect(), sc, depth)
}

// ownName is the name given to a part of a WITH, by its position.
func ownName(n int) string { return fmt.Sprintf("da_with_%d", n) }

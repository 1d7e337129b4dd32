package postgres

import (
	"fmt"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/agnes-data/da/api"
)

// builtin is the schema of the engine's built-in objects.
const builtin = "pg_catalog"

// own is the name of something of the engine's, with its schema or without.
func own(names []*pg.Node) (string, bool) {
	last := len(names) - 1
	if last < 0 || last > 1 || last == 1 && names[0].GetString_().GetSval() != builtin {
		return "", false
	}
	return names[last].GetString_().GetSval(), true
}

// qualified returns a built-in name with its schema, so that nothing else can be
// found under it.
func qualified(name string) []*pg.Node {
	return []*pg.Node{pg.MakeStrNode(builtin), pg.MakeStrNode(name)}
}

// call checks a call, and qualifies it so that it calls the engine's own
// function.
func (w *walker) call(f *pg.FuncCall, from bool) error {
	w.at = int(f.Location)
	name, ok := own(f.Funcname)
	if !ok {
		return w.refuse(api.KindForbiddenFunction, "a function is named with a schema", "")
	}
	if err := w.function(name, w.at, from); err != nil {
		return err
	}
	f.Funcname = qualified(name)
	return nil
}

// rangeFunction checks functions that are in FROM.
func (w *walker) rangeFunction(r *pg.RangeFunction, sc *scope, depth int) error {
	if a := r.Alias; a != nil {
		w.define(a.Aliasname)
		w.defineAll(a.Colnames)
	}
	for _, entry := range r.Functions {
		items := entry.GetList().GetItems()
		if len(items) == 0 {
			return w.unsupported("RangeFunction")
		}
		f := items[0].GetFuncCall()
		if f == nil {
			return w.refuse(api.KindUnsupported, "only functions can be called in FROM", "")
		}
		for _, more := range items[1:] { // column definitions, which make a function's rows into anything
			if more != nil && more.Node != nil && len(more.GetList().GetItems()) > 0 {
				return w.unsupported("coldeflist")
			}
		}
		if err := w.call(f, true); err != nil {
			return err
		}
		if err := w.below(f.ProtoReflect(), sc, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// typeName checks the type of a cast, and makes it the engine's own.
func (w *walker) typeName(t *pg.TypeName) error {
	name, ok := own(t.Names)
	if !ok || !castTypes.Has(name) {
		return w.refuse(api.KindUnsupported, fmt.Sprintf("values can't be cast to the type %q here", api.Clip(name, 80)), "")
	}
	t.Names = qualified(name)
	return nil
}

// operator checks the name of an operator.
func (w *walker) operator(names []*pg.Node) error {
	if len(names) == 0 {
		return nil
	}
	name, ok := own(names)
	switch name {
	case "BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC":
		return nil
	}
	if !ok || !operators.Has(name) {
		return w.refuse(api.KindUnsupported, fmt.Sprintf("the operator %q is not supported", api.Clip(name, 20)), "")
	}
	return nil
}

// clocks are the keywords for the transaction's time. The other keywords would
// reveal the server's identity at the database.
var clocks = map[pg.SQLValueFunctionOp]bool{
	pg.SQLValueFunctionOp_SVFOP_CURRENT_DATE: true, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME: true,
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:    true,
	pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP: true, pg.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N: true,
	pg.SQLValueFunctionOp_SVFOP_LOCALTIME: true, pg.SQLValueFunctionOp_SVFOP_LOCALTIME_N: true,
	pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP: true, pg.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N: true,
}

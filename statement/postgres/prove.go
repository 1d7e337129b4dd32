package postgres

import (
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/agnes-data/da/api"
)

// Prove rejects each name after a dot that is not certainly a column, given the
// columns of the tables: for the engine, a.f can mean f(a), and anybody may own that
// function. It is for callers who cannot ask the engine what a name means, and is
// called before Rewrite.
//
// The qualifier before the dot is looked up in the whole statement, regardless of
// scopes: if everything with that name has the column, the one that the engine
// finds has it, too; and if the engine finds nothing, it calls nothing. So each
// item in FROM counts under the name that the engine gives it, written or not. If
// one of these names is unknown, nothing can be proven.
func (s *Select) Prove(columns map[string][]string) error {
	p := prover{tables: columns, items: map[string][]names{}, ctes: map[string]*pg.CommonTableExpr{}, defined: map[string]names{}}
	p.gather(s.tree.ProtoReflect())
	for _, a := range s.walk.attributes {
		s.walk.at = a.at
		if a.of == "" {
			return s.walk.refuse(api.KindUnsupported, fmt.Sprintf("the field %q of a value can't be read on this source", api.Clip(a.name, 80)), "")
		}
		if p.nameless || made(a.of) || !p.called(a.of)[a.name] {
			return s.walk.refuse(api.KindUnsupported, fmt.Sprintf("%q is not known to be a column of %q", api.Clip(a.name, 80), api.Clip(a.of, 80)),
				"Write the column's name alone, or give the columns names: AS "+api.Clip(a.of, 80)+"(…).")
		}
	}
	return nil
}

// names are known columns of an item in FROM; it may have others.
type names map[string]bool

func (n names) add(more names) {
	for name := range more {
		n[name] = true
	}
}

func listed(nodes []*pg.Node) names {
	out := names{}
	for _, n := range nodes {
		out[n.GetString_().GetSval()] = true
	}
	return out
}

// prover finds out which columns things in FROM have.
type prover struct {
	tables map[string][]string
	ctes   map[string]*pg.CommonTableExpr
	items  map[string][]names // by their names in the statement
	later  []func()
	// nameless says that an item in FROM has an unknown name.
	nameless bool
	// defined are the known columns of what WITH defines. For a query that reads
	// itself they are empty until it has been examined.
	defined map[string]names
}

// called are the columns that everything of a name has.
func (p *prover) called(name string) names {
	out := names{}
	for i, has := range p.items[name] {
		if i == 0 {
			out.add(has)
			continue
		}
		for column := range out {
			if !has[column] {
				delete(out, column)
			}
		}
	}
	return out
}

// item are the columns of something in FROM.
func (p *prover) item(n *pg.Node) names {
	alias := aliasOf(n)
	if len(alias.GetColnames()) > 0 { // nothing is known about further columns
		return listed(alias.Colnames)
	}
	out := names{}
	switch {
	case n.GetRangeVar() != nil:
		name := n.GetRangeVar().Relname
		if p.ctes[name] != nil {
			return p.with(name)
		}
		for _, column := range p.tables[name] {
			out[column] = true
		}
	case n.GetRangeSubselect() != nil:
		return p.results(n.GetRangeSubselect().Subquery.GetSelectStmt())
	case n.GetJoinExpr() != nil:
		out.add(p.item(n.GetJoinExpr().Larg))
		out.add(p.item(n.GetJoinExpr().Rarg))
	}
	return out
}

// with returns the columns of what WITH defines.
func (p *prover) with(name string) names {
	if known, ok := p.defined[name]; ok {
		return known
	}
	p.defined[name] = names{}
	c, out := p.ctes[name], names{}
	_, table := p.tables[name]
	switch {
	case table: // it is unknown which of the two is read
	case len(c.Aliascolnames) > 0:
		out = listed(c.Aliascolnames)
	default:
		out = p.results(c.Ctequery.GetSelectStmt())
	}
	p.defined[name] = out
	return out
}

// among returns the columns of the item with that name in a FROM.
func (p *prover) among(from []*pg.Node, called string) names {
	for _, n := range from {
		if j := n.GetJoinExpr(); j != nil && j.Alias == nil {
			if out := p.among([]*pg.Node{j.Larg, j.Rarg}, called); out != nil {
				return out
			}
		}
		if own, _ := itsNames(n); slices.Contains(own, called) {
			return p.item(n)
		}
	}
	return nil
}

// results are the columns of a SELECT. Those whose names the engine makes up are
// not among them.
func (p *prover) results(s *pg.SelectStmt) names {
	out := names{}
	for s.GetLarg() != nil { // of UNION and the like
		s = s.Larg
	}
	for _, t := range s.GetTargetList() {
		target := t.GetResTarget()
		fields := target.GetVal().GetColumnRef().GetFields()
		switch {
		case target.GetName() != "":
			out[target.Name] = true
		case target.GetVal().GetFuncCall() != nil:
			if call := target.Val.GetFuncCall(); call.Funcformat != pg.CoercionForm_COERCE_SQL_SYNTAX { // engines differ in the names for EXTRACT and the like
				out[last(call.Funcname)] = true
			}
		case len(fields) == 0:
		case fields[len(fields)-1].GetAStar() == nil:
			out[fields[len(fields)-1].GetString_().GetSval()] = true
		case len(fields) == 2:
			out.add(p.among(s.FromClause, fields[0].GetString_().GetSval()))
		default:
			for _, from := range s.FromClause {
				out.add(p.item(from))
			}
		}
	}
	return out
}

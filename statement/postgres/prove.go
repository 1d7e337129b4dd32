package postgres

import (
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// Prove refuses each name behind a dot that is not certainly a column's, given
// the columns of the tables: for the engine, a.f may be f(a), whosever function
// that is. It is for those who can't ask the engine what a name means, and comes
// before Rewrite.
//
// What comes before a dot is looked for in the whole statement, whatever can be
// seen from there: where everything of the name has the column, the one that the
// engine finds has it, too, and if it finds none, it calls nothing. So each thing
// in FROM counts under the name by which the engine knows it, written or not; if
// that of one is not known, nothing is proven.
func (s *Select) Prove(columns map[string][]string) error {
	p := prover{tables: columns, items: map[string][]names{}, ctes: map[string]*pg.CommonTableExpr{}, defined: map[string]names{}}
	p.gather(s.tree.ProtoReflect())
	for _, a := range s.walk.attributes {
		s.walk.at = a.at
		if a.of == "" {
			return s.walk.refuse(statement.Unsupported, fmt.Sprintf("the field %q of a value can't be read on this source", api.Clip(a.name, 80)), "")
		}
		if p.nameless || made(a.of) || !p.called(a.of)[a.name] {
			return s.walk.refuse(statement.Unsupported, fmt.Sprintf("%q is not known to be a column of %q", api.Clip(a.name, 80), api.Clip(a.of, 80)),
				"Write the column's name alone, or give the columns names: AS "+api.Clip(a.of, 80)+"(…).")
		}
	}
	return nil
}

// names are the columns that something in FROM is known to have; it may have
// others.
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
	items  map[string][]names // by what they are called
	later  []func()
	// nameless says that something in FROM may be called anything.
	nameless bool
	// defined are the columns of what WITH defines, as far as they are known: of
	// what reads itself nothing is, until it has been looked into.
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
	if len(alias.GetColnames()) > 0 { // of those behind them nothing is said
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

// with are the columns of what WITH defines.
func (p *prover) with(name string) names {
	if known, ok := p.defined[name]; ok {
		return known
	}
	p.defined[name] = names{}
	c, out := p.ctes[name], names{}
	_, table := p.tables[name]
	switch {
	case table: // it can't be told which of the two is read
	case len(c.Aliascolnames) > 0:
		out = listed(c.Aliascolnames)
	default:
		out = p.results(c.Ctequery.GetSelectStmt())
	}
	p.defined[name] = out
	return out
}

// among are the columns of what is called so in a FROM.
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
			if call := target.Val.GetFuncCall(); call.Funcformat != pg.CoercionForm_COERCE_SQL_SYNTAX { // engines differ in what is behind EXTRACT and the like
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

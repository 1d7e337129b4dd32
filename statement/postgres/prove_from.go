package postgres

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// gather collects all items of FROM. Definitions by WITH are complete only after
// the whole statement has been walked.
func (p *prover) gather(m protoreflect.Message) {
	p.find(m)
	for _, f := range p.later {
		f()
	}
}

func (p *prover) find(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *pg.CommonTableExpr:
		p.ctes[n.Ctename] = n
	case *pg.SelectStmt:
		p.from(n.FromClause...)
	case *pg.JoinExpr:
		if a := n.JoinUsingAlias; a != nil {
			p.items[a.Aliasname] = append(p.items[a.Aliasname], listed(n.UsingClause))
		}
		p.from(n.Larg, n.Rarg)
	}
	for child := range children(m) {
		p.find(child)
	}
}

// from notes things in a FROM.
func (p *prover) from(nodes ...*pg.Node) {
	for _, n := range nodes {
		called, ok := itsNames(n)
		p.nameless = p.nameless || !ok
		for _, name := range called {
			p.later = append(p.later, func() { p.items[name] = append(p.items[name], p.item(n)) })
		}
	}
}

// itsNames returns the engine's names for an item in FROM. ok is false if they
// are unknown.
func itsNames(n *pg.Node) ([]string, bool) {
	if name := aliasOf(n).GetAliasname(); name != "" {
		return []string{name}, true
	}
	switch {
	case n.GetRangeVar() != nil:
		return []string{n.GetRangeVar().Relname}, true
	case n.GetRangeFunction() != nil: // by the first of its functions; the others do no harm
		var called []string
		for _, entry := range n.GetRangeFunction().Functions {
			items := entry.GetList().GetItems()
			if len(items) == 0 || items[0].GetFuncCall() == nil {
				return nil, false
			}
			called = append(called, last(items[0].GetFuncCall().Funcname))
		}
		return called, true
	case n.GetJoinExpr() != nil, n.GetRangeSubselect() != nil:
		return nil, true // by a name that is made
	}
	return nil, false
}

// made reports whether a name is one that engines generate for unnamed joins,
// subqueries or VALUES.
func made(name string) bool {
	return strings.HasPrefix(name, "*") || name == "unnamed_join" || name == "unnamed_subquery"
}

func last(names []*pg.Node) string {
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

func aliasOf(n *pg.Node) *pg.Alias {
	switch {
	case n.GetRangeVar() != nil:
		return n.GetRangeVar().Alias
	case n.GetRangeSubselect() != nil:
		return n.GetRangeSubselect().Alias
	case n.GetRangeFunction() != nil:
		return n.GetRangeFunction().Alias
	}
	return n.GetJoinExpr().GetAlias()
}

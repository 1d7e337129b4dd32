package warehouse

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// aliases are the names of rows in a SELECT. To ClickHouse a table with another name
// still has its own as well: in SELECT a FROM t WHERE a > (SELECT avg(a) FROM t AS u WHERE
// u.k = t.k) t is that table, and no row of the outer query. What is printed in place of
// the table has no name of its own, so that t would be the outer one: another answer.
type aliases struct {
	names, renamed map[string]bool
	qualifiers     map[string]int // where each was used first
}

// called notes the name of an item of FROM, and the one that it is given.
func (a aliases) called(name, alias string) {
	switch {
	case alias == "" || alias == name:
		a.names[name] = true
	default:
		a.names[alias], a.renamed[name] = true, name != ""
	}
}

// qualifies notes a name that may stand before the name of a column.
func (p *parser) qualifies(name string, at int) {
	if p.of.exact && p.selection != nil && p.sign(".") {
		if _, known := p.selection.rows.qualifiers[name]; !known {
			p.selection.rows.qualifiers[name] = at
		}
	}
}

// unambiguous refuses a qualifier that is the own name of a table with another name.
func (p *parser) unambiguous(a aliases, outer *selection) {
	for name, at := range a.qualifiers {
		switch {
		case a.renamed[name]:
			p.refuse(at, api.KindUnsupported, fmt.Sprintf("%q is the own name of a table that has another name here", api.Clip(name, 80)),
				"Call each table of the statement by an alias of its own, and write that before its columns.")
		case a.names[name] || outer == nil:
		default:
			if _, known := outer.rows.qualifiers[name]; !known {
				outer.rows.qualifiers[name] = at
			}
		}
	}
}

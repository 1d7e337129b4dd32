package source

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// Selecting has the parts of an engine's SELECT for a scan.
type Selecting struct {
	Dialect predicate.Dialect
	// Items are the select list, one for each column of Scan.Select.
	Items []string
	// From is the relation to read, without an alias.
	From string
	// Barrier ends a subquery with all rows that the caller can see. It keeps the
	// engine from evaluating the caller's expressions on other rows, where they
	// could fail and so reveal something.
	Barrier string
	// Virtual are columns of From that Items name and * does not have.
	Virtual []string
}

// SQL writes the SELECT of a scan whose names have been checked. The rows that
// the rule allows become a subquery if something can fail: the caller's
// predicate, which could fail on hidden rows, or the rule itself, whose failure
// would otherwise depend on the caller's predicate, order and limit.
func (s Scan) SQL(of Selecting) (string, error) {
	from, where := of.From, s.Where
	if rule := s.Relation.Rule; rule != nil {
		admitted, barrier := rule, of.Barrier
		if CannotFail(rule) {
			var safe predicate.Expr
			if safe, where = Apart(where); where == nil {
				barrier = ""
			}
			admitted = predicate.And(rule, safe)
		}
		text, err := print.SQL(of.Dialect, admitted, s.Env)
		if err != nil {
			return "", err
		}
		from = "(SELECT " + strings.Join(append([]string{"*"}, of.Virtual...), ", ") + " FROM " + from + " AS src WHERE " + text + barrier + ")"
	}
	sql := "SELECT " + strings.Join(of.Items, ", ") + " FROM " + from + " AS src"
	if where != nil {
		text, err := print.SQL(of.Dialect, where, s.Env)
		if err != nil {
			return "", err
		}
		sql += " WHERE " + text
	}
	return sql + s.Tail(of.Dialect, "src"), nil
}

// Tail writes the order and the limit of a scan over rows of a name.
func (s Scan) Tail(d predicate.Dialect, row string) string {
	var tail string
	if len(s.OrderBy) > 0 {
		// Without the row alias, the name would refer to the select item, which
		// may be a cast with a different order.
		tail = " ORDER BY " + print.Order(d, row, s.OrderBy)
	}
	if s.Limit != nil {
		tail += fmt.Sprintf(" LIMIT %d", max(*s.Limit, 0))
	}
	return tail
}

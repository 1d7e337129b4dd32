package bqtest

import (
	"fmt"

	"github.com/cloudspannerecosystem/memefish/ast"
)

// plan is a statement that can be run.
type plan struct {
	sql     string // of the engine
	columns []field
	reads   map[*stored]map[string]bool // the columns of each table
	order   []*stored                   // the tables in the order of their mention
	pruned  map[*stored]string          // the WHERE that chooses partitions
}

// unsupported is a statement that BigQuery may take and this cannot run.
type unsupported struct{ what string }

func cannot(format string, args ...any) error { return &unsupported{fmt.Sprintf(format, args...)} }

// invalid is a statement that BigQuery, too, refuses.
func invalid(format string, args ...any) error { return fmt.Errorf(format, args...) }

type translator struct {
	p    *prepared
	find func(path []string) (*stored, error)
	plan *plan
	// scope is what names mean in the SELECT at hand.
	scope *scope
	// named are the queries of WITH. Each is written where it is read.
	named map[string]ast.QueryExpr
}

// scope are the tables that a SELECT reads.
type scope struct {
	from    []*fromItem
	aliases map[string]val // of the select list, for ORDER BY and GROUP BY
}

// fromItem is one of them: a table or a subquery.
type fromItem struct {
	alias   string
	columns []field
	pseudo  []field // which * leaves out
	table   *stored // nil: a subquery
	used    map[string]bool
}

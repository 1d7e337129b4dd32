package needs

import (
	"context"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
)

// renamed holds the names that a statement gives to what it reads. The plan prints a
// condition with the names that columns have where the statement has the condition: after
// "SELECT a AS b", a condition on b is one on a, and the table can have a column b as well.
type renamed struct {
	names map[string]bool // in lower case
	all   bool            // any name may be of another column
}

// renamedIn returns the names that a statement gives.
func renamedIn(ctx context.Context, conn *duckdb.Conn, sql string) (renamed, error) {
	statements, err := syntax(ctx, conn, sql)
	r := renamed{names: map[string]bool{}, all: len(statements) == 0}
	eachNode(statements, func(n tree) {
		class, alias := text(n, "class"), text(n, "alias")
		switch text(n, "type") {
		case "RECURSIVE_CTE_NODE", "PIVOT": // columns are made up
			r.all = true
		}
		if class == "STAR" {
			r.all = r.all || changesNames(n)
		} else if class != "" && alias != "" && !isColumn(n, alias) {
			r.names[strings.ToLower(alias)] = true
		}
		for _, name := range append(list(n, "column_name_alias"), list(n, "aliases")...) {
			s, _ := name.(string)
			r.names[strings.ToLower(s)] = true
		}
	})
	return r, err
}

// changesNames reports whether * has RENAME, REPLACE, or is COLUMNS.
func changesNames(star tree) bool {
	for key := range star {
		switch key {
		case "class", "type", "query_location", "relation_name", "exclude_list":
		default:
			return true
		}
	}
	return false
}

// isColumn reports whether an expression is a column of that name.
func isColumn(n tree, name string) bool {
	names := list(n, "column_names")
	return len(names) > 0 && text(n, "class") == "COLUMN_REF" && strings.EqualFold(names[len(names)-1].(string), name) //nolint:forcetypeassert // it lists texts
}

// of reports whether a condition above a scan that reads some columns has a name that may be
// of another column.
func (r renamed) of(e predicate.Expr, read []string) bool {
	return slices.ContainsFunc(predicate.Columns(e), func(name string) bool {
		return r.all || r.names[strings.ToLower(name)] || !slices.Contains(read, name)
	})
}

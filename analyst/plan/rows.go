package plan

import (
	"context"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// AllRows is the statement that needs columns of all rows of a table; all columns if none
// are named.
func AllRows(table string, columns []string) string {
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = duckdb.Quote(c)
	}
	list := strings.Join(items, ", ")
	if list == "" {
		list = "*"
	}
	return "SELECT " + list + " FROM " + duckdb.Quote(table)
}

// Rows is Take of a statement that needs rows of one table. The caller closes the part.
func Rows(ctx context.Context, a *analyst.Analyst, sql string, o Options) (*query.Part, error) {
	parts, err := Take(ctx, a, sql, o)
	if err != nil {
		return nil, err
	}
	if len(parts) != 1 || parts[0].Links == nil {
		for _, part := range parts {
			part.Close()
		}
		return nil, &api.Error{Code: api.CodeUsage, Message: "no rows of one table are needed", Hint: "Name a table of the catalog."}
	}
	return parts[0], nil
}

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

// Rows pins what a statement needs of its one table, which is not here: the rows of a
// snapshot or of an earlier query, or else they are fetched, within the limits of o, and
// kept for later. The caller closes the part.
func Rows(ctx context.Context, a *analyst.Analyst, sql string, o Options) (*query.Part, error) {
	p, err := prepare(ctx, a, sql, o)
	if err != nil {
		return nil, err
	}
	if err := p.within(o.MaxBytes); err != nil {
		return nil, err
	}
	parts, err := take(ctx, a, p, o)
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

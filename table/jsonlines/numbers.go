package jsonlines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// roundedIn checks whether a type changes the integers of a column read as JSON,
// which keeps them as written: %[1]s is the column, %[2]s the type.
const roundedIn = `coalesce(bool_or(list_sort(regexp_extract_all(%[1]s::VARCHAR, '[0-9]{16,}')) IS DISTINCT FROM
list_sort(regexp_extract_all(to_json(TRY_CAST(%[1]s AS %[2]s))::VARCHAR, '[0-9]{16,}'))), false)::BIGINT`

// keepNumbers changes columns to text or JSON if their type contains a float and
// one of their numbers cannot be a float. It reads the files again if there are
// such integers inside objects or lists.
func (l Lines) keepNumbers(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column) error {
	read := slices.Clone(columns)
	var which []int
	var asked []string
	for i, col := range columns {
		n, ok := l.Beyond[col.Name]
		switch {
		case !ok || !strings.Contains(col.Type, "DOUBLE"):
		case n.Infinite:
			columns[i].Type = textFor(col.Type)
		default:
			read[i].Type = "JSON"
			which, asked = append(which, i), append(asked, fmt.Sprintf(roundedIn, duckdb.Quote(col.Name), col.Type))
		}
	}
	if len(which) == 0 {
		return nil
	}
	told, dest := make([]int64, len(which)), make([]any, len(which))
	for n := range which {
		dest[n] = &told[n]
	}
	if err := c.QueryRow(ctx, "SELECT "+strings.Join(asked, ", ")+" FROM "+l.SQL(read, ""), nil, dest...); err != nil {
		return err
	}
	for n, i := range which {
		if told[n] != 0 {
			columns[i].Type = "JSON"
		}
	}
	return nil
}

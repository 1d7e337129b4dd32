package jsonlines

import (
	"context"
	"errors"
	"strings"

	"github.com/agnes-data/da/internal/duckdb"
)

// settleMoments makes dates and times texts where the engine found a form for
// one file that is not ISO 8601: with types alone it cannot read it again.
func (l Lines) settleMoments(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column) error {
	var which []int
	for i, col := range columns {
		if strings.Contains(col.Type, "DATE") || strings.Contains(col.Type, "TIME") {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	err := l.count(ctx, c, columns, which)
	if !misfit(err) {
		return err
	}
	for _, i := range which {
		err := l.count(ctx, c, columns, []int{i})
		if misfit(err) {
			columns[i].Type = textFor(columns[i].Type)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// count reads the columns with these indexes to their ends.
func (l Lines) count(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column, which []int) error {
	items, counts := make([]string, len(which)), make([]int64, len(which))
	dest := make([]any, len(which))
	for n, i := range which {
		items[n], dest[n] = "count("+duckdb.Quote(columns[i].Name)+")", &counts[n]
	}
	return c.QueryRow(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+l.SQL(columns, ""), nil, dest...)
}

// misfit reports whether the engine met a value that is not of its column's
// type.
func misfit(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == "Conversion" || e.Type == "Invalid Input" || e.Type == "Out of Range")
}

// textFor is the type that holds a value as it is written.
func textFor(typ string) string {
	if strings.ContainsAny(typ, "([") {
		return "JSON"
	}
	return "VARCHAR"
}

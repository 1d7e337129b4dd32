package jsonlines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Patterns of timestamps in ISO 8601, without and with a zone. A timestamp has at
// most six fractional digits.
const (
	localMoment = `'[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6}0*)?'`
	zonedMoment = localMoment + ` || '(Z|[+-][0-9]{2}(:?[0-9]{2})?)'`
	momentHead  = 1000 // rows that show which texts may be timestamps
)

// findMoments finds timestamps among texts: the engine supports only one format
// per column, and drops time zones.
func (l Lines) findMoments(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column) error {
	var likely []int
	for i, col := range columns {
		if col.Type == "VARCHAR" || col.Type == "TIMESTAMP" {
			likely = append(likely, i)
		}
	}
	shapes, err := l.matching(ctx, c, columns, likely, localMoment+` || '.*'`, fmt.Sprintf(" LIMIT %d", momentHead))
	if err != nil {
		return err
	}
	likely = slices.DeleteFunc(likely, func(i int) bool { return !shapes[i] })
	local, err := l.matching(ctx, c, columns, likely, localMoment, "")
	if err != nil {
		return err
	}
	likely = slices.DeleteFunc(likely, func(i int) bool { return local[i] })
	zoned, err := l.matching(ctx, c, columns, likely, zonedMoment, "")
	if err != nil {
		return err
	}
	for i := range columns {
		switch {
		case local[i]:
			columns[i].Type = "TIMESTAMP"
		case zoned[i]:
			columns[i].Type = "TIMESTAMP WITH TIME ZONE"
		case shapes[i]:
			columns[i].Type = "VARCHAR"
		}
	}
	return nil
}

// matching returns which of the columns have only texts that match a pattern, and
// at least one text, in the rows up to limit.
func (l Lines) matching(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column, which []int, pattern,
	limit string) (map[int]bool, error) {
	out := map[int]bool{}
	if len(which) == 0 {
		return out, nil
	}
	read := slices.Clone(columns)
	items, found, dest := make([]string, len(which)), make([]bool, len(which)), make([]any, len(which))
	for n, i := range which {
		read[i].Type = "VARCHAR"
		items[n], dest[n] = "coalesce(bool_and(regexp_full_match("+duckdb.Quote(columns[i].Name)+", "+pattern+")), false)", &found[n]
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM (SELECT * FROM " + l.SQL(read, "") + limit + ")"
	if err := c.QueryRow(ctx, sql, nil, dest...); err != nil {
		return nil, err
	}
	for n, i := range which {
		out[i] = found[n]
	}
	return out, nil
}

// settleMoments turns dates and times back into text if the engine detected a
// format other than ISO 8601 in one file, because with only the type it cannot
// parse that again.
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

// textFor returns the type that stores a value as written.
func textFor(typ string) string {
	if strings.ContainsAny(typ, "([") {
		return "JSON"
	}
	return "VARCHAR"
}

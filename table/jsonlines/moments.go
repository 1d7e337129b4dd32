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
	read := slices.Clone(columns)
	for _, i := range which {
		read[i].Type = "VARCHAR"
	}
	return l.all(ctx, c, read, which, "bool_and(regexp_full_match(%s, "+pattern+"))", limit)
}

// all returns for which of the columns an aggregate is true, in the rows up to limit.
func (l Lines) all(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column, which []int,
	aggregate, limit string) (map[int]bool, error) {
	out := map[int]bool{}
	if len(which) == 0 {
		return out, nil
	}
	items, found, dest := make([]string, len(which)), make([]bool, len(which)), make([]any, len(which))
	for n, i := range which {
		items[n], dest[n] = "coalesce("+strings.ReplaceAll(aggregate, "%s", duckdb.Quote(columns[i].Name))+", false)", &found[n]
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM (SELECT * FROM " + l.SQL(columns, "") + limit + ")"
	if err := c.QueryRow(ctx, sql, nil, dest...); err != nil {
		return nil, err
	}
	for n, i := range which {
		out[i] = found[n]
	}
	return out, nil
}

// dateWord matches the JSON of a value that is a word which the engine takes for a date.
const dateWord = `'(?i)"\s*[-+]?(epoch|inf|infinity)\s*"\s*([],}]|$)'`

// settleWords turns dates back into text if words are among them: only ISO 8601 is a date.
// It reads the columns to their ends.
func (l Lines) settleWords(ctx context.Context, c *duckdb.Conn, columns []duckdb.Column, which []int) error {
	read := slices.Clone(columns)
	suspect, err := l.all(ctx, c, columns, which, "bool_or(regexp_matches(%s::VARCHAR, 'infinity|1970-01-01'))", "")
	which = slices.DeleteFunc(slices.Clone(which), func(i int) bool { return !suspect[i] })
	for _, i := range which {
		read[i].Type = "JSON"
	}
	if err != nil || len(which) == 0 {
		return err
	}
	words, err := l.all(ctx, c, read, which, "bool_or(regexp_matches(%s::VARCHAR, "+dateWord+"))", "")
	for i := range columns {
		if words[i] {
			columns[i].Type = textFor(columns[i].Type)
		}
	}
	return err
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
	err := l.settleWords(ctx, c, columns, which)
	if !misfit(err) {
		return err
	}
	for _, i := range which {
		err := l.settleWords(ctx, c, columns, []int{i})
		if misfit(err) {
			columns[i].Type = textFor(columns[i].Type)
		} else if err != nil {
			return err
		}
	}
	return nil
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

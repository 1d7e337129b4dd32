package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/jsonlines"
)

// retype gives JSON columns the types that the caller requests, and converts
// texts to dates if all of them are dates in the requested order. Values that do
// not fit a requested type become null and are counted.
func retype(ctx context.Context, c *duckdb.Conn, p *intake.Profile, o intake.Options, lines jsonlines.Lines) error {
	given, err := o.Retype(p.Columns)
	if err != nil {
		return err
	}
	if given.Order != 0 {
		if err := findDates(ctx, c, p, given, lines); err != nil {
			return err
		}
	}
	var which []int
	var items []string
	for i := range p.Columns {
		if col := &p.Columns[i]; retyped(col) {
			col.SQL = sqlOf(col.Decision)
			which, items = append(which, i), append(items, "count("+duckdb.Quote(col.Name)+")")
		}
	}
	if len(which) == 0 {
		return nil
	}
	counts, dest := make([]int64, len(which)), make([]any, len(which))
	for n := range which {
		dest[n] = &counts[n]
	}
	if err := c.QueryRow(ctx, "SELECT "+strings.Join(items, ", ")+" FROM ("+rowsOfLines(lines, p)+")", nil, dest...); err != nil {
		return err
	}
	for n, i := range which {
		col := &p.Columns[i]
		p.Problems.Misfit += col.NonNull - counts[n]
		col.NonNull, col.Nulls = counts[n], p.Rows-counts[n]
	}
	return nil
}

// FindNear looks at columns that are text because their values have several types of JSON.
// If nearly all values have one type, the others may be mistakes.
func FindNear(ctx context.Context, c *duckdb.Conn, p *intake.Profile, lines jsonlines.Lines, mixed []int) error {
	for _, i := range mixed {
		if p.Columns[i].Forced {
			continue
		}
		read := sqlTypes(p)
		read[i].Type = "JSON"
		var numbers, fractions, bools, texts int64
		var text string
		sql := fmt.Sprintf(`SELECT count(*) FILTER (t NOT IN ('VARCHAR', 'BOOLEAN', 'NULL')), count(*) FILTER (t = 'DOUBLE'),
count(*) FILTER (t = 'BOOLEAN'), count(*) FILTER (t = 'VARCHAR'), coalesce(min(v) FILTER (t = 'VARCHAR'), '')
FROM (SELECT json_type(%[1]s) AS t, %[1]s->>'$' AS v FROM %[2]s)`, duckdb.Quote(read[i].Name), lines.SQL(read, ""))
		if err := c.QueryRow(ctx, sql, nil, &numbers, &fractions, &bools, &texts, &text); err != nil {
			return err
		}
		near := infer.Near{Type: infer.Integer, Misfit: bools + texts, Places: []infer.CellRef{{Text: text}}}
		switch {
		case bools > numbers:
			near.Type, near.Misfit = infer.Boolean, numbers+texts
		case fractions > 0:
			near.Type = infer.Decimal
		}
		if infer.Few(near.Misfit, numbers+bools+texts) {
			p.Columns[i].Near = &near
			p.Problems.Misfit += near.Misfit
		}
	}
	return nil
}

// retyped reports whether a JSON column is read as text and then converted.
func retyped(c *intake.Column) bool { return c.Forced || c.Order != 0 }

// findDates finds text columns in which all values are dates or timestamps in the
// given order.
func findDates(ctx context.Context, c *duckdb.Conn, p *intake.Profile, given infer.Hints, lines jsonlines.Lines) error {
	for i := range p.Columns {
		col := &p.Columns[i]
		if col.Forced || col.SQL != "VARCHAR" || col.NonNull == 0 {
			continue
		}
		for _, typ := range []infer.Type{infer.Date, infer.Timestamp} {
			d := infer.Decision{Type: typ, Order: given.Order, Compact: given.Compact}
			var n int64
			sql := fmt.Sprintf("SELECT count(%s) FROM %s", valueOf(duckdb.Quote(col.Name), d), lines.SQL(sqlTypes(p), ""))
			if err := c.QueryRow(ctx, sql, nil, &n); err != nil {
				return err
			}
			if n == col.NonNull {
				d.NonNull, d.Nulls = col.NonNull, col.Nulls
				col.Decision = d
				break
			}
		}
	}
	return nil
}

// rowsOfLines selects the rows of JSON lines with the types of the profile.
func rowsOfLines(lines jsonlines.Lines, p *intake.Profile) string {
	read, items := sqlTypes(p), make([]string, len(p.Columns))
	for i := range p.Columns {
		col := &p.Columns[i]
		items[i] = duckdb.Quote(col.Name)
		if retyped(col) && col.Type != infer.JSON {
			read[i].Type = "VARCHAR"
			items[i] = valueOf(items[i], col.Decision) + " AS " + items[i]
		}
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + lines.SQL(read, "")
}

// valueOf converts a text; null if it does not fit the type.
func valueOf(text string, d infer.Decision) string {
	value := fmt.Sprintf("TRY_CAST(%s AS %s)", text, sqlOf(d))
	switch d.Type {
	case infer.Integer, infer.Decimal: // a plain cast would round
		return fmt.Sprintf("CASE WHEN length(rtrim(split_part(%s, '.', 2), '0')) <= %d THEN %s END", text, d.Scale, value)
	case infer.Date, infer.Timestamp:
		if d.Order != 0 {
			return fmt.Sprintf("try_strptime(%s, [%s])::%s", text, dateForms(d), sqlOf(d))
		}
	}
	return value
}

// dateForms lists how dates are written in an order of day, month and year.
func dateForms(d infer.Decision) string {
	parts := map[infer.DateOrder][3]string{infer.YMD: {"%Y", "%m", "%d"}, infer.DMY: {"%d", "%m", "%Y"},
		infer.MDY: {"%m", "%d", "%Y"}}[d.Order]
	times := []string{""}
	if d.Type == infer.Timestamp {
		times = append(times, " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M", "T%H:%M:%S", "T%H:%M:%S.%f")
	}
	marks := []string{"/", ".", "-", " ", ". "}
	if d.Compact {
		marks = []string{""}
	}
	var forms []string
	for _, mark := range marks {
		for _, clock := range times {
			forms = append(forms, duckdb.Literal(strings.Join(parts[:], mark)+clock))
		}
	}
	return strings.Join(forms, ", ")
}

// sqlOf is the engine's name of a type.
func sqlOf(d infer.Decision) string {
	switch d.Type {
	case infer.Integer:
		if d.Precision > 18 {
			return "HUGEINT"
		}
		return "BIGINT"
	case infer.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", d.Precision, d.Scale)
	case infer.TimestampTZ:
		return "TIMESTAMP WITH TIME ZONE"
	}
	return map[infer.Type]string{
		infer.Float: "DOUBLE", infer.Boolean: "BOOLEAN", infer.Date: "DATE", infer.Time: "TIME", infer.Timestamp: "TIMESTAMP", infer.JSON: "JSON",
		infer.String: "VARCHAR",
	}[d.Type]
}

package sourcetest

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"time"
)

// Postgres writes the statements that make a table in PostgreSQL and sample it
// for the planner. name is written as it is; record is the composite type of
// kind Record, which must be there.
func Postgres(name, record string, table Table) string {
	w := pgWriter{record: record}
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = pgQuote(c.Name) + " " + w.typ(c.Kind)
		if c.Required {
			columns[i] += " NOT NULL"
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))
	if by := table.PartitionBy; by != "" {
		fmt.Fprintf(&b, ` PARTITION BY LIST (%s);
			CREATE TABLE part1 PARTITION OF %s FOR VALUES IN ('2001-01-02'); CREATE TABLE part2 PARTITION OF %[2]s DEFAULT`, pgQuote(by), name)
	}
	b.WriteString(";\n")
	for _, c := range table.Columns {
		if c.Comment != "" {
			fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", name, pgQuote(c.Name), pgLiteral(c.Comment))
		}
	}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = w.value(table.Columns[i].Kind, v)
		}
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", name, strings.Join(cells, ", "))
	}
	fmt.Fprintf(&b, "ANALYZE %s;\n", name)
	return b.String()
}

func pgQuote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func pgLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

type pgWriter struct{ record string }

func (w pgWriter) typ(kind Kind) string {
	if kind == Record {
		return w.record
	}
	return pgTypes[kind]
}

var pgTypes = map[Kind]string{
	Bool: "boolean", Int: "bigint", Float: "double precision", Decimal: "numeric(18,3)", Wide: "numeric(38,9)", Text: "text", Bytes: "bytea",
	Date: "date", Time: "time", Timestamp: "timestamp", Instant: "timestamptz", Interval: "interval", UUID: "uuid", JSON: "jsonb",
	Ints: "bigint[]", Texts: "text[]",
}

func (w pgWriter) value(kind Kind, v any) string {
	typed := func(text string) string { return pgLiteral(text) + "::" + w.typ(kind) }
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return fmt.Sprint(v)
	case int64:
		return typed(fmt.Sprint(v))
	case float64:
		if math.IsInf(v, 0) {
			return typed(strings.TrimPrefix(fmt.Sprint(v), "+"))
		}
		return typed(fmt.Sprintf("%g", v))
	case string:
		return typed(v)
	case []byte:
		return typed(`\x` + hex.EncodeToString(v))
	case time.Duration:
		return typed(time.Time{}.Add(v).Format("15:04:05.999999"))
	case time.Time:
		return typed(v.Format("2006-01-02 15:04:05.999999") + map[Kind]string{Instant: "+00"}[kind])
	case Span:
		return typed(fmt.Sprintf("%d months %d days %d microseconds", v.Months, v.Days, v.Micros))
	case []any:
		cells := make([]string, len(v))
		for i, e := range v {
			of := Int
			if kind == Texts || kind == Record && i == 1 {
				of = Text
			}
			cells[i] = w.value(of, e)
		}
		if kind == Record {
			return "ROW(" + strings.Join(cells, ", ") + ")::" + w.typ(kind)
		}
		return "ARRAY[" + strings.Join(cells, ", ") + "]::" + w.typ(kind)
	}
	panic(fmt.Sprintf("a %T", v))
}

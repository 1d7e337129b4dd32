package sourcetest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Trino writes the statements that make a table in a catalog of Trino. name is written
// as it is.
func Trino(name string, table Table) []string {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `" ` + trinoTypes[c.Kind]
		if c.Required {
			columns[i] += " NOT NULL"
		}
		if c.Comment != "" {
			columns[i] += " COMMENT " + trinoText(c.Comment)
		}
	}
	out := []string{fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))}
	var rows []string
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = "CAST(" + trinoValue(table.Columns[i].Kind, v) + " AS " + trinoTypes[table.Columns[i].Kind] + ")"
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	if rows != nil {
		out = append(out, fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(rows, ", ")))
	}
	return out
}

var trinoTypes = map[Kind]string{
	Bool: "BOOLEAN", Int: "BIGINT", Float: "DOUBLE", Decimal: "DECIMAL(18,3)", Wide: "DECIMAL(38,9)", Text: "VARCHAR", Bytes: "VARBINARY", Date: "DATE",
	Time: "TIME(6)", Timestamp: "TIMESTAMP(6)", Instant: "TIMESTAMP(6) WITH TIME ZONE", UUID: "UUID", JSON: "JSON",
	Ints: "ARRAY(BIGINT)", Texts: "ARRAY(VARCHAR)", Record: "ROW(a BIGINT, b VARCHAR)",
}

func trinoText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func trinoValue(kind Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		switch {
		case kind == JSON:
			return "JSON " + trinoText(v)
		case kind == Text && len(v) > 1<<16: // longer than a statement may be
			return fmt.Sprintf("replace(lpad('', %d, 'x'), 'x', %s)", len(v)/16, trinoText(v[:16]))
		}
		return trinoText(v)
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "nan()"
		case math.IsInf(v, 0):
			return fmt.Sprintf("%sinfinity()", strings.TrimSuffix(fmt.Sprint(v), "Inf"))
		}
		return strconv.FormatFloat(v, 'e', -1, 64)
	case time.Duration:
		return "TIME '" + time.Time{}.Add(v).Format("15:04:05.000000") + "'"
	case time.Time:
		if kind == Date {
			return v.Format("DATE '2006-01-02'")
		}
		return "TIMESTAMP '" + v.Format("2006-01-02 15:04:05.000000") + map[Kind]string{Instant: " UTC"}[kind] + "'"
	case []any:
		cells := make([]string, len(v))
		for i, e := range v {
			cells[i] = trinoValue([]Kind{Int, Text}[map[Kind]int{Texts: 1, Record: i % 2}[kind]], e)
		}
		if kind == Record {
			return "ROW(" + strings.Join(cells, ", ") + ")"
		}
		return "ARRAY[" + strings.Join(cells, ", ") + "]"
	}
	return fmt.Sprint(v)
}

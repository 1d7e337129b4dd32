package sourcetest

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Spark writes the statements that make a table in Spark, in a session that is in UTC.
// name is written as it is.
func Spark(name string, table Table) []string {
	columns, items := make([]string, len(table.Columns)), make([]string, len(table.Columns))
	for i, c := range table.Columns {
		quoted := "`" + strings.ReplaceAll(c.Name, "`", "``") + "`"
		columns[i] = quoted + " " + sparkTypes[c.Kind]
		if c.Comment != "" {
			columns[i] += " COMMENT '" + strings.ReplaceAll(c.Comment, "'", `\'`) + "'"
		}
		items[i] = fmt.Sprintf("CAST(c%d AS %s)", i, sparkTypes[c.Kind])
	}
	made := []string{"CREATE TABLE " + name + " (" + strings.Join(columns, ", ") + ") USING parquet"}
	var rows, names []string
	for i := range columns {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = sparkValue(table.Columns[i].Kind, v)
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	if len(rows) > 0 {
		made = append(made, "INSERT INTO "+name+" SELECT "+strings.Join(items, ", ")+" FROM VALUES "+strings.Join(rows, ", ")+" AS v("+strings.Join(names, ", ")+")")
	}
	return made
}

var sparkTypes = map[Kind]string{
	Bool: "BOOLEAN", Int: "BIGINT", Float: "DOUBLE", Decimal: "DECIMAL(18,3)", Wide: "DECIMAL(38,9)", Text: "STRING", Bytes: "BINARY", Date: "DATE",
	Timestamp: "TIMESTAMP_NTZ", Instant: "TIMESTAMP", Ints: "ARRAY<BIGINT>", Texts: "ARRAY<STRING>", Record: "STRUCT<a: BIGINT, b: STRING>",
}

func sparkValue(kind Kind, v any) string {
	typed := func(text string) string { return "CAST('" + text + "' AS " + sparkTypes[kind] + ")" }
	switch v := v.(type) {
	case nil:
		return "CAST(NULL AS " + sparkTypes[kind] + ")"
	case string:
		if kind == Text {
			return fmt.Sprintf("CAST(X'%X' AS STRING)", v)
		}
		digits, _ := new(big.Rat).SetString(v)
		return typed(digits.FloatString(9))
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case int64, bool:
		return typed(fmt.Sprint(v))
	case float64:
		if math.IsInf(v, 0) {
			return typed(strings.Replace(fmt.Sprint(v), "Inf", "Infinity", 1))
		}
		return typed(strconv.FormatFloat(v, 'e', -1, 64))
	case time.Time:
		if kind == Date {
			return typed(v.Format("2006-01-02"))
		}
		return typed(v.Format("2006-01-02 15:04:05.000000"))
	case []any:
		if kind == Record {
			return "named_struct('a', " + sparkValue(Int, v[0]) + ", 'b', " + sparkValue(Text, v[1]) + ")"
		}
		cells := make([]string, len(v))
		for i, e := range v {
			cells[i] = sparkValue(map[Kind]Kind{Ints: Int, Texts: Text}[kind], e)
		}
		return "CAST(array(" + strings.Join(cells, ", ") + ") AS " + sparkTypes[kind] + ")"
	}
	panic(fmt.Sprintf("a %T", v))
}

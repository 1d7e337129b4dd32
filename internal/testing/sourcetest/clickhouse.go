package sourcetest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ClickHouse writes the statements that make a table in ClickHouse. name is written as
// it is.
func ClickHouse(name string, table Table) []string {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		typ := clickHouseTypes[c.Kind]
		if !c.Required {
			typ = "Nullable(" + typ + ")"
		}
		if c.Name == table.PartitionBy {
			typ = clickHouseTypes[c.Kind]
		}
		columns[i] = "`" + strings.ReplaceAll(c.Name, "`", "\\`") + "` " + typ
		if c.Comment != "" {
			columns[i] += " COMMENT " + clickHouseText(c.Comment)
		}
	}
	by := ""
	if table.PartitionBy != "" {
		by = " PARTITION BY " + table.PartitionBy
	}
	out := []string{fmt.Sprintf("CREATE TABLE %s (%s) ENGINE = MergeTree%s ORDER BY tuple()", name, strings.Join(columns, ", "), by)}
	var rows []string
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = clickHouseValue(table.Columns[i].Kind, v)
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	if rows != nil {
		out = append(out, fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(rows, ", ")))
	}
	return out
}

// clickHouseTypes are how the kinds are stored; the zone of a point in time is one that
// nobody asked for.
var clickHouseTypes = map[Kind]string{
	Bool: "Bool", Int: "Int64", Float: "Float64", Decimal: "Decimal(18, 3)", Wide: "Decimal(38, 9)", Text: "String", Date: "Date32",
	Instant: "DateTime64(6, 'Asia/Tokyo')", UUID: "UUID",
}

func clickHouseText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func clickHouseValue(kind Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		if kind == Decimal || kind == Wide {
			return fmt.Sprintf("toDecimal128('%s', %d)", v, map[Kind]int{Decimal: 3, Wide: 9}[kind])
		}
		return clickHouseText(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+"))
		}
		return strconv.FormatFloat(v, 'e', -1, 64)
	case time.Time:
		if kind == Date {
			return v.Format("'2006-01-02'")
		}
		return "toDateTime64('" + v.Format("2006-01-02 15:04:05.000000") + "', 6, 'UTC')"
	}
	return fmt.Sprint(v)
}

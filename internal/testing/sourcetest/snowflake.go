package sourcetest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Snowflake writes the statements that make a table in Snowflake. name is written as it is.
func Snowflake(name string, table Table) []string {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `" ` + snowflakeTypes[c.Kind]
		if c.Required {
			columns[i] += " NOT NULL"
		}
		if c.Comment != "" {
			columns[i] += " COMMENT " + clickHouseText(c.Comment)
		}
	}
	out := []string{fmt.Sprintf("CREATE OR REPLACE TABLE %s (%s)", name, strings.Join(columns, ", "))}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = snowflakeValue(v) + "::" + snowflakeTypes[table.Columns[i].Kind]
		}
		out = append(out, fmt.Sprintf("INSERT INTO %s SELECT %s", name, strings.Join(cells, ", ")))
	}
	return out
}

var snowflakeTypes = map[Kind]string{
	Bool: "BOOLEAN", Int: "NUMBER(38,0)", Float: "FLOAT", Decimal: "NUMBER(18,3)", Wide: "NUMBER(38,9)", Text: "VARCHAR",
	Date: "DATE", Time: "TIME", Timestamp: "TIMESTAMP_NTZ", Instant: "TIMESTAMP_TZ",
}

func snowflakeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return clickHouseText(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "'" + strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+")) + "'"
		}
		return "'" + strconv.FormatFloat(v, 'e', -1, 64) + "'"
	case time.Time:
		return v.Format("'2006-01-02 15:04:05.000000 +00:00'")
	case time.Duration:
		return time.Time{}.Add(v).Format("'15:04:05.000000'")
	}
	return "'" + fmt.Sprint(v) + "'"
}

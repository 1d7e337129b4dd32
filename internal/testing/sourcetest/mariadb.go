package sourcetest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MariaDB writes the statements that make a table in MariaDB, whose sessions
// must be in UTC. name is written as it is.
func MariaDB(name string, table Table) string {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = "`" + strings.ReplaceAll(c.Name, "`", "``") + "` " + mariaTypes[c.Kind]
		if c.Required {
			columns[i] += " NOT NULL"
		}
		if c.Comment != "" {
			columns[i] += " COMMENT " + pgLiteral(c.Comment)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (%s);\n", name, strings.Join(columns, ", "))
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = mariaValue(table.Columns[i].Kind, v)
		}
		fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", name, strings.Join(cells, ", "))
	}
	return b.String()
}

// mariaTypes are how the kinds are stored. The collation of texts ignores case,
// accents and padding, as those of most databases do.
var mariaTypes = map[Kind]string{
	Int: "BIGINT", Float: "DOUBLE", Decimal: "DECIMAL(18,3)", Wide: "DECIMAL(38,9)",
	Text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", Bytes: "LONGBLOB", Date: "DATE",
	Timestamp: "DATETIME(6)", Instant: "TIMESTAMP(6) NULL",
}

func mariaValue(kind Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		if kind == Text {
			return fmt.Sprintf("CONVERT(X'%X' USING utf8mb4)", v)
		}
		return v // digits
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case time.Time:
		if kind == Date {
			return v.Format("'2006-01-02'")
		}
		return v.Format("'2006-01-02 15:04:05.000000'")
	}
	return fmt.Sprint(v)
}

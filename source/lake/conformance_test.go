package lake

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/source/sourcetest"
)

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		f := newFolder(t)
		loaded := 0
		return sourcetest.Fixture{
			Source: f.lake,
			Load: func(t testing.TB, table sourcetest.Table) string {
				loaded++
				rel := fmt.Sprintf("t%d/data.parquet", loaded)
				f.copy(t, rel, values(table))
				return rel
			},
			Series: func(t testing.TB, rows int64) string {
				loaded++
				rel := fmt.Sprintf("t%d/data.parquet", loaded)
				f.copy(t, rel, fmt.Sprintf("SELECT range AS n, rpad('pad' || range, 100, 'x') AS pad FROM range(%d)", rows))
				return rel
			},
			// Parquet files of DuckDB's know no columns that are never NULL;
			// see TestNullability.
			NoRequired: true,
		}
	})
}

// values writes a table as a SELECT.
func values(table sourcetest.Table) string {
	items := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		items[i] = fmt.Sprintf("CAST(c%d AS %s) AS %s", i, engineTypes[c.Kind], duckdb.Quote(c.Name))
	}
	rows := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = engineLiteral(table.Columns[j].Kind, v)
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	none := ""
	if len(rows) == 0 {
		none = " WHERE false"
		rows = []string{"(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(items)), ", ") + ")"}
	}
	names := make([]string, len(items))
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (VALUES " + strings.Join(rows, ", ") + ") AS v(" + strings.Join(names, ", ") + ")" + none
}

var engineTypes = map[sourcetest.Kind]string{
	sourcetest.Bool: "BOOLEAN", sourcetest.Int: "BIGINT", sourcetest.Float: "DOUBLE", sourcetest.Decimal: "DECIMAL(18,3)",
	sourcetest.Text: "VARCHAR", sourcetest.Bytes: "BLOB", sourcetest.Date: "DATE", sourcetest.Time: "TIME",
	sourcetest.Timestamp: "TIMESTAMP", sourcetest.Instant: "TIMESTAMPTZ",
}

func engineLiteral(kind sourcetest.Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool, int64:
		return fmt.Sprint(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "'nan'::DOUBLE"
		case math.IsInf(v, 0):
			return fmt.Sprintf("'%s'::DOUBLE", strings.TrimPrefix(fmt.Sprint(v), "+"))
		}
		return fmt.Sprintf("'%g'::DOUBLE", v)
	case string:
		return duckdb.Literal(v) + "::" + engineTypes[kind]
	case []byte:
		var b strings.Builder
		for _, c := range v {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
		return "'" + b.String() + "'::BLOB"
	case time.Duration:
		return "'" + time.Time{}.Add(v).Format("15:04:05.999999") + "'::TIME"
	case time.Time:
		switch kind {
		case sourcetest.Date:
			return "DATE '" + v.Format(time.DateOnly) + "'"
		case sourcetest.Instant:
			return "TIMESTAMPTZ '" + v.Format("2006-01-02 15:04:05.999999") + "+00'"
		}
		return "TIMESTAMP '" + v.Format("2006-01-02 15:04:05.999999") + "'"
	}
	panic(fmt.Sprintf("a %T", v))
}

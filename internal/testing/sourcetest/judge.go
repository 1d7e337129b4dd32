package sourcetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// judge is a query engine of the suite's own: it says what a text means, and
// which rows a predicate selects.
type judge struct {
	mu   sync.Mutex
	conn *duckdb.Conn
}

// judging starts the judge; it lives as long as the tests.
var judging = sync.OnceValues(func() (*judge, error) {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: "500MB", Threads: 1})
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn()
	if err != nil {
		return nil, err
	}
	return &judge{conn: conn}, nil
})

// load makes a table of the rows.
func (j *judge) load(name string, table Table) error {
	return j.conn.Exec(context.Background(), "CREATE OR REPLACE TABLE "+duckdb.Quote(name)+" AS "+DuckDB(table))
}

func (j *judge) set(disabled string) error {
	return j.conn.Exec(context.Background(), "SET disabled_optimizers = "+duckdb.Literal(disabled))
}

// ints runs a SELECT of one column of numbers, and sorts them.
func (j *judge) ints(sql string) ([]int64, error) {
	r, err := j.conn.Query(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	rows, err := drain(r, []Kind{Int})
	if err != nil {
		return nil, err
	}
	out := []int64{}
	for _, row := range rows {
		out = append(out, row[0].(int64))
	}
	slices.Sort(out)
	return out, nil
}

// DuckDB writes a table as a SELECT in DuckDB's SQL, for fixtures that are
// filled through it.
func DuckDB(table Table) string {
	items := make([]string, len(table.Columns))
	names := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		items[i] = fmt.Sprintf("CAST(c%d AS %s) AS %s", i, DuckDBTypes[c.Kind], duckdb.Quote(c.Name))
		names[i] = fmt.Sprintf("c%d", i)
	}
	rows := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = duckLiteral(table.Columns[j].Kind, v)
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	none := ""
	if len(rows) == 0 {
		none = " WHERE false"
		rows = []string{"(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(items)), ", ") + ")"}
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (VALUES " + strings.Join(rows, ", ") + ") AS v(" + strings.Join(names, ", ") + ")" + none
}

// CreateDuckDB makes a table of a database of DuckDB.
func CreateDuckDB(name string, table Table) string {
	var columns []string
	comments := ""
	for _, c := range table.Columns {
		of := duckdb.Quote(c.Name) + " " + DuckDBTypes[c.Kind]
		if c.Required {
			of += " NOT NULL"
		}
		columns = append(columns, of)
		if c.Comment != "" {
			comments += fmt.Sprintf("; COMMENT ON COLUMN %s.%s IS %s", name, duckdb.Quote(c.Name), duckdb.Literal(c.Comment))
		}
	}
	return "CREATE TABLE " + name + "(" + strings.Join(columns, ", ") + "); INSERT INTO " + name + " " + DuckDB(table) + comments
}

// DuckDBTypes are the types of the kinds in DuckDB.
var DuckDBTypes = map[Kind]string{
	Bool: "BOOLEAN", Int: "BIGINT", Float: "DOUBLE", Decimal: "DECIMAL(18,3)", Wide: "DECIMAL(38,9)", Text: "VARCHAR", Bytes: "BLOB", Date: "DATE",
	Time: "TIME", Timestamp: "TIMESTAMP", Instant: "TIMESTAMPTZ", Interval: "INTERVAL", UUID: "UUID", JSON: "JSON",
	Ints: "BIGINT[]", Texts: "VARCHAR[]", Record: "STRUCT(a BIGINT, b VARCHAR)",
}

func duckLiteral(kind Kind, v any) string {
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
		return duckdb.Literal(v) + "::" + DuckDBTypes[kind]
	case []byte:
		var b strings.Builder
		for _, c := range v {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
		return "'" + b.String() + "'::BLOB"
	case time.Duration:
		return "'" + time.Time{}.Add(v).Format("15:04:05.999999") + "'::TIME"
	case time.Time:
		return "'" + v.Format("2006-01-02 15:04:05.999999") + map[Kind]string{Instant: "+00"}[kind] + "'::" + DuckDBTypes[kind]
	case Span:
		return fmt.Sprintf("(to_months(%d) + to_days(%d) + to_microseconds(%d))", v.Months, v.Days, v.Micros)
	case []any:
		if kind == Record {
			return fmt.Sprintf("{'a': %s, 'b': %s}::%s", duckLiteral(Int, v[0]), duckLiteral(Text, v[1]), DuckDBTypes[kind])
		}
		cells := make([]string, len(v))
		for i, e := range v {
			cells[i] = duckLiteral(map[Kind]Kind{Ints: Int, Texts: Text}[kind], e)
		}
		return "[" + strings.Join(cells, ", ") + "]::" + DuckDBTypes[kind]
	}
	panic(fmt.Sprintf("a %T", v))
}

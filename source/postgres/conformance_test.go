package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/sourcetest"
)

func TestConformance(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		d := newDatabase(t)
		d.exec(t, `CREATE SCHEMA "Schéma 1; x"; CREATE TYPE "Schéma 1; x".record AS (a bigint, b text)`)
		loaded := 0
		next := func() string {
			loaded++
			return fmt.Sprintf(`"Schéma 1; x"."tab""le %d"`, loaded)
		}
		return sourcetest.Fixture{
			Source: d.source,
			Load: func(t testing.TB, table sourcetest.Table) string {
				name := next()
				d.load(t, name, table)
				return name
			},
			Series: func(t testing.TB, rows int64) string {
				name := next()
				d.exec(t, fmt.Sprintf(`CREATE TABLE %s AS SELECT n, rpad('pad' || n, 100, 'x') AS pad FROM generate_series(0, %d::bigint - 1) AS n; ANALYZE %[1]s`, name, rows))
				return name
			},
			Missing: "public.no_such_relation",
			Slow: func(t testing.TB) string {
				name := next()
				d.exec(t, "CREATE VIEW "+name+" AS SELECT n FROM generate_series(1, 10000000000) AS n WHERE n < 0")
				return name
			},
			Running: func(t testing.TB) int {
				var n int
				if err := d.admin.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
					WHERE datname = $1 AND application_name = 'da' AND state = 'active'`, d.name).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			},
			Kill: func(t testing.TB) {
				if err := d.cluster.Kill(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := d.cluster.Restart(); err != nil {
						t.Fatal(err)
					}
				})
			},
			Denied: func(t testing.TB) (source.Source, string) {
				d.exec(t, "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'right-secret'")
				return d.open(t, "user=guarded password=wrong-secret"), "wrong-secret"
			},
			Impatient: func(t testing.TB) source.Source { return d.open(t, "statement_timeout=200") },
			Without:   []sourcetest.Ability{sourcetest.Counting},
		}
	})
}

var engineTypes = map[sourcetest.Kind]string{
	sourcetest.Bool: "boolean", sourcetest.Int: "bigint", sourcetest.Float: "double precision", sourcetest.Decimal: "numeric(18,3)",
	sourcetest.Wide: "numeric(38,9)", sourcetest.Text: "text", sourcetest.Bytes: "bytea", sourcetest.Date: "date", sourcetest.Time: "time",
	sourcetest.Timestamp: "timestamp", sourcetest.Instant: "timestamptz", sourcetest.Interval: "interval", sourcetest.UUID: "uuid",
	sourcetest.JSON: "jsonb", sourcetest.Ints: "bigint[]", sourcetest.Texts: "text[]", sourcetest.Record: `"Schéma 1; x".record`,
}

func (d *database) load(t testing.TB, name string, table sourcetest.Table) {
	t.Helper()
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = quote(c.Name) + " " + engineTypes[c.Kind]
		if c.Required {
			columns[i] += " NOT NULL"
		}
	}
	create := fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(columns, ", "))
	if by := table.PartitionBy; by != "" {
		create += fmt.Sprintf(` PARTITION BY LIST (%s); CREATE TABLE part1 PARTITION OF %s FOR VALUES IN ('2001-01-02'); CREATE TABLE part2 PARTITION OF %[2]s DEFAULT`,
			quote(by), name)
	}
	d.exec(t, create)
	for _, c := range table.Columns {
		if c.Comment != "" {
			d.exec(t, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", name, quote(c.Name), literal(c.Comment)))
		}
	}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = engineLiteral(table.Columns[i].Kind, v)
		}
		d.exec(t, "INSERT INTO "+name+" VALUES ("+strings.Join(cells, ", ")+")")
	}
	d.exec(t, "ANALYZE "+name)
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func engineLiteral(kind sourcetest.Kind, v any) string {
	typed := func(text string) string { return literal(text) + "::" + engineTypes[kind] }
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
		return typed(v.Format("2006-01-02 15:04:05.999999") + map[sourcetest.Kind]string{sourcetest.Instant: "+00"}[kind])
	case sourcetest.Span:
		return typed(fmt.Sprintf("%d months %d days %d microseconds", v.Months, v.Days, v.Micros))
	case []any:
		cells := make([]string, len(v))
		for i, e := range v {
			of := sourcetest.Int
			if kind == sourcetest.Texts || kind == sourcetest.Record && i == 1 {
				of = sourcetest.Text
			}
			cells[i] = engineLiteral(of, e)
		}
		if kind == sourcetest.Record {
			return "ROW(" + strings.Join(cells, ", ") + ")::" + engineTypes[kind]
		}
		return "ARRAY[" + strings.Join(cells, ", ") + "]::" + engineTypes[kind]
	}
	panic(fmt.Sprintf("a %T", v))
}

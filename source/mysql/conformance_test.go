package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/mariatest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/sourcetest"
)

// database is a server with a database of the test's own.
type database struct {
	server *mariatest.Server
	admin  *sql.DB
	loaded int
}

func newDatabase(t testing.TB, server *mariatest.Server) *database {
	t.Helper()
	// The driver's own settings, so that loading follows other code than reading.
	admin, err := sql.Open("mysql", server.DSN("root", "", "", "charset=utf8mb4&sql_mode=%27%27&time_zone=%27%2B00:00%27&multiStatements=true"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() }) // of a server that may be dead
	d := &database{server: server, admin: admin}
	d.exec(t, "DROP DATABASE IF EXISTS shop; CREATE DATABASE shop CHARACTER SET latin1; CREATE DATABASE IF NOT EXISTS series")
	return d
}

func (d *database) exec(t testing.TB, statement string) {
	t.Helper()
	if _, err := d.admin.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
}

func (d *database) open(t testing.TB, user, password, parameters string) *MySQL {
	t.Helper()
	m, err := Open(Options{DSN: d.server.DSN(user, password, "shop", parameters)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// types are how the kinds are stored. The collation of texts ignores case,
// accents and padding, as those of most databases do.
var types = map[sourcetest.Kind]string{
	sourcetest.Int: "BIGINT", sourcetest.Float: "DOUBLE", sourcetest.Decimal: "DECIMAL(18,3)", sourcetest.Wide: "DECIMAL(38,9)",
	sourcetest.Text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", sourcetest.Bytes: "LONGBLOB", sourcetest.Date: "DATE",
	sourcetest.Timestamp: "DATETIME(6)",
}

// literal writes a value as loading needs it.
func literal(kind sourcetest.Kind, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		if kind == sourcetest.Text {
			return fmt.Sprintf("CONVERT(X'%X' USING utf8mb4)", v)
		}
		return v
	case []byte:
		return fmt.Sprintf("X'%X'", v)
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case time.Time:
		if kind == sourcetest.Date {
			return v.Format("'2006-01-02'")
		}
		return v.Format("'2006-01-02 15:04:05.000000'")
	}
	return fmt.Sprint(v)
}

func (d *database) load(t testing.TB, table sourcetest.Table) string {
	t.Helper()
	d.loaded++
	name := fmt.Sprintf("t%d", d.loaded)
	var columns []string
	for _, c := range table.Columns {
		column := quote(c.Name) + " " + types[c.Kind]
		if c.Required {
			column += " NOT NULL"
		}
		if c.Comment != "" {
			column += " COMMENT '" + strings.ReplaceAll(c.Comment, "'", "''") + "'"
		}
		columns = append(columns, column)
	}
	d.exec(t, fmt.Sprintf("CREATE TABLE shop.%s (%s)", name, strings.Join(columns, ", ")))
	for _, row := range table.Rows {
		var values []string
		for i, v := range row {
			values = append(values, literal(table.Columns[i].Kind, v))
		}
		d.exec(t, fmt.Sprintf("INSERT INTO shop.%s VALUES (%s)", name, strings.Join(values, ", ")))
	}
	return name
}

func TestConformance(t *testing.T) {
	server := mariatest.New(t)
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		d := newDatabase(t, server)
		return sourcetest.Fixture{
			Source: d.open(t, "root", "", ""),
			Engine: predicate.MySQL,
			Load:   d.load,
			Series: func(t testing.TB, rows int64) string {
				// Long tables take seconds to make: one serves all tests.
				name := fmt.Sprintf("series.n%d", rows)
				d.exec(t, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s AS SELECT CAST(seq AS INT) AS n, rpad(concat('pad', seq), 100, 'x') AS pad FROM series.seq_0_to_%d", name, rows-1))
				return name
			},
			Missing: "shop.no_such_relation",
			Slow: func(t testing.TB) string {
				d.exec(t, "CREATE OR REPLACE VIEW shop.slow AS SELECT CAST(a.seq AS INT) AS n FROM shop.seq_1_to_1000000 a, shop.seq_1_to_1000000 b WHERE a.seq + b.seq < 0")
				return "slow"
			},
			Running: func(t testing.TB) int {
				var n int
				err := d.admin.QueryRowContext(context.Background(),
					"SELECT count(*) FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID()").Scan(&n)
				if err != nil {
					t.Fatal(err)
				}
				return n
			},
			Kill: func(t testing.TB) {
				if err := server.Kill(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := server.Restart(); err != nil {
						t.Fatal(err)
					}
				})
			},
			Denied: func(t testing.TB) (source.Source, string) {
				d.exec(t, "CREATE OR REPLACE USER guarded IDENTIFIED BY 'right'")
				return d.open(t, "guarded", "wrong-secret", ""), "wrong-secret"
			},
			Impatient: func(t testing.TB) source.Source { return d.open(t, "root", "", "max_statement_time=0.2") },
			// It has no zone that reaches before 1970, no kind for times of a day that
			// keeps to the day, and of what is not flat only texts.
			Lacks: []sourcetest.Kind{sourcetest.Bool, sourcetest.Time, sourcetest.Instant, sourcetest.Interval, sourcetest.UUID, sourcetest.JSON,
				sourcetest.Ints, sourcetest.Texts, sourcetest.Record},
			Without: []sourcetest.Ability{sourcetest.Partitions, sourcetest.Infinities},
		}
	})
}

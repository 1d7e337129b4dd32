package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/agnes-data/da/internal/testing/mariatest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
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

func (d *database) open(t testing.TB, user, password, parameters string) *MariaDB {
	t.Helper()
	m, err := Open(Options{DSN: d.server.DSN(user, password, "shop", parameters)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (d *database) load(t testing.TB, table sourcetest.Table) string {
	t.Helper()
	d.loaded++
	name := fmt.Sprintf("t%d", d.loaded)
	d.exec(t, sourcetest.MariaDB("shop."+name, table))
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
				// The server writes its log once a second, or with such a change.
				d.exec(t, "SET GLOBAL innodb_flush_log_at_trx_commit = 1; CREATE OR REPLACE TABLE shop.flushed (n INT) ENGINE = InnoDB; INSERT INTO shop.flushed VALUES (1)")
				if err := server.Kill(); err != nil {
					t.Fatal(err)
				}
			},
			Restart: func(t testing.TB) {
				if err := server.Restart(); err != nil {
					t.Fatal(err)
				}
			},
			Guarded: func(t testing.TB, relation string) sourcetest.Guarded {
				d.exec(t, "CREATE OR REPLACE USER expiring IDENTIFIED BY 'right-secret'; GRANT SELECT ON shop."+relation+" TO expiring")
				return sourcetest.Guarded{Source: d.open(t, "expiring", "right-secret", ""), Secret: "right-secret",
					Expire: func() { d.exec(t, "ALTER USER expiring ACCOUNT LOCK; KILL HARD CONNECTION USER expiring") },
					Renew:  func() { d.exec(t, "ALTER USER expiring ACCOUNT UNLOCK") }}
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

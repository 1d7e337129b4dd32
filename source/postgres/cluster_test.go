package postgres

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/internal/pgtest"
)

// shared is the cluster of all tests that do not need one of their own; each
// has a database in it.
var shared = sync.OnceValues(func() (*pgtest.Cluster, error) { return pgtest.Start(pgtest.Options{TCP: true}) })

var started bool

func TestMain(m *testing.M) {
	code := m.Run()
	if started {
		if c, err := shared(); err == nil {
			if err := c.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code) //nolint:forbidigo // this is main here
}

// database is a database of one test.
type database struct {
	cluster *pgtest.Cluster
	name    string
	admin   *pgx.Conn
	source  *Postgres // closed by those who use it
}

var databases int

func newDatabase(t testing.TB) *database {
	t.Helper()
	started = true
	cluster, err := shared()
	pgtest.Require(t, err)
	databases++
	d := &database{cluster: cluster, name: fmt.Sprintf("test%d", databases)}
	d.connect(t, "postgres")
	d.exec(t, "CREATE DATABASE "+d.name)
	d.admin.Close(context.Background())
	return d.again(t)
}

// again is the same database, over connections of its own.
func (d *database) again(t testing.TB) *database {
	t.Helper()
	d = &database{cluster: d.cluster, name: d.name}
	d.connect(t, d.name)
	t.Cleanup(func() { d.admin.Close(context.Background()) })
	d.source = d.open(t, "")
	return d
}

func (d *database) connect(t testing.TB, name string) {
	t.Helper()
	var err error
	if d.admin, err = pgx.Connect(context.Background(), d.dsn("")+" dbname="+name); err != nil {
		t.Fatal(err)
	}
}

// dsn connects to the test's own database.
func (d *database) dsn(more string) string {
	return strings.Replace(d.cluster.DSN(more), "dbname=postgres", "dbname="+d.name, 1)
}

func (d *database) open(t testing.TB, more string) *Postgres {
	t.Helper()
	p, err := Open(Options{DSN: d.dsn(more)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (d *database) exec(t testing.TB, sql string) {
	t.Helper()
	if _, err := d.admin.Exec(context.Background(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%.500s: %v", sql, err)
	}
}

package postgres

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// database is a database of one test.
type database struct {
	pgtest.Database
	admin  *pgx.Conn
	source *Postgres // closed by those who use it
}

func newDatabase(t testing.TB) *database {
	t.Helper()
	return (&database{Database: pgtest.Shared(t)}).again(t)
}

// again is the same database, over connections of its own.
func (d *database) again(t testing.TB) *database {
	t.Helper()
	d = &database{Database: d.Database}
	d.connect(t)
	t.Cleanup(func() { d.admin.Close(context.Background()) })
	d.source = d.open(t, "")
	return d
}

func (d *database) connect(t testing.TB) {
	t.Helper()
	var err error
	if d.admin, err = pgx.Connect(context.Background(), d.DSN("")); err != nil {
		t.Fatal(err)
	}
}

func (d *database) open(t testing.TB, more string) *Postgres {
	t.Helper()
	p, err := Open(Options{DSN: d.DSN(more)})
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

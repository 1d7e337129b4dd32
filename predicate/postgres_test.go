package predicate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/predicate"
)

// pgEngine is a PostgreSQL of the test's own.
type pgEngine struct{ conn *pgx.Conn }

// openPostgres starts a private cluster with the test's table.
func openPostgres(t *testing.T) *pgEngine {
	t.Helper()
	cluster := pgtest.New(t, pgtest.Options{})
	conn, err := pgx.Connect(t.Context(), cluster.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	sql, err := os.ReadFile(filepath.Join("testdata", "orders.postgres.sql"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), string(sql)); err != nil {
		t.Fatal(err)
	}
	return &pgEngine{conn}
}

func (e *pgEngine) scalar(sql string) (string, error) {
	var text *string
	err := e.conn.QueryRow(context.Background(), sql, pgx.QueryExecModeSimpleProtocol).Scan(&text)
	if err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

func (e *pgEngine) rows(where string) (string, error) { return e.scalar(selectRows + where) }

// refusedByPostgres tells a statement that was refused (class 42) from one
// that failed while it ran.
func refusedByPostgres(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && strings.HasPrefix(e.Code, "42")
}

func TestPostgres(t *testing.T) {
	pg := openPostgres(t)
	s := predicate.CorpusSchema(t, predicate.Postgres)
	t.Run("corpus", func(t *testing.T) {
		for _, where := range predicate.Corpus(t, predicate.Postgres) {
			if !sameRows(t, predicate.Postgres, s, pg, where) {
				t.Errorf("refused: %s", where)
			}
		}
	})
	t.Run("random predicates", func(t *testing.T) {
		g := predicate.NewGenerator(predicate.Postgres, s, 2)
		n, accepted := campaign(t, 800), 0
		for range n {
			if sameRows(t, predicate.Postgres, s, pg, g.Predicate(2)) {
				accepted++
			}
		}
		t.Logf("%d of %d predicates accepted", accepted, n)
		if accepted < n/4 {
			t.Errorf("only %d of %d random predicates were accepted: the generator proves too little", accepted, n)
		}
	})
	duck := openDuck(t)
	t.Run("facts of GoogleSQL", func(t *testing.T) { factsHold(t, predicate.Postgres, pg, len(googleFacts)-8) })
	crossBoth(t, duck, pg)
	operationsBothWays(t, duck, pg)
}

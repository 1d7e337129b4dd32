package predicate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// campaign is how many random predicates the differential tests try: a few
// thousand in every test run, as many as PREDICATE_CAMPAIGN says for a proof.
func campaign(t testing.TB, short int) int {
	v := os.Getenv("PREDICATE_CAMPAIGN")
	if v == "" {
		return short
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("PREDICATE_CAMPAIGN: %v", err)
	}
	return n
}

// engine answers which rows of the test table a predicate selects.
type engine interface {
	// rows returns the ids of the selected rows, or what kind of error the
	// engine had.
	rows(where string) (ids string, failure error)
	// scalar returns the one text that a statement yields, "" for NULL.
	scalar(sql string) (string, error)
}

type duckEngine struct{ conn *duckdb.Conn }

func openDuck(t testing.TB) *duckEngine {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: "500MB", Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	sql, err := os.ReadFile(filepath.Join("testdata", "orders.duckdb.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range strings.Split(string(sql), ";\n") {
		if strings.TrimSpace(stmt) == "" {
			continue
		}
		if err := conn.Exec(context.Background(), stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
	return &duckEngine{conn}
}

// meaning is what the text selects without the optimizer's rewriting of
// expressions, some of which is wrong about NULL.
func (e *duckEngine) meaning(where string) (string, error) {
	ctx := context.Background()
	if err := e.conn.Exec(ctx, "SET disabled_optimizers = 'expression_rewriter'"); err != nil {
		return "", err
	}
	ids, err := e.rows(where)
	return ids, errors.Join(err, e.conn.Exec(ctx, "SET disabled_optimizers = ''"))
}

func (e *duckEngine) scalar(sql string) (string, error) {
	var v any
	if err := e.conn.QueryRow(context.Background(), sql, nil, &v); err != nil {
		return "", err
	}
	text, _ := v.(string)
	return text, nil
}

func (e *duckEngine) rows(where string) (string, error) { return e.scalar(selectRows + where) }

// selectRows is the statement that a predicate completes.
const selectRows = "SELECT string_agg(CAST(row_no AS VARCHAR), ',' ORDER BY row_no) FROM orders WHERE "

// refusedByBinder tells an engine's refusal of the statement from a failure
// while running it.
func refusedByBinder(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == "Parser" || e.Type == "Binder" || e.Type == "Catalog")
}

// sameRows compares the user's text with what is printed for the engine that
// it was written for.
func sameRows(t *testing.T, d predicate.Dialect, s *predicate.Schema, e engine, where string) (accepted bool) {
	t.Helper()
	expr, err := predicate.Parse(d, where, s)
	if err != nil {
		return false
	}
	printed, err := print.SQL(d, expr, predicate.Env{})
	if err != nil {
		t.Errorf("%s: accepted, but not printed: %v", where, err)
		return true
	}
	want, wantErr := e.rows(where)
	got, gotErr := e.rows(printed)
	switch {
	case (wantErr == nil) != (gotErr == nil):
		t.Errorf("%s\nprinted %s\ntext: %v\nprinted: %v", where, printed, wantErr, gotErr)
	case wantErr != nil && (refusedByBinder(wantErr) || refusedByPostgres(wantErr)):
		t.Errorf("accepted, but the engine refuses %s\n%s", where, firstLine(wantErr))
	case got != want && !rewrittenWrongly(e, where, got):
		t.Errorf("%s\nselects %s\nprinted %s\nselects %s", where, want, printed, got)
	}
	return true
}

func TestDuckDBSelectsTheSameRowsForTheCorpus(t *testing.T) {
	e, s := openDuck(t), predicate.CorpusSchema(t, predicate.DuckDB)
	for _, where := range predicate.Corpus(t, predicate.DuckDB) {
		if !sameRows(t, predicate.DuckDB, s, e, where) {
			t.Errorf("refused: %s", where)
		}
	}
}

func TestDuckDBSelectsTheSameRowsForRandomPredicates(t *testing.T) {
	e, s := openDuck(t), predicate.CorpusSchema(t, predicate.DuckDB)
	g := predicate.NewGenerator(predicate.DuckDB, s, 1)
	n, accepted := campaign(t, 800), 0
	for range n {
		if sameRows(t, predicate.DuckDB, s, e, g.Predicate(2)) {
			accepted++
		}
	}
	t.Logf("%d of %d predicates accepted", accepted, n)
	if accepted < n/4 {
		t.Errorf("only %d of %d random predicates were accepted: the generator proves too little", accepted, n)
	}
}

// firstLine leaves out the candidates that an engine lists.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// rewrittenWrongly tells that the engine's optimizer, not the printer, made the
// difference.
func rewrittenWrongly(e engine, where, ids string) bool {
	duck, ok := e.(*duckEngine)
	if !ok {
		return false
	}
	meant, err := duck.meaning(where)
	return err == nil && meant == ids
}

func TestDuckDBForgetsNullBehindDateTrunc(t *testing.T) {
	e := openDuck(t)
	const text = "date_trunc('month', d) <> DATE '2026-01-15'"
	expr, err := predicate.Parse(predicate.DuckDB, text, predicate.CorpusSchema(t, predicate.DuckDB))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := print.SQL(predicate.DuckDB, expr, predicate.Env{})
	if err != nil {
		t.Fatal(err)
	}
	const dated = "1,2,3,5,6,7,8,9,10" // row 4 has no date
	if got, err := e.rows(printed); err != nil || got != dated {
		t.Errorf("%s selects %s (%v), want %s", printed, got, err, dated)
	}
	if got, err := e.rows(text); err != nil || got == dated {
		t.Errorf("DuckDB selects %s (%v) for the plain text: the detour in print_duckdb.go is no longer needed", got, err)
	}
}

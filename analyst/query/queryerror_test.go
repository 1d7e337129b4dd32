package query

import (
	"errors"
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement"
)

// TestWhatTheEngineRefuses has a next step, also where the engine gives no place.
func TestWhatTheEngineRefuses(t *testing.T) {
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT id, count(*) FROM range(3) t(id)", "SELECT id FROM range(3) t(id) ORDER BY 9", "SELECT max(sum(id)) FROM range(3) t(id)",
		"SELECT id FROM range(3) a(id), range(3) b(id)", "SELECT 1 UNION SELECT 1, 2", "SELECT 'x' + 1", "SELECT unnest(1)", "SELECT 1 LIMIT -1",
		"SELECT (SELECT id FROM range(3) t(id))", "SELECT regexp_matches('a', '(')", "SELECT strptime('x', '%d')", "SELECT sqrt(-1)",
		"SELECT 1 FROM range(3) t(id) WHERE row_number() OVER () = 1", "SELECT printf('%d', 'x')", "SELECT map {1: 2, 1: 3}",
	} {
		failed := conn.Exec(t.Context(), sql)
		var e *api.Error
		if !errors.As(queryError(t.Context(), &statement.Select{SQL: sql}, nil, failed), &e) || e.Hint == "" {
			t.Errorf("%s: %v has no hint", sql, failed)
		}
	}
}

// TestAColumnThatIsAPartOfWhatWasWritten is suggested first: the engine finds
// other names more alike.
func TestAColumnThatIsAPartOfWhatWasWritten(t *testing.T) {
	got := meant(&duckdb.Error{Subtype: "COLUMN_NOT_FOUND", Name: "arr_delay", Candidates: []string{"date"}}, []string{"date", "delay", "id"})
	if !slices.Equal(got, []string{"delay", "date"}) {
		t.Errorf("got %q", got)
	}
	dotted := &duckdb.Error{Message: `Referenced table "Name" not found!`, Candidates: []string{"c"}}
	if got := meant(dotted, []string{"id", "name.common", "names"}); !slices.Equal(got, []string{"name.common", "c"}) {
		t.Errorf("a column with a dot: %q", got)
	}
	hint := predicate.DidYouMean(predicate.DuckDB, []string{"name.common", "US Gross", "order", "a.Name", "a.US Gross", "id"}, []string{"name.common"})
	if want := `Did you mean "name.common" or "US Gross" or "order" or a.Name or a."US Gross" or id?`; hint != want {
		t.Errorf("as a statement writes them: %s", hint)
	}
	if got := meant(&duckdb.Error{Subtype: "MISSING_ENTRY", Name: "delays"}, []string{"delay"}); len(got) != 0 {
		t.Errorf("a table is taken for a column: %q", got)
	}
}

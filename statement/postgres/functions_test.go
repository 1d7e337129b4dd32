package postgres

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestFunctionsChangeNothing looks each function up in the engine: all that its
// name can call must be of the engine's own code and without side effects.
func TestFunctionsChangeNothing(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), pgtest.Shared(t).DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for name, from := range functions() {
		var n, harmful, sets int
		err := conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE provolatile = 'v' OR prosecdef OR lanname NOT IN ('internal', 'sql')), count(*) FILTER (WHERE proretset)
			FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = $1`, name).Scan(&n, &harmful, &sets)
		switch {
		case err != nil:
			t.Fatal(err)
		case n == 0:
			t.Errorf("the engine has no function %s", name)
		case harmful > 0:
			t.Errorf("%d forms of the function %s may change something, or are not the engine's own", harmful, name)
		case from && sets == 0:
			t.Errorf("the function %s makes no rows", name)
		}
	}
	if len(functions()) < 200 {
		t.Errorf("%d functions are few", len(functions()))
	}
	for name := range castTypes.All() {
		var known bool
		if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_type WHERE typname = $1 AND typnamespace = 'pg_catalog'::regnamespace)`, name).Scan(&known); err != nil || !known {
			t.Errorf("the engine has no type %s (%v)", name, err)
		}
	}
}

// TestFunctionsOfRows asks the engine which of its names behind a dot tell two
// rows apart.
func TestFunctionsOfRows(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), pgtest.Shared(t).DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	found, err := conn.Query(t.Context(), `SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND pronargs - pronargdefaults <= 1 AND (provolatile = 'i' OR proname::text = ANY($1))
		UNION SELECT unnest($2::text[])`, slices.Collect(maps.Keys(functions())), slices.Collect(maps.Keys(castTypes.All())))
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil || len(names) < 500 {
		t.Fatalf("%d names, %v", len(names), err)
	}
	told := map[string]bool{}
	for _, name := range names {
		var differ bool
		sql := fmt.Sprintf("SELECT (SELECT t.%[1]s FROM (SELECT 1 AS a, 'x' AS b) t)::text IS DISTINCT FROM (SELECT t.%[1]s FROM (SELECT 2 AS c) t)::text", pgx.Identifier{name}.Sanitize())
		if err := conn.QueryRow(t.Context(), sql).Scan(&differ); err == nil && differ && name != "max" && name != "min" { // of rows only in later versions, and names of many columns
			told[name] = true
		}
	}
	if !maps.Equal(told, ofRows.All()) {
		t.Errorf("the engine's are %v", slices.Sorted(maps.Keys(told)))
	}
}

package statement

import (
	"slices"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// engineFunctions lists what the engine can call: in expressions, and in FROM.
// What only PRAGMA and CALL reach is left out, as no SELECT holds them.
func engineFunctions(t *testing.T, types string) []string {
	t.Helper()
	rows, err := engine(t).Query(t.Context(), `SELECT DISTINCT lower(function_name) FROM duckdb_functions()
		WHERE function_type IN (`+types+`) ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	var names []string
	for rows.Next() {
		batch := rows.RecordBatch()
		for i := range int(batch.NumRows()) {
			names = append(names, batch.Column(0).ValueStr(i))
		}
	}
	if rows.Err() != nil || len(names) == 0 {
		t.Fatalf("found %d functions: %v", len(names), rows.Err())
	}
	return names
}

// TestEveryFunctionIsDecided holds the two lists against the engine, both ways,
// so that a new release of the engine brings nothing that nobody has looked at.
func TestEveryFunctionIsDecided(t *testing.T) {
	inExpr := engineFunctions(t, "'scalar', 'aggregate', 'macro'")
	from := engineFunctions(t, "'table', 'table_macro'")
	l := functions()
	for _, name := range inExpr {
		if _, refused := l.reason[name]; !l.inExpr[name] && !refused {
			t.Errorf("function %s of DuckDB %s stands in neither list", name, duckdb.Version)
		}
	}
	for _, name := range from {
		if _, refused := l.reason[name]; !l.inFrom[name] && !refused {
			t.Errorf("table function %s of DuckDB %s stands in neither list", name, duckdb.Version)
		}
	}
	eachFunction(allowedText, func(group, name string) {
		known := inExpr
		if group == inFrom {
			known = from
		}
		if group != "forms" && !slices.Contains(known, name) {
			t.Errorf("allowed.txt: the engine has no function %s", name)
		}
		// A name may be an aggregate and a table function at once.
		if _, refused := l.reason[name]; refused && (!slices.Contains(inExpr, name) || !slices.Contains(from, name)) {
			t.Errorf("function %s stands in both lists", name)
		}
	})
	eachFunction(refusedText, func(_, name string) {
		if !slices.Contains(inExpr, name) && !slices.Contains(from, name) {
			t.Errorf("refused.txt: the engine has no function %s", name)
		}
	})
	if len(l.inExpr) < 500 || len(l.inFrom) < 5 || len(l.reason) < 100 {
		t.Errorf("the lists are short: %d, %d, %d", len(l.inExpr), len(l.inFrom), len(l.reason))
	}
}

// TestMacrosHideNothing looks into the functions that are text of their own:
// those that are allowed may call only what is allowed, but for the few that
// raise an error on a bad argument.
func TestMacrosHideNothing(t *testing.T) {
	conn := engine(t)
	l := functions()
	rows, err := conn.Query(t.Context(), `SELECT lower(function_name), macro_definition FROM duckdb_functions()
		WHERE function_type = 'macro'`)
	if err != nil {
		t.Fatal(err)
	}
	macros := map[string]string{}
	for rows.Next() {
		batch := rows.RecordBatch()
		for i := range int(batch.NumRows()) {
			macros[batch.Column(0).ValueStr(i)] = batch.Column(1).ValueStr(i)
		}
	}
	rows.Release()
	looked := 0
	for name, body := range macros {
		if !l.inExpr[name] {
			continue
		}
		looked++
		_, err := Check(t.Context(), conn, "SELECT "+body)
		if err != nil && refusal(t, err).Details["function"] != "error" {
			t.Errorf("macro %s: %v: %s", name, err, body)
		}
	}
	if looked < 50 {
		t.Errorf("looked at %d macros only", looked)
	}
}

// TestDeepJSONKillsNothing gives text that is nested deeply to the functions
// that take JSON text. One that went down level by level would overflow the
// stack, which ends the process and thus this test.
func TestDeepJSONKillsNothing(t *testing.T) {
	conn := engine(t)
	seen := 0
	eachFunction(allowedText, func(group, name string) {
		if group != "JSON" {
			return
		}
		seen++
		for _, deep := range []string{
			`repeat('[', 200000) || repeat(']', 200000)`,
			`repeat('{"a":', 200000) || '1' || repeat('}', 200000)`,
		} {
			for _, args := range []string{"j", "j, j", "j, '$[0]'", "'[]', j"} {
				rows, err := conn.Query(t.Context(), "SELECT length("+name+"("+args+")::VARCHAR) FROM (SELECT "+deep+" AS j)")
				if err != nil {
					continue // not its arguments
				}
				for rows.Next() {
				}
				rows.Release()
			}
		}
	})
	if seen < 15 {
		t.Errorf("tried %d functions only", seen)
	}
}

func TestSuggestionsAreAllowedFunctions(t *testing.T) {
	l := functions()
	for _, c := range []struct {
		name string
		from bool
		want string
	}{
		{"uper", false, "upper"}, {"date_truc", false, "date_trunc"}, {"medain", false, "median"}, {"generate_serie", true, "generate_series"},
	} {
		if got := l.suggest(c.name, c.from); !slices.Contains(got, c.want) {
			t.Errorf("suggest(%s) = %q, want %s in it", c.name, got, c.want)
		}
	}
}

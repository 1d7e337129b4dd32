package predicate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

// TestPatternsAreNotTriedForever has patterns for which the engine's own match
// takes years, and compares the forms that they are given with that match where
// it takes none.
func TestPatternsAreNotTriedForever(t *testing.T) {
	e, s := openDuck(t), predicate.CorpusSchema(t, predicate.DuckDB)
	many := strings.Repeat("%_a", 20) + "b"
	for _, where := range []string{
		"'" + strings.Repeat("a", 300) + "' LIKE '" + many + "'", "'" + strings.Repeat("A", 300) + "' ILIKE '" + strings.ReplaceAll(many, "_", "") + "'",
		"'" + strings.Repeat("a", 300) + "' NOT LIKE '" + strings.ReplaceAll(many, "_", "!_") + "' ESCAPE '!'",
	} {
		if _, err := e.rows(printed(t, s, where)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	texts := []string{"", "a", "ab", "a_b", "A%b", "xaXbx", "İstanbul", "i̇stanbul", "ISTANBUL", "Straße", "STRASSE", "ſoſ", "K", "ΣΑΣ", "σας", "Ǆ", "ŽLUŤOUČKÝ", "a\nb", "a\\b", "a.b", "(a)b", "a\u00a0b", "𝔸b"}
	for _, pattern := range []string{
		"%a%b%", "%A_%b", "a%_%b", "%%_", "_%_%", "%i%n%", "%İ%n%", "%ß%_", "%SS%e%", "%S%S", "%k%", "%σ%ς", "%σ%_", "%ž%k_", "%ǆ%%", "%a!_%b%", "%a!%%b", "%\\%b", "%.%_", "%(%)_", "%a%\n%b", "%_%_%_", "%𝔸%_",
	} {
		for _, text := range texts {
			for _, op := range []string{"LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"} {
				written := fmt.Sprintf("'%s' %s '%s' ESCAPE '!'", text, op, pattern)
				own, err := e.scalar("SELECT (" + written + ")::VARCHAR")
				if err != nil {
					t.Fatalf("%s: %v", written, err)
				}
				ours, err := e.scalar("SELECT (" + printed(t, s, written) + ")::VARCHAR")
				if err != nil || ours != own {
					t.Errorf("%s: %q, the engine says %q, %v\nprinted %s", written, ours, own, err, printed(t, s, written))
				}
			}
		}
	}
}

// printed is how a predicate of DuckDB is printed.
func printed(t *testing.T, s *predicate.Schema, where string) string {
	t.Helper()
	e, err := predicate.Parse(predicate.DuckDB, where, s)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	text, err := print.SQL(predicate.DuckDB, e, predicate.Env{})
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return text
}

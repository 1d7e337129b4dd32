package query

import (
	"slices"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
)

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

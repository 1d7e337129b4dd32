package predicate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// TestExamplesAreAccepted makes examples for columns that are called as words of SQL
// are, with the types of each dialect: what is shown can be asked.
func TestExamplesAreAccepted(t *testing.T) {
	words := strings.Fields("date time timestamp order group user year month day value key type name index from to and or not in is null like between case when end interval extract current_date left right first last start at zone true false any all exists cast row values default check primary desc asc limit offset window having union struct array unnest div mod binary rlike regexp collate using with distinct level comment position rank count sum of if id n")
	types := map[string]any{"DATE": "2025-01-31", "TIMESTAMP": "2025-01-31T10:00:00.123", "VARCHAR": "Ann", "TEXT": "é (x) %_", "STRING": "a", "BIGINT": json.Number("-7"), "INTEGER": int64(3), "INT64": json.Number("12"), "varchar(20)": "b"}
	shown := 0
	for _, d := range predicate.Dialects() {
		for _, name := range words {
			for typ, value := range types {
				c := []api.Column{{Name: name, Type: typ, Nullable: true}}
				schema, err := predicate.NewSchema(d, c)
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range predicate.Examples(&api.TableSchema{SQLFlavor: string(d), Columns: c, WhereDialectHints: predicate.Hints(d)}, []string{name}, []any{value}) {
					shown++
					if _, err := predicate.Parse(d, text, schema); err != nil {
						t.Errorf("%s, %s: %s: %v", d, typ, text, err)
					}
				}
			}
		}
	}
	if shown < 600 {
		t.Errorf("only %d examples", shown)
	}
	for _, value := range []any{nil, "", "it's", `a\b`, " a", strings.Repeat("x", 40), "two\nlines"} {
		c := []api.Column{{Name: "a", Type: "VARCHAR"}}
		if got := predicate.Examples(&api.TableSchema{SQLFlavor: "duckdb", Columns: c}, []string{"a"}, []any{value}); len(got) > 0 {
			t.Errorf("of %q: %q", value, got)
		}
	}
}

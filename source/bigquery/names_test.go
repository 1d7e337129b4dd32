package bigquery

import (
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestColumnsNamedLikeTheRow reads columns whose names a statement of ours could
// give to the row: of it only the column may come, and a rule on the column must
// not hold for every row.
func TestColumnsNamedLikeTheRow(t *testing.T) {
	h := newHouse(t)
	for table, columns := range map[string]string{
		"small": "src INT64; pay INT64", "large": "SRC INT64; pay INT64", "both": "Src INT64; src_1 INT64", "numbers": "numbers INT64; pay INT64", "nested": "src INT64; pay STRUCT<src INT64>",
	} {
		h.load(table, columns, map[bool]string{false: "SELECT * FROM (VALUES (1, 31337), (NULL, 31338)) AS v(a, b)",
			true: "SELECT * FROM (VALUES (1, {'src': 31337}), (NULL, {'src': 31338})) AS v(a, b)"}[table == "nested"])
		name, _, _ := strings.Cut(columns, " ")
		few := h.scan(table, []string{name}, name+" IS NOT NULL")
		few.Relation.Columns = []string{name}
		few.OrderBy = []predicate.Order{{Column: name}}
		h.want(few, "1")
		_, other, _ := strings.Cut(columns, "; ")
		other, _, _ = strings.Cut(other, " ")
		ruled := source.Scan{Relation: source.Relation{Name: table, Rule: few.Where}, Select: []string{other}}
		if got, err := h.rows(ruled); err != nil || len(got) != 1 || strings.Contains(got[0], "31338") {
			t.Errorf("%s: under the rule come %q, %v", table, got, err)
		}
		ruled.Where = h.scan(table, nil, "10 / "+name+" > 5").Where
		if got, err := h.rows(ruled); err != nil || len(got) != 1 {
			t.Errorf("%s: under the rule and a predicate come %q, %v", table, got, err)
		}
	}
}

// TestResultsAreWhatWasSelected reads a table that has changed since it was
// described: no column of another name or type may pass for one of those.
func TestResultsAreWhatWasSelected(t *testing.T) {
	for columns, row := range map[string]string{
		"n STRING": "'x'", "n STRUCT<n INT64>": "{'n': 1}", "n ARRAY<INT64>": "[1]", "n FLOAT64": "1", "n DATE": "DATE '2026-01-01'",
	} {
		h := newHouse(t)
		h.load("numbers", "n INT64", "SELECT 1")
		scan := h.scan("numbers", []string{"n"}, "")
		h.want(scan, "1")
		h.load("numbers", columns, "SELECT "+row)
		_, err := h.rows(scan)
		h.fails(columns, err, api.CodeQueryFailed, api.KindSchemaChanged)
		// It is described anew then.
		if got, err := h.rows(scan); err != nil || len(got) != 1 || slices.Equal(got, []string{"1"}) != (columns == "n FLOAT64") {
			t.Errorf("%s, described anew: %q, %v", columns, got, err)
		}
	}
}

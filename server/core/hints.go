package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// DialectHints shows how a dialect writes what predicates need most. Each text
// passes the gate; server tests hold that.
func DialectHints(d predicate.Dialect) map[string]string {
	switch d {
	case predicate.GoogleSQL:
		return map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00 UTC'",
			"interval_subtract": "DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY)",
			"regex":             "REGEXP_CONTAINS(field, r'pattern')",
			"cast":              "CAST(x AS INT64)",
		}
	case predicate.Postgres:
		return map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMPTZ '2026-01-01 00:00:00+00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL '30 days'",
			"regex":             "field ~ 'pattern'",
			"cast":              "CAST(x AS bigint)",
		}
	case predicate.MySQL: // in the dialect that is printed in it
		return map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
		}
	default:
		return map[string]string{
			"date_literal":      "DATE '2026-01-01'",
			"timestamp_literal": "TIMESTAMP '2026-01-01 00:00:00'",
			"interval_subtract": "CURRENT_DATE - INTERVAL 30 DAY",
			"regex":             "regexp_matches(field, 'pattern')",
			"cast":              "CAST(x AS BIGINT)",
		}
	}
}

// maxExamples is how many predicates a catalog entry shows.
const maxExamples = 3

// whereExamples makes up to three predicates from a relation's own columns,
// partition columns first, and keeps those that pass the gate.
func whereExamples(d predicate.Dialect, sc *source.Schema) []string {
	typed, err := predicate.NewSchema(d, sc.Columns)
	if err != nil {
		return nil
	}
	columns := slices.Clone(sc.Columns)
	partition := func(c api.Column) int {
		if slices.Contains(sc.PartitionBy, c.Name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(columns, func(a, b api.Column) int { return partition(a) - partition(b) })
	var out []string
	for _, c := range columns {
		if len(out) == maxExamples {
			break
		}
		// The plain name reads best; some names must be quoted.
		for _, name := range []string{c.Name, predicate.QuoteIdent(d, c.Name)} {
			example := exampleFor(name, c.Type)
			if example == "" {
				continue
			}
			if _, err := predicate.Parse(d, example, typed); err == nil {
				out = append(out, example)
				break
			}
		}
	}
	return out
}

// exampleFor writes a predicate that suits a column's type, or nothing.
func exampleFor(column, engineType string) string {
	switch base, _, _ := strings.Cut(strings.ToUpper(engineType), "("); {
	case base == "DATE":
		return fmt.Sprintf("%s >= DATE '2026-01-01'", column)
	case strings.HasPrefix(base, "TIMESTAMP") || base == "DATETIME":
		return fmt.Sprintf("%s IS NOT NULL", column)
	case slices.Contains([]string{"VARCHAR", "STRING", "TEXT", "CHARACTER VARYING"}, base):
		return fmt.Sprintf("%s LIKE 'A%%'", column)
	case strings.Contains(base, "INT") || slices.Contains([]string{"DOUBLE", "FLOAT", "FLOAT64", "DECIMAL", "NUMERIC", "REAL"}, base):
		return fmt.Sprintf("%s > 0", column)
	case strings.HasPrefix(base, "BOOL"):
		return fmt.Sprintf("%s IS TRUE", column)
	}
	return ""
}

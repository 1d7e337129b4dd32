package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// maxExamples is how many example predicates a catalog entry has.
const maxExamples = 3

// whereExamples makes up to three predicates from a relation's columns, partition
// columns first, and keeps those that pass the gate.
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
		// Try the plain name first, because it reads best; some names must be
		// quoted.
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

// exampleFor writes a predicate for a column of that type, or "".
func exampleFor(column, engineType string) string {
	switch base, _, _ := strings.Cut(strings.ToUpper(engineType), "("); {
	case base == "DATE":
		return fmt.Sprintf("%s >= DATE '2026-01-01'", column)
	case strings.HasPrefix(base, "TIMESTAMP") || base == "DATETIME":
		return fmt.Sprintf("%s >= TIMESTAMP '2026-01-01 00:00:00'", column)
	case slices.Contains([]string{"VARCHAR", "STRING", "TEXT", "CHARACTER VARYING"}, base):
		return fmt.Sprintf("%s LIKE 'A%%'", column)
	case strings.Contains(base, "INT") || slices.Contains([]string{"DOUBLE", "FLOAT", "FLOAT64", "DECIMAL", "NUMERIC", "REAL"}, base):
		return fmt.Sprintf("%s > 0", column)
	case strings.HasPrefix(base, "BOOL"):
		return fmt.Sprintf("%s IS TRUE", column)
	}
	return ""
}

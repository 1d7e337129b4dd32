package cover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/predicate"
)

// BenchmarkCompare relates an ordinary pair, and one with long lists.
func BenchmarkCompare(b *testing.B) {
	var short, long []string
	for i := range 1000 {
		long = append(long, fmt.Sprint(i))
		if i%2 == 0 {
			short = append(short, fmt.Sprint(i))
		}
	}
	s := schema(b, predicate.DuckDB)
	for name, pair := range map[string][2]string{
		"ordinary": {"delay > 120 AND origin IN ('PRG', 'BRQ') AND day >= DATE '2026-03-01' AND day < DATE '2026-04-01'",
			"delay > 60 AND day >= DATE '2026-01-01'"},
		"lists": {"n IN (" + strings.Join(short, ", ") + ")", "n IN (" + strings.Join(long, ", ") + ")"},
	} {
		b.Run(name, func(b *testing.B) {
			asked, held := read(b, predicate.DuckDB, s, pair[0]), read(b, predicate.DuckDB, s, pair[1])
			b.ReportAllocs()
			for b.Loop() {
				if Compare(predicate.DuckDB, asked, held) != Within {
					b.Fatal("not proven")
				}
			}
		})
	}
}

// TestHostilePairsEnd: a proof gives up instead of trying every combination.
func TestHostilePairsEnd(t *testing.T) {
	s := schema(t, predicate.DuckDB)
	var clauses, others []string
	for i := range 60 {
		clauses = append(clauses, fmt.Sprintf("(n = %d OR id = %d OR delay = %d)", i, i, i))
		others = append(others, fmt.Sprintf("(small = %d AND id = %d)", i%100, i))
	}
	for _, pair := range [][2]string{
		{strings.Join(clauses, " AND "), strings.Join(others, " OR ")},
		{strings.Join(others, " OR "), strings.Join(clauses, " AND ")},
		{strings.Join(clauses, " AND "), "NOT (" + strings.Join(clauses[:30], " AND ") + ")"},
	} {
		Compare(predicate.DuckDB, read(t, predicate.DuckDB, s, pair[0]), read(t, predicate.DuckDB, s, pair[1]))
	}
}

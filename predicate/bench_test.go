package predicate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
)

const fourTerms = "event_date >= DATE_SUB(CURRENT_DATE(), INTERVAL 30 DAY) AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%'"

// benchmarked are predicates of about 100 characters, by dialect.
var benchmarked = map[string]map[predicate.Dialect]string{
	"plain": {
		predicate.GoogleSQL: "d >= DATE '2026-01-31' AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%' AND id <> 7",
		predicate.DuckDB:    "d >= DATE '2026-01-31' AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%' AND id <> 7",
		predicate.Postgres:  "d >= DATE '2026-01-31' AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%' AND id <> 7",
	},
	"interval": {
		predicate.GoogleSQL: fourTerms,
		predicate.DuckDB:    "d >= current_date - INTERVAL 30 DAY AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%'",
		predicate.Postgres:  "d >= current_date - INTERVAL '30 days' AND country_code = 'CZ' AND n IN (1, 2, 3) AND name LIKE 'a%'",
	},
	"calls": {
		predicate.GoogleSQL: "EXTRACT(YEAR FROM d) = 2026 AND LOWER(name) = 'x' AND COALESCE(n, 0) - 1 = 5 AND CAST(name AS INT64) > 5",
		predicate.DuckDB:    "extract(year FROM d) = 2026 AND lower(name) = 'x' AND coalesce(n, 0) - 1 = 5 AND CAST(name AS INTEGER) > 5",
		predicate.Postgres:  "extract(year FROM d) = 2026 AND lower(name) = 'x' AND coalesce(n, 0) - 1 = 5 AND CAST(name AS INTEGER) > 5",
	},
}

// BenchmarkValidateAndPrint is what every request pays. The most it may take
// is 15 µs.
func BenchmarkValidateAndPrint(b *testing.B) {
	env := predicate.Env{Now: time.Unix(1767225600, 0)}
	for name, texts := range benchmarked {
		for d, text := range texts {
			s := predicate.CorpusSchema(b, d)
			b.Run(name+"/"+string(d), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					e, err := predicate.Parse(d, text, s)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := print.SQL(d, e, env); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkNormalize(b *testing.B) {
	e, err := predicate.Parse(predicate.GoogleSQL, fourTerms, predicate.CorpusSchema(b, predicate.GoogleSQL))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		predicate.Normalize(e)
	}
}

// BenchmarkLength shows that the time per byte does not grow with the text.
func BenchmarkLength(b *testing.B) {
	s := predicate.CorpusSchema(b, predicate.DuckDB)
	for _, kib := range []int{1, 4, 16, 63} {
		for name, body := range map[string]string{"in": ",12345", "and": " AND id=12"} {
			head, tail := "id IN (0", ")"
			if name == "and" {
				head, tail = "id=1", ""
			}
			text := head + strings.Repeat(body, kib<<10/len(body)) + tail
			b.Run(name+"/"+string(rune('0'+kib/10))+string(rune('0'+kib%10))+"KiB", func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					e, err := predicate.Parse(predicate.DuckDB, text, s)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := print.SQL(predicate.DuckDB, e, predicate.Env{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package lake

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

func TestKeyTypes(t *testing.T) {
	for values, want := range map[string]string{
		"1 2 -3":                               "BIGINT",
		"01 02 12":                             "BIGINT",
		"1 NULL":                               "BIGINT",
		"1 01":                                 "VARCHAR", // other texts, the same number
		"1 2.5 3":                              "VARCHAR",
		"1.1 1.10":                             "VARCHAR",
		"1 abc":                                "VARCHAR",
		"0 -0":                                 "VARCHAR",
		"+5":                                   "VARCHAR",
		"%205":                                 "VARCHAR",
		"9223372036854775807":                  "BIGINT",
		"1 9223372036854775808":                "VARCHAR",
		"99999999999999999999":                 "VARCHAR",
		"true false":                           "BOOLEAN",
		"True False":                           "BOOLEAN",
		"true TRUE":                            "VARCHAR",
		"true 1":                               "VARCHAR",
		"2025-01-01 2025-12-31":                "DATE",
		"2025-01-01 2025-02-30":                "VARCHAR",
		"2025-01-01 other":                     "VARCHAR",
		"2025-01-01 20250101":                  "VARCHAR",
		"2025-01-01%2013%3A00%3A00":            "TIMESTAMP",
		"2025-01-01T13%3A00%3A00.123":          "TIMESTAMP",
		"2025-01-01 2025-01-01%2013%3A00%3A00": "TIMESTAMP",
		"2025-01-01 2025-01-01%2000%3A00%3A00": "VARCHAR",
		"2025-01-01%2000%3A00%3A00.1234567":    "VARCHAR",
		"2025-01-01T00%3A00%3A00Z":             "VARCHAR",
		"NULL __HIVE_DEFAULT_PARTITION__":      "VARCHAR",
		"0000-01-01":                           "VARCHAR",
		"2025-01-01%2013%3A00%3A00 __HIVE_DEFAULT_PARTITION__": "TIMESTAMP",
	} {
		if got := keyType(strings.Fields(values)); got != want {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
	if got := keyType([]string{"1", ""}); got != "VARCHAR" {
		t.Errorf("an empty value beside a number: %s", got)
	}
}

// TestPartitionValues reads random sets of values of partition keys in every
// format: each condition finds the one file of its value, and no text changes
// unless it is a value of the type that all have.
func TestPartitionValues(t *testing.T) {
	kinds := [][]string{
		{"1", "2", "-7", "03", "9223372036854775807", "0"},
		{"1.5", "2.5", "-0.25", "1e3"},
		{"2025-01-01", "2024-02-29", "1969-12-31"},
		{"2025-01-01 13:00:00", "1969-12-31 23:59:59.5", "2025-01-01 00:00:00"},
		{"true", "false"},
		{"abc", " 5", "007x", "99999999999999999999", "a/b", "50%", "Ω", "+1", "2025-02-30"},
	}
	for seed := range uint64(24) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			var values []string
			for range 1 + rnd.IntN(2) { // of how many kinds
				kind := kinds[rnd.IntN(len(kinds))]
				for range 1 + rnd.IntN(3) {
					values = append(values, kind[rnd.IntN(len(kind))])
				}
			}
			slices.Sort(values)
			values = slices.Compact(values)
			f := newFolder(t)
			for _, format := range []string{".parquet", ".csv", ".jsonl"} {
				name := format[1:] + "/*/*" + format
				for i, v := range values {
					folder := "/k=" + strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
					if format == ".parquet" {
						f.copy(t, "parquet"+folder+"/x.parquet", fmt.Sprintf("SELECT %d AS v", i))
					} else {
						f.write(t, format[1:]+folder+"/x"+format, map[string]string{".csv": fmt.Sprintf("v\n%d\n", i), ".jsonl": fmt.Sprintf(`{"v":%d}`, i)}[format])
					}
				}
				s := f.schema(t, name)
				typ := s.Columns[slices.IndexFunc(s.Columns, func(c api.Column) bool { return c.Name == "k" })].Type
				if want := keyType(escaped(values)); typ != want {
					t.Fatalf("%s of %q: %s, want %s", format, values, typ, want)
				}
				for i, v := range values {
					literal := map[string]string{"BIGINT": v, "BOOLEAN": v, "DATE": "DATE '" + v + "'", "TIMESTAMP": "TIMESTAMP '" + v + "'", "VARCHAR": "'" + v + "'"}[typ]
					scan := f.scan(t, name, "k = "+literal, "v")
					want := fmt.Sprint(i)
					if got := f.rows(t, scan); !slices.Equal(got, []string{want}) {
						t.Errorf("%s of %q: k = %s finds %q, want %s", format, values, literal, got, want)
					}
					if e := f.estimate(t, scan); e.RowsUpperBound != nil && *e.RowsUpperBound < 1 {
						t.Errorf("%s of %q: k = %s is estimated as at most %d rows", format, values, literal, *e.RowsUpperBound)
					}
					if typ == "VARCHAR" {
						same(t, f.rows(t, f.scan(t, name, "v = "+want, "k")), v)
					}
				}
				r, err := f.lake.Query(t.Context(), "SELECT count(DISTINCT k), count(*) FROM t", map[string]source.Relation{"t": {Name: name}})
				if err != nil {
					t.Fatal(err)
				}
				got, err := enginetest.Rows(r)
				if want := fmt.Sprintf("%d|%[1]d", len(values)); err != nil || len(got) != 1 || got[0] != want {
					t.Errorf("%s of %q: a statement finds %q, %v; want %s", format, values, got, err, want)
				}
			}
		})
	}
}

func escaped(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = url.PathEscape(v)
	}
	return out
}

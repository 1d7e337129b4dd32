package duckdb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFloatsKeepTheirBits writes random floats, many of them alike, at every depth and by
// every way into a parquet file, and reads the same bits: 0.0 is equal to -0.0, but 1/x is
// not.
func TestFloatsKeepTheirBits(t *testing.T) {
	c := connect(t, Options{PreserveOrder: true})
	few := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // data of a test
	var values []string
	for i := range 5000 {
		x := few[random.IntN(2+random.IntN(len(few)-1))]
		if random.IntN(50) == 0 {
			x = random.NormFloat64()
		}
		values = append(values, fmt.Sprintf("(%d, '%v'::DOUBLE, '%v'::FLOAT)", i, x, float32(math.Max(-1e30, math.Min(1e30, x)))))
	}
	if err := c.Exec(t.Context(), "CREATE TEMP TABLE given AS FROM (VALUES "+strings.Join(values, ", ")+") t(i, d, f)"); err != nil {
		t.Fatal(err)
	}
	const bits = "concat_ws(' ', %s, 1/nullif(%[1]s, 7))" // 1/x tells the zeros apart
	for items, parts := range map[string][]string{
		"d, f":                               {"d", "f"},
		"d, f, [i] AS l":                     {"d", "f"},
		"d, f, i::HUGEINT AS h, uuid() AS u": {"d", "f"},
		"{'d': d, 'l': [f, -f]} AS s":        {"s.d", "s.l[1]", "s.l[2]"},
		"MAP {'d': d} AS m, [d, -d] AS l, i::INTEGER AS n": {"m['d']", "l[1]", "l[2]"},
	} {
		sql := "SELECT i, " + items + " FROM given ORDER BY i"
		for how, write := range map[string]func(path string) error{
			"copy":      func(path string) error { return c.CopyParquet(t.Context(), sql, path, true) },
			"unordered": func(path string) error { return c.CopyParquet(t.Context(), sql, path, false) },
			"write": func(path string) error {
				other := connect(t, Options{PreserveOrder: true})
				r, err := c.Query(t.Context(), sql)
				if err != nil {
					return err
				}
				defer r.Release()
				_, err = other.WriteParquet(t.Context(), path, r)
				return err
			},
			"pipe": func(path string) error {
				other := connect(t, Options{PreserveOrder: true})
				r, err := c.Query(t.Context(), sql)
				if err != nil {
					return err
				}
				defer r.Release()
				f, err := os.Create(path)
				if err != nil {
					return err
				}
				defer f.Close()
				return other.PipeParquet(t.Context(), f, r, Zstd)
			},
		} {
			path := filepath.Join(t.TempDir(), "rows.parquet")
			if err := write(path); err != nil {
				t.Fatalf("%s, %s: %v", items, how, err)
			}
			for _, part := range parts {
				text := "SELECT md5(string_agg(" + fmt.Sprintf(bits, part) + ", ',' ORDER BY i)) FROM "
				var want, got string
				if err := c.QueryRow(t.Context(), text+"("+sql+")", nil, &want); err != nil {
					t.Fatal(err)
				}
				if err := c.QueryRow(t.Context(), text+"read_parquet("+Literal(path)+")", nil, &got); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%s, %s: other values of %s", items, how, part)
				}
			}
		}
	}
}

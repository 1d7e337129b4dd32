package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/table"
)

// TestWhatIsWrittenIsReadBack writes random rows in every format for data that
// --out knows, parquet aside, which the engine itself reads, and reads them as a local file: each cell has the value that it had.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dir := t.TempDir()
	ts, err := table.New(table.Config{Dir: filepath.Join(dir, "kept"), WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer ts.Close()
	for round, n := range []int{1, 5, 60, 60} {
		sql := randomRows(rng, n)
		var want [][]string
		for _, f := range []string{"arrow", "json", "ndjson", "csv", "tsv", "xlsx"} {
			rows, err := c.Query(context.Background(), sql)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("r%d.%s", round, f)
			format, _ := output.FormatOf(name)
			_, err = output.WriteFile(context.Background(), filepath.Join(dir, name), api.WithCaveats(rows, nil), format, false, output.Options{WriteWorkbook: app.WriteWorkbook})
			rows.Release()
			if err != nil {
				t.Fatal(err)
			}
			got := cellsOf(t, ts, name)
			if f == "arrow" { // holds every value as it is
				want = got
				continue
			}
			if diff := differ(got, want, f); diff != "" {
				text, _ := os.ReadFile(filepath.Join(dir, name))
				t.Errorf("%s: %s\n%.600s", name, diff, text)
			}
		}
	}
}

// randomRows is a statement that yields n rows. The first column is never
// empty: a sheet or a text knows no row of nothing.
func randomRows(rng *rand.Rand, n int) string {
	texts := []string{"", "plain", "007", "a,b", "say \"hi\"", "it's", "two\nlines", "tab\tbed", "back\\slash", "[1]", "{\"a\":1}", "č ñ 日本", "NULL", "\\N", " padded ", "=1+1", "|", "#x", "2024-01-01", "1e5"}
	rows := make([]string, n)
	for i := range rows {
		cells := []string{
			strconv.Itoa(i), strconv.Itoa(rng.IntN(2000) - 1000), fmt.Sprintf("1%018d%d", rng.Uint64N(1e18), rng.IntN(10)), fmt.Sprintf("%d.%02d", rng.IntN(9999), rng.IntN(100)),
			fmt.Sprintf("%g::DOUBLE", rng.NormFloat64()), duckdb.Literal(texts[rng.IntN(len(texts))]), strconv.FormatBool(rng.IntN(2) == 0),
			fmt.Sprintf("DATE '2024-%02d-%02d'", 1+rng.IntN(12), 13+rng.IntN(15)), fmt.Sprintf("TIMESTAMP '2024-02-%02d %02d:11:12'", 13+rng.IntN(15), 1+rng.IntN(22)),
		}
		for j := range cells {
			if j > 0 && rng.IntN(8) == 0 {
				cells[j] = "NULL"
			}
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	return "SELECT id, i::BIGINT AS i, h::HUGEINT AS h, d::DECIMAL(12,2) AS d, f::DOUBLE AS f, s::VARCHAR AS s, b::BOOLEAN AS b, day::DATE AS day, moment::TIMESTAMP AS moment FROM (VALUES " +
		strings.Join(rows, ", ") + ") AS t(id, i, h, d, f, s, b, day, moment) ORDER BY id"
}

// cellsOf reads a file as texts; null is "∅".
func cellsOf(t *testing.T, ts *table.Tables, name string) [][]string {
	t.Helper()
	r, err := ts.Rows(context.Background(), table.RowsRequest{Source: table.Source{Path: name}, RowStart: 1, RowCount: 1000})
	if err != nil {
		t.Fatal(err)
	}
	out := [][]string{r.Columns}
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			if cells[j] = "∅"; string(v) == "null" {
				continue
			}
			if json.Unmarshal(v, &cells[j]) != nil {
				cells[j] = string(v)
			}
		}
		out = append(out, cells)
	}
	return out
}

// differ tells where two tables have different values, numbers being the same
// however they are written. A sheet cannot tell NULL from the empty text.
func differ(got, want [][]string, format string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows instead of %d", len(got)-1, len(want)-1)
	}
	for i := range want {
		for j, w := range want[i] {
			if j >= len(got[i]) {
				return fmt.Sprintf("row %d has %d columns", i, len(got[i]))
			}
			g := got[i][j]
			x, ok1 := new(big.Rat).SetString(g)
			y, ok2 := new(big.Rat).SetString(w)
			if g == w || ok1 && ok2 && x.Cmp(y) == 0 && want[0][j] != "s" || format == "xlsx" && inSheet(g, w) {
				continue
			}
			return fmt.Sprintf("row %d, column %s: %q instead of %q", i, want[0][j], g, w)
		}
	}
	return ""
}

// inSheet reports whether a sheet can say no more of a value: the empty text is
// no cell, and digits that spreadsheets do not show are noise.
func inSheet(got, want string) bool {
	x, err1 := strconv.ParseFloat(got, 64)
	y, err2 := strconv.ParseFloat(want, 64)
	return got == "∅" && want == "" || err1 == nil && err2 == nil && math.Abs(x-y) < 1e-13
}

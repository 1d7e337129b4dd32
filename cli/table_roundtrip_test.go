package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// written are the columns that are written and read back: a type, its values as
// SQL, and what of them a format cannot carry, as docs/tables.md says.
var written = []struct {
	name, typ string
	value     func(*rand.Rand) string
	without   []string // formats that give another value
}{
	{"i", "BIGINT", func(r *rand.Rand) string { return fmt.Sprint(r.Int64()>>r.IntN(63) - r.Int64N(9)) }, nil},
	{"h", "HUGEINT", func(r *rand.Rand) string { return fmt.Sprintf("%d%018d", r.Int64N(1e18), r.Int64N(1e18)) }, nil},
	{"d", "DECIMAL(18,3)", func(r *rand.Rand) string { return fmt.Sprintf("%d.%03d", r.Int64N(1e9)-5e8, r.IntN(1000)) }, nil},
	{"f", "DOUBLE", func(r *rand.Rand) string {
		return []string{"'inf'", "'-inf'", "'nan'", "1e-300", fmt.Sprintf("%g", r.NormFloat64()*1e9)}[r.IntN(5)]
	}, nil},
	{"b", "BOOLEAN", func(r *rand.Rand) string { return fmt.Sprint(r.IntN(2) == 0) }, nil},
	{"s", "VARCHAR", func(r *rand.Rand) string {
		return []string{"''", "'a,b'", `'"q"'`, "E'x\\ny'", "'NULL'", "' pad '", "'007'", "'=1+1'", "E'a\\tb'", "'ü|;'", `'\N'`, "'word'"}[r.IntN(12)]
	}, nil},
	{"dt", "DATE", func(r *rand.Rand) string {
		return fmt.Sprintf("'%d-%02d-%02d'", 1990+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28))
	}, nil},
	{"tm", "TIME", func(r *rand.Rand) string { return fmt.Sprintf("'%02d:%02d:%02d'", r.IntN(24), r.IntN(60), r.IntN(60)) }, nil},
	{"ts", "TIMESTAMP", func(r *rand.Rand) string {
		return fmt.Sprintf("'%d-%02d-%02d %02d:%02d:%02d.%06d'", 1990+r.IntN(60), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(2)*r.IntN(1e6))
	}, []string{"xlsx"}},
	{"tz", "TIMESTAMPTZ", func(r *rand.Rand) string {
		return fmt.Sprintf("'%d-01-%02d %02d:%02d:00+0%d'", 1990+r.IntN(60), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(9))
	}, []string{"xlsx"}},
	{"bl", "BLOB", func(r *rand.Rand) string { return fmt.Sprintf(`'\x%02X\x%02Xab'`, r.IntN(256), r.IntN(256)) }, nil},
	{"l", "BIGINT[]", func(r *rand.Rand) string { return fmt.Sprintf("[%d, NULL, %d]", r.IntN(9), r.IntN(99)) }, nil},
	{"st", "STRUCT(a BIGINT, b VARCHAR, c DATE[])", func(r *rand.Rand) string {
		return fmt.Sprintf("{'a': %d, 'b': 'x%d', 'c': [DATE '2024-01-0%d']}", r.IntN(9), r.IntN(9), 1+r.IntN(9))
	}, nil},
}

// TestRandomRowsAreReadBack writes random rows with every type in every format
// that da reads, and reads them again.
func TestRandomRowsAreReadBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, seed := range []uint64{0} {
		r := rand.New(rand.NewPCG(seed, 1))
		var rows []string
		for n := range 40 {
			var cells []string
			for _, c := range written {
				v := c.value(r)
				if n > 0 && r.IntN(6) == 0 {
					v = "NULL"
				}
				cells = append(cells, fmt.Sprintf("%s::%s AS %s", v, c.typ, c.name))
			}
			rows = append(rows, fmt.Sprintf("SELECT %d AS n, ", n)+strings.Join(cells, ", "))
		}
		sql := "SELECT * FROM (" + strings.Join(rows, " UNION ALL ") + ") ORDER BY n"
		want := readBack(t, p, "query", sql, "-o", "ndjson")
		for _, format := range []string{"parquet", "arrow", "csv", "tsv", "json", "ndjson", "xlsx"} {
			file := "rows." + format
			p.ok("query", sql, "--out", file, "--force")
			got := readBack(t, p, "table", "query", file, "SELECT * FROM data ORDER BY n", "-o", "ndjson")
			for _, c := range written {
				for n := range want {
					if fmt.Sprint(c.without) != "["+format+"]" && !sameIn(format, got[n][c.name], want[n][c.name]) {
						t.Errorf("seed %d, %s, row %d: %s is %s, was %s", seed, format, n, c.name, got[n][c.name], want[n][c.name])
						break
					}
				}
			}
		}
	}
}

// TestOneColumnIsReadBack writes a column whose name and texts hold what readers
// that guess take for a delimiter.
func TestOneColumnIsReadBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, "seed.csv", "x\n1\n")
	for _, d := range []string{"|", ":", " "} {
		for _, sql := range []string{
			fmt.Sprintf(`SELECT '1%s2' AS "a%s" FROM range(4)`, d, d+"b"),
			fmt.Sprintf(`SELECT ['p%sq', 'r;s'] AS n FROM range(4)`, d),
			fmt.Sprintf(`SELECT 'p;q%sr' AS n FROM range(4)`, d),
		} {
			want := fmt.Sprint(readBack(t, p, "query", sql, "-o", "ndjson"))
			for _, door := range [][]string{{"query"}, {"table", "query", "seed.csv"}} {
				p.ok(append(door, sql, "--out", "one.csv", "--force")...)
				if got := fmt.Sprint(readBack(t, p, "table", "query", "one.csv", "SELECT * FROM data", "-o", "ndjson")); got != want {
					t.Errorf("%s: got %s, want %s", sql, got, want)
				}
			}
		}
	}
}

// sameIn reports whether a value came back as a format keeps it: workbooks have 15 digits
// of a float.
func sameIn(format, got, want string) bool {
	a, err := strconv.ParseFloat(got, 64)
	b, failed := strconv.ParseFloat(want, 64)
	if format != "xlsx" || err != nil || failed != nil {
		return got == want
	}
	return strconv.FormatFloat(a, 'g', 15, 64) == strconv.FormatFloat(b, 'g', 15, 64)
}

// readBack runs a command that prints JSON lines, and returns their values by name:
// numbers that are equal are the same text, also where JSON needs quotes for them.
func readBack(t *testing.T, p *place, args ...string) []map[string]string {
	t.Helper()
	var out []map[string]string
	lines := bufio.NewScanner(strings.NewReader(p.ok(args...)))
	for lines.Scan() {
		var row map[string]any
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		cells := map[string]string{}
		for name, v := range row {
			cells[name] = fmt.Sprintf("%#v", v)
			if text, ok := v.(string); ok && name == "h" {
				var f float64
				_, _ = fmt.Sscan(text, &f)
				cells[name] = fmt.Sprintf("%#v", f) + text
			}
		}
		out = append(out, cells)
	}
	return out
}

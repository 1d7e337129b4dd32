package table

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/table/intake"
)

// messyCase is a file with something wrong and the table that a careful person
// would make of it. The first row of want holds the names.
type messyCase struct {
	kind, name string
	in         []byte
	want       [][]string
}

const missing = "∅"

var inHex = regexp.MustCompile(`«([0-9A-F]*)»`)

// bytesOf resolves the bytes in hex, and «EOF».
func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	text = strings.ReplaceAll(text, "«EOF»\n", "")
	return inHex.ReplaceAllFunc([]byte(text), func(m []byte) []byte {
		b, err := hex.DecodeString(string(m[len("«") : len(m)-len("»")]))
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		return b
	})
}

// writtenCases reads the cases of testdata/messy.
func writtenCases(t testing.TB) []messyCase {
	t.Helper()
	files, err := filepath.Glob("testdata/messy/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []messyCase
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(a.Files); i += 2 {
			in, want := a.Files[i], a.Files[i+1]
			name, ok := strings.CutSuffix(in.Name, "/in")
			if !ok || want.Name != name+"/want" {
				t.Fatalf("%s: %s and %s are no case", file, in.Name, want.Name)
			}
			c := messyCase{kind: strings.TrimSuffix(filepath.Base(file), ".txtar"), name: name, in: bytesOf(t, string(in.Data))}
			for _, line := range strings.Split(strings.TrimSuffix(string(want.Data), "\n"), "\n") {
				row := strings.Split(line, "|")
				for j := range row {
					row[j] = strings.ReplaceAll(string(bytesOf(t, row[j])), "¦", "|")
				}
				c.want = append(c.want, row)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// ours reads a file as da does.
func ours(t testing.TB, path string) ([][]string, error) {
	t.Helper()
	f, err := intake.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := f.Profile(context.Background(), intake.Options{})
	if err != nil {
		return nil, err
	}
	r, err := f.Load(context.Background(), p)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return textRows(r)
}

// engines reads a file as DuckDB does when nothing is said.
func engines(t testing.TB, c *duckdb.Conn, path string) ([][]string, error) {
	t.Helper()
	s, err := c.Query(context.Background(), "SELECT * FROM read_csv("+duckdb.Literal(path)+")")
	if err != nil {
		return nil, err
	}
	defer s.Release()
	return textRows(s)
}

func textRows(r array.RecordReader) ([][]string, error) {
	out := [][]string{arrowjson.Names(r.Schema())}
	for r.Next() {
		cols := arrowjson.BindBatch(r.RecordBatch())
		for i := range int(r.RecordBatch().NumRows()) {
			row := make([]string, len(cols))
			for j, c := range cols {
				text, kind := c.AppendText(nil, i)
				row[j] = string(text)
				if kind == arrowjson.Null {
					row[j] = missing
				}
			}
			out = append(out, row)
		}
	}
	return out, r.Err()
}

var zeros = regexp.MustCompile(`^(-?\d+)\.(\d*?)0*$`)

// plain makes equal what is equal: 1.50 and 1.5, and blanks of timestamps.
func plain(s string) string {
	if m := zeros.FindStringSubmatch(s); m != nil {
		if m[2] == "" {
			return m[1]
		}
		return m[1] + "." + m[2]
	}
	return s
}

// f1 compares two bags.
func f1(got, want []string) float64 {
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	hits := 0
	for _, g := range got {
		if left[g] > 0 {
			left[g]--
			hits++
		}
	}
	if len(got)+len(want) == 0 {
		return 1
	}
	return 2 * float64(hits) / float64(len(got)+len(want))
}

// score compares tables as bags of records and of cells; what is missing at
// the end of a record does not count.
func score(got, want [][]string) (records, cells float64) {
	bags := func(rows [][]string) (recs, cells []string) {
		for _, r := range rows {
			end := len(r)
			for end > 0 && (r[end-1] == missing || r[end-1] == "") {
				end--
			}
			var b strings.Builder
			for j, c := range r[:end] {
				fmt.Fprintf(&b, "%q", plain(c))
				cells = append(cells, fmt.Sprintf("%d %s", j, plain(c)))
			}
			recs = append(recs, b.String())
		}
		return recs, cells
	}
	gr, gc := bags(got)
	wr, wc := bags(want)
	return f1(gr, wr), f1(gc, wc)
}

// tally sums up scores by kind.
type tally struct {
	n                        int
	ours, oursCells          float64
	engine, engineCells      float64
	exact, engineExact, fail int
}

// hardCases are files that are not read as a careful person would; all others
// have to be.
func hardCases() map[string]bool {
	hard := map[string]bool{}
	for _, name := range []string{
		"around/two-quotes", "bytes/nul-padding", "bytes/utf16-odd-end",
		"rows/quote-inside quoted=true row 0 column 5", "rows/quote-inside quoted=true row 39 column 5",
		"rows/quote-inside quoted=false row 0 column 5", "rows/quote-inside quoted=false row 39 column 5",
	} {
		hard[name] = true
	}
	return hard
}

// TestMessyFiles scores the reading of files with something wrong, and prints
// it beside what DuckDB makes of them.
func TestMessyFiles(t *testing.T) {
	cases := writtenCases(t)
	written := len(cases)
	cases = slices.Concat(cases, madeCases(), rowFaults(), raggedCases())
	conn := enginetest.Conn(t)
	kinds, hard := map[string]*tally{}, hardCases()
	var order []string
	path := filepath.Join(t.TempDir(), "file.csv")
	for _, c := range cases {
		if err := os.WriteFile(path, c.in, 0o600); err != nil {
			t.Fatal(err)
		}
		k := kinds[c.kind]
		if k == nil {
			k = &tally{}
			kinds[c.kind] = k
			order = append(order, c.kind)
		}
		k.n++
		got, err := ours(t, path)
		if err != nil {
			t.Errorf("%s/%s: %v", c.kind, c.name, err)
		}
		r, cl := score(got, c.want)
		k.ours, k.oursCells = k.ours+r, k.oursCells+cl
		if r == 1 {
			k.exact++
		} else if !hard[c.kind+"/"+c.name] {
			t.Errorf("%s/%s: %.3f of records\n got %q\nwant %q", c.kind, c.name, r, head(got), head(c.want))
		}
		if r == 1 && hard[c.kind+"/"+c.name] {
			t.Errorf("%s/%s is read right now: take it off the list of hard ones", c.kind, c.name)
		}
		theirs, err := engines(t, conn, path)
		if err != nil {
			k.fail++
		}
		r, cl = score(theirs, c.want)
		k.engine, k.engineCells = k.engine+r, k.engineCells+cl
		if r == 1 {
			k.engineExact++
		}
	}
	report(t, kinds, order, written)
}

func head(rows [][]string) [][]string { return rows[:min(len(rows), 8)] }

func report(t *testing.T, kinds map[string]*tally, order []string, written int) {
	t.Helper()
	slices.Sort(order)
	var all tally
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-12s %5s   %-22s   %s\n", "kind", "files", "da: record cell exact", "DuckDB: record cell exact fails")
	line := func(name string, k *tally) {
		n := float64(k.n)
		fmt.Fprintf(&b, "%-12s %5d   %.3f %.3f %5d       %.3f %.3f %5d %5d\n", name, k.n, k.ours/n, k.oursCells/n, k.exact, k.engine/n, k.engineCells/n, k.engineExact, k.fail)
	}
	for _, name := range order {
		k := kinds[name]
		line(name, k)
		all.n += k.n
		all.ours += k.ours
		all.oursCells += k.oursCells
		all.exact += k.exact
		all.engine += k.engine
		all.engineCells += k.engineCells
		all.engineExact += k.engineExact
		all.fail += k.fail
	}
	line("all", &all)
	t.Log(b.String())
	if written < 120 {
		t.Errorf("%d cases are written down", written)
	}
}

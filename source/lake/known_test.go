package lake

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/source"
)

// laterOn opens the lake again, as a process does an hour later.
func (f *folder) laterOn(t *testing.T, keptDir string) *folder {
	t.Helper()
	later := openFolder(t, f.dir, Options{KeptDir: keptDir})
	later.lake.now = func() time.Time { return time.Now().Add(time.Hour) }
	return later
}

// said is what a lake says of a table: the schema, and estimates.
func (f *folder) said(t *testing.T, name string, columns ...string) string {
	t.Helper()
	all := []any{f.schema(t, name)}
	for _, where := range []string{"", "id < 1000", "id IS NULL", "text > 'b'", "id > 90000 AND d >= DATE '2026-02-01'"} {
		all = append(all, f.estimate(t, source.Scan{Relation: source.Relation{Name: name}, Select: columns, Where: f.where(t, name, where)}))
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// started reports whether an engine of the lake has started.
func (l *Lake) started() bool { return l.engines.Running() != [2]bool{} }

// TestUnchangedFilesAreKnown: a later process says the same of files as the one that
// read them, and starts no engine for that.
func TestUnchangedFilesAreKnown(t *testing.T) {
	f, dir := newFolder(t), filepath.Join(t.TempDir(), "kept")
	const rows = `SELECT CASE WHEN range % 10 > 0 THEN range END AS id, 'text ' || range AS text, DATE '2026-01-01' + (range // 1000)::INTEGER AS d,
		(range / 7)::DECIMAL(20,3) AS dec, range::HUGEINT AS huge, {'a': range, 'b': [range]} AS nested, 'b'::BLOB AS raw, uuid() AS key, range / 3 AS dbl FROM range(100000)`
	f.copy(t, "one.parquet", rows, "ROW_GROUP_SIZE 10240")
	f.copy(t, "parts/day=1/a.parquet", rows)
	f.copy(t, "parts/day=2/b.parquet", "SELECT * FROM ("+rows+") WHERE id > 5")
	columns := []string{"id", "text", "d", "dec", "huge", "nested", "raw", "key", "dbl"}
	for _, name := range []string{"one.parquet", "parts/*/*.parquet"} {
		want := f.said(t, name, columns...)
		for i, c := range []struct {
			then    func()
			started bool
		}{
			{func() {}, true},
			{func() {}, false},
			{func() { damage(t, dir) }, true},
			{func() {}, false},
		} {
			c.then()
			later := f.laterOn(t, dir)
			if got := later.said(t, name, columns...); got != want {
				t.Errorf("%s, process %d:\n%s\nwant\n%s", name, i, got, want)
			}
			if got := later.lake.started(); got != c.started {
				t.Errorf("%s, process %d: the engine has started: %v", name, i, got)
			}
			later.lake.keeping.Wait()
		}
	}
	other := f.laterOn(t, dir)
	f.copy(t, "one.parquet", "SELECT 1 AS id")
	if s := other.schema(t, "one.parquet"); len(s.Columns) != 1 || *s.RowCount != 1 {
		t.Errorf("the file has changed, and the schema is %+v", s)
	}
}

// TestUnchangedTextIsKnown: a later process reads no text to say what is in it, whatever
// there is to say.
func TestUnchangedTextIsKnown(t *testing.T) {
	f, dir := newFolder(t), filepath.Join(t.TempDir(), "kept")
	const rows = "SELECT range AS id, 'text ' || range AS text, DATE '2026-01-01' + (range % 100)::INTEGER AS d FROM range(3000)"
	f.copy(t, "one.csv", rows)
	f.copy(t, "parts/day=1/a.csv", rows)
	f.copy(t, "parts/day=x/b.csv", rows+" LIMIT 5")
	f.copy(t, "lines.jsonl", rows)
	f.write(t, "array.json", `[{"id": 1, "text": "a", "d": "2026-01-01", "n": {"x": [1, 2.5]}}, {"id": 2, "h": 99999999999999999999}]`)
	f.write(t, "odd.csv", "a title\n\nid;text;d;;sum\n1;\"a\nb\";31.12.2025;;0,5\n2;x;n/a\n3;y;5.1.2026;;1,5;7\n;Total;;;2,0\nthe end\n")
	f.write(t, "parts2/1.csv", "id,text,d\n")
	f.write(t, "parts2/2.csv", "id,text,d\n1,a\xe9,2026-01-01\n20,b,2026-01-02\n")
	for _, name := range []string{"one.csv", "parts/*/*.csv", "lines.jsonl", "array.json", "odd.csv", "parts2/*.csv"} {
		said := func() (text string, started bool) {
			later := f.laterOn(t, dir)
			defer later.lake.keeping.Wait()
			rel := source.Relation{Name: name}
			saying, err := later.lake.table(t.Context(), later.lake.hold(), rel)
			if err != nil {
				t.Fatal(name, err)
			}
			text = fmt.Sprintf("%+v\n%s", saying.caveats, later.said(t, name, "id", "text", "d"))
			started = later.lake.started()
			text += "\n" + strings.Join(later.rows(t, source.Scan{Relation: rel, Select: []string{"id", "text", "d"}}), "\n")
			return text, started
		}
		want, _ := said()
		if got, started := said(); got != want || started {
			t.Errorf("%s: the engine has started: %t\n%.1000s\nwant\n%.1000s", name, started, got, want)
		}
	}
}

// TestFewRowsOfText: the first rows are read without the rest of the files.
func TestFewRowsOfText(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "parts/k=1/a.csv", "SELECT range AS id FROM range(3)")
	f.write(t, "parts/k=2/b.csv", "id\n")
	f.copy(t, "parts/k=3/c.csv", "SELECT range + 3 AS id FROM range(100000)")
	f.copy(t, "parts.jsonl", "SELECT range AS id FROM range(100000)")
	for _, name := range []string{"parts/*/*.csv", "parts.jsonl"} {
		rel := source.Relation{Name: name}
		for _, n := range []int64{0, 1, 3, 4, 50} {
			got := f.rows(t, source.Scan{Relation: rel, Select: []string{"id"}, Limit: &n})
			for i := range got {
				if got[i] != strconv.Itoa(i) {
					t.Fatalf("%s: row %d is %s", name, i, got[i])
				}
			}
			if int64(len(got)) != n {
				t.Errorf("%s: %d rows of %d", name, len(got), n)
			}
		}
		most := int64(0)
		for key, tw := range f.lake.copies.byKey {
			if strings.HasPrefix(key, name) {
				most = max(most, tw.size)
			}
		}
		if most > 2000 {
			t.Errorf("%s: %d bytes were copied for a few rows", name, most)
		}
		limit := int64(5)
		ruled := f.scan(t, name, "id >= 90000", "id")
		ruled.Relation.Rule, ruled.Where, ruled.Limit = ruled.Where, nil, &limit
		for _, scan := range []source.Scan{ruled, {Relation: rel, Select: []string{"id"}, Limit: &limit, OrderBy: f.order(t, name, "id desc")}} {
			if got := f.rows(t, scan); len(got) != 5 || len(got[0]) < 5 {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

// TestFootersTooLargeToRemember: a table is described in the same way if its footers are too large to
// be remembered.
func TestFootersTooLargeToRemember(t *testing.T) {
	f := newFolder(t)
	const rows = `SELECT range AS id, {'a': range, 'b': [range]} AS nested, 'text' AS text FROM range(30720)`
	f.copy(t, "parts/day=1/a.parquet", rows, "ROW_GROUP_SIZE 10240")
	f.copy(t, "parts/day=2/b.parquet", "SELECT text, id, nested FROM ("+rows+") WHERE id > 5")
	f.copy(t, "parts/day=3/c.parquet", rows+" LIMIT 0")
	const name = "parts/*/*.parquet"
	described := func(most int) string {
		g := openFolder(t, f.dir, Options{})
		g.lake.footers = lru.New[*footer](most, most)
		text, err := json.Marshal([]any{g.schema(t, name), g.estimate(t, g.scan(t, name, "id > 20000", "id", "nested"))})
		if err != nil {
			t.Fatal(err)
		}
		if remembered := g.lake.footers.Len() > 0; remembered != (most == maxChunks) {
			t.Errorf("up to %d chunks: the footers are remembered: %t", most, remembered)
		}
		return string(text)
	}
	want := described(maxChunks)
	for _, most := range []int{0, footerShare, 15 * footerShare} {
		if got := described(most); got != want {
			t.Errorf("up to %d chunks:\n%s\nwant\n%s", most, got, want)
		}
	}
}

// damage cuts all files of a folder.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 100); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFreshFilesAreNotKept: a file could be changed once more at the same time, as
// clocks of file systems have it.
func TestFreshFilesAreNotKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	f := openFolder(t, t.TempDir(), Options{KeptDir: dir})
	f.copy(t, "one.parquet", "SELECT 1 AS id")
	f.lake.now = func() time.Time {
		info, err := os.Stat(filepath.Join(f.dir, "one.parquet"))
		if err != nil {
			t.Error(err)
			return time.Time{}
		}
		return info.ModTime().Add(time.Second)
	}
	f.estimate(t, source.Scan{Relation: source.Relation{Name: "one.parquet"}, Select: []string{"id"}})
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("kept: %v", files)
	}
}

package lake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// folder is a lake's root in a test, and an engine to fill it.
type folder struct {
	dir  string
	conn *duckdb.Conn
	lake *Lake
}

// TestMain makes the test binary what runs statements.
func TestMain(m *testing.M) {
	if worker.Called(os.Args[1:]) {
		_ = worker.Main(os.Stdin, os.Stdout) // it reports what fails
		return
	}
	code := m.Run()
	if bucketsStarted {
		if p, err := buckets(); err == nil {
			if err := p.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code) //nolint:forbidigo // this is main here
}

func newFolder(t testing.TB) *folder {
	t.Helper()
	return openFolder(t, t.TempDir(), Options{})
}

func openFolder(t testing.TB, dir string, o Options) *folder {
	t.Helper()
	o.Root, o.TempDir = dir, t.TempDir()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v, %v", left, err)
		}
	})
	return &folder{dir: dir, conn: enginetest.Writer(t), lake: l}
}

// path makes the folders of a file and returns where it lies.
func (f *folder) path(t testing.TB, rel string) string {
	t.Helper()
	file := filepath.Join(f.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// copy writes the result of a query to a file, in the format of its name.
func (f *folder) copy(t testing.TB, rel, query string, options ...string) {
	t.Helper()
	options = append([]string{"USE_TMP_FILE false"}, options...)
	f.exec(t, "COPY ("+query+") TO "+duckdb.Literal(f.path(t, rel))+" ("+strings.Join(options, ", ")+")")
}

func (f *folder) exec(t testing.TB, sql string) {
	t.Helper()
	if err := f.conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (f *folder) write(t testing.TB, rel, text string) {
	t.Helper()
	if err := os.WriteFile(f.path(t, rel), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// schema describes a relation that must be there.
func (f *folder) schema(t testing.TB, name string) *source.Schema {
	t.Helper()
	s, err := f.lake.Schema(t.Context(), source.Relation{Name: name})
	if err != nil {
		t.Fatalf("schema of %s: %v (%v)", name, err, errors.Unwrap(err))
	}
	return s
}

// columns writes a schema as "name TYPE, name TYPE?", with a question mark for
// columns that may be NULL.
func columns(s *source.Schema) string {
	var list []string
	for _, c := range s.Columns {
		text := c.Name + " " + c.Type
		if c.Nullable {
			text += "?"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// where parses a predicate against a relation.
func (f *folder) where(t testing.TB, name, text string) predicate.Expr {
	t.Helper()
	if text == "" {
		return nil
	}
	s, err := predicate.NewSchema(predicate.DuckDB, f.schema(t, name).Columns)
	if err != nil {
		t.Fatal(err)
	}
	e, err := predicate.Parse(predicate.DuckDB, text, s)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// order parses the terms of an ORDER BY.
func (f *folder) order(t testing.TB, name string, terms ...string) []predicate.Order {
	t.Helper()
	s, err := predicate.NewSchema(predicate.DuckDB, f.schema(t, name).Columns)
	if err != nil {
		t.Fatal(err)
	}
	var out []predicate.Order
	for _, term := range terms {
		o, err := predicate.ParseOrder(predicate.DuckDB, term, s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

// scan is a request for columns, all of them if there are none.
func (f *folder) scan(t testing.TB, name, where string, cols ...string) source.Scan {
	t.Helper()
	if len(cols) == 0 {
		for _, c := range f.schema(t, name).Columns {
			cols = append(cols, c.Name)
		}
	}
	return source.Scan{Relation: source.Relation{Name: name}, Select: cols, Where: f.where(t, name, where)}
}

// rows runs a scan and returns its rows, values separated by bars.
func (f *folder) rows(t testing.TB, scan source.Scan) []string {
	t.Helper()
	r, err := f.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	rows, err := enginetest.Rows(r)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return rows
}

// same compares rows; those of an unordered scan after sorting.
func same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func sorted(rows []string) []string {
	slices.Sort(rows)
	return rows
}

// refused wants an error of a code whose message says something, and which
// tells nobody where the lake lies.
func refused(t testing.TB, f *folder, err error, code api.Code, says ...string) {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want an error of code %s", err, code)
		return
	}
	text := e.Message + " " + e.Hint
	for _, s := range says {
		if !strings.Contains(text, s) {
			t.Errorf("the error says %q, not %q", text, s)
		}
	}
	if strings.Contains(text, f.dir) {
		t.Errorf("the error tells where the lake lies: %s", text)
	}
	if e.Code == api.CodeSource && e.Err != nil && strings.Contains(e.Err.Error(), f.lake.tempDir) {
		t.Errorf("the cause names a file of the lake's own: %s", e.Err)
	}
}

func TestParquet(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "one.parquet", "SELECT range AS id, 'n' || range AS name FROM range(1000)")
	s := f.schema(t, "one.parquet")
	if got := columns(s); got != "id BIGINT?, name VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	if s.RowCount == nil || *s.RowCount != 1000 || s.SizeBytes == nil || *s.SizeBytes < 1000 || s.Version == "" || s.PartitionBy != nil {
		t.Errorf("schema: %+v", s)
	}
	scan := f.scan(t, "one.parquet", "id >= 997 OR name = 'n5'", "name", "id")
	same(t, sorted(f.rows(t, scan)), "n5|5", "n997|997", "n998|998", "n999|999")
	limit := int64(2)
	scan.Limit = &limit
	scan.OrderBy = []predicate.Order{{Column: "id", Desc: true}}
	same(t, f.rows(t, scan), "n999|999", "n998|998")
	limit = 0
	same(t, f.rows(t, scan))
}

package lake

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/source"
)

// TestTablesArePreparedTogether holds that tables described together are what they
// are alone, and that files are opened for the engine far fewer times than there
// are tables.
func TestTablesArePreparedTogether(t *testing.T) {
	const many = 60
	f := newFolder(t)
	var rels []source.Relation
	add := func(names ...string) {
		for _, name := range names {
			rels = append(rels, source.Relation{Name: name})
		}
	}
	for i := range many {
		name := fmt.Sprintf("t%d.parquet", i)
		f.copy(t, name, fmt.Sprintf("SELECT range AS id, 'x' AS c%d FROM range(%d)", i%70, i))
		add(name)
	}
	for i, typ := range []string{
		"'a'::BLOB", "1::HUGEINT", "1.5::DECIMAL(18,3)", "'{}'::JSON", "uuid()", "now()", "time '10:00'", "timestamp_ns '2020-01-01'", "interval 1 day", "1::UTINYINT",
		`{a: 1, "b c": {"e""f": [1.5]}, "d, e": 'x'}`, "map {'x': [1]}", "[[1]]", "'x'::ENUM('x', 'a, ''b')", "[{k: '1'::JSON, u: uuid()}]", "NULL",
	} {
		name := fmt.Sprintf("type%d.parquet", i)
		f.copy(t, name, "SELECT "+typ+` AS "a ""column""", 1 AS "A COLUMN" FROM range(3)`)
		add(name)
	}
	f.copy(t, "two/a.parquet", "SELECT 1 AS a, 'x' AS b")
	f.copy(t, "two/b.parquet", "SELECT 'y' AS b, 2 AS a FROM range(5)")
	f.copy(t, "two/c.parquet", "SELECT 3 AS a, 'z' AS b")
	f.copy(t, "unlike/a.parquet", "SELECT 1 AS a")
	f.copy(t, "unlike/b.parquet", "SELECT 1 AS b")
	f.copy(t, "hive/k=1/a.parquet", "SELECT 1 AS a")
	f.write(t, "broken.parquet", "PAR1 no PAR1")
	f.write(t, "text.csv", "a,b\n1,2\n")
	add("two/*.parquet", "two/a.parquet", "unlike/*.parquet", "hive/**/*.parquet", "broken.parquet", "text.csv", "none.parquet", "t1.parquet")

	f.lake.Prepare(t.Context(), rels)
	if n := f.lake.requests.Load(); n > 40 { // most of them to find the broken file
		t.Errorf("the files of %d tables were opened %d times for the engine", len(rels), n)
	}
	alone, err := Open(Options{Root: f.dir, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = alone.Close() }()
	prepared := 0
	for _, rel := range rels {
		want, wrong := alone.Schema(t.Context(), rel)
		before := f.lake.requests.Load()
		got, err := f.lake.Schema(t.Context(), rel)
		if fmt.Sprint(err) != fmt.Sprint(wrong) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; alone %+v, %v", rel.Name, got, err, want, wrong)
		}
		if err != nil {
			continue
		}
		if f.lake.requests.Load() == before {
			prepared++
		}
		a, errA := held(alone, func(h *hold) (*table, error) { return alone.table(t.Context(), h, rel) })
		b, errB := held(f.lake, func(h *hold) (*table, error) { return f.lake.table(t.Context(), h, rel) })
		if err := errors.Join(errA, errB); err != nil || a.set.format.Kind == format.Parquet && !reflect.DeepEqual(a, b) {
			t.Errorf("%s: another table than alone: %+v, alone %+v, %v", rel.Name, b, a, err)
		}
	}
	if want := len(rels) - 6; prepared < want { // without two/a, unlike, hive, broken, its neighbour, and none
		t.Errorf("%d of %d tables were prepared, not %d", prepared, len(rels), want)
	}
	if links, err := os.ReadDir(f.lake.links); err != nil || len(links) > 0 {
		t.Errorf("links are left: %v, %v", links, err)
	}
}

// TestChangedFilesAreNotPrepared holds that a description of old files is never
// used.
func TestChangedFilesAreNotPrepared(t *testing.T) {
	f := newFolder(t)
	rels := []source.Relation{{Name: "a.parquet"}, {Name: "b.parquet"}}
	f.copy(t, "a.parquet", "SELECT 1 AS a")
	f.copy(t, "b.parquet", "SELECT 1 AS b")
	f.lake.Prepare(t.Context(), rels)
	f.copy(t, "a.parquet", "SELECT 1 AS another")
	if got := columns(f.schema(t, "a.parquet")); got != "another INTEGER?" {
		t.Errorf("columns: %s", got)
	}
}

package opentables

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// Parts reads each version of each table while the rows of each other version are held. It
// holds that the held rows and those read are together the rows of the version. It returns
// how many files were held.
func Parts(t *testing.T, src source.Tracer, kind string) (held int) {
	for _, table := range Tables(t, kind) {
		var all []version
		for _, v := range slices.Concat(table.Versions, table.Snapshots) {
			all = append(all, versionOf(t, src, table.Table+"@"+cmp.Or(v.Ref, v.ID, fmt.Sprint(v.Version))))
		}
		for _, before := range all {
			for _, now := range all {
				held += before.refreshed(t, src, now)
			}
		}
	}
	return held
}

// version is a version of a table with its rows.
type version struct {
	scan  source.Scan
	rows  []string // file by file
	files []source.FileRows
}

func versionOf(t *testing.T, src source.Tracer, name string) (v version) {
	t.Helper()
	v.scan = source.Scan{Relation: source.Relation{Name: name}, Traced: true}
	schema, err := src.Schema(t.Context(), v.scan.Relation)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range schema.Columns {
		v.scan.Select = append(v.scan.Select, c.Name)
	}
	if ok, err := src.Traceable(t.Context(), v.scan); err != nil || !ok {
		t.Fatalf("%s: traceable %t, %v", name, ok, err)
	}
	v.rows, v.files = traced(t, src, v.scan)
	rows := int64(0)
	for _, f := range v.files {
		rows += f.Rows
	}
	if rows != int64(len(v.rows)) || v.files == nil && rows > 0 {
		t.Fatalf("%s: %d rows in files, %d in all", name, rows, len(v.rows))
	}
	return v
}

func traced(t *testing.T, src source.Source, scan source.Scan) ([]string, []source.FileRows) {
	t.Helper()
	r, err := src.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := enginetest.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	return rows, r.(source.TracedRows).Files() //nolint:forcetypeassert // of a traced scan
}

// refreshed makes the version of now of the rows of this one, as far as these are there.
func (v version) refreshed(t *testing.T, src source.Source, now version) (held int) {
	t.Helper()
	scan := now.scan
	scan.Held = func(file string) bool {
		return slices.ContainsFunc(v.files, func(f source.FileRows) bool { return f.File == file })
	}
	rows, files := traced(t, src, scan)
	from := int64(0)
	for _, f := range v.files {
		if slices.ContainsFunc(files, func(n source.FileRows) bool { return n.Held && n.File == f.File }) {
			held++
			rows = append(rows, v.rows[from:from+f.Rows]...)
		}
		from += f.Rows
	}
	if want := slices.Sorted(slices.Values(now.rows)); !slices.Equal(slices.Sorted(slices.Values(rows)), want) {
		t.Errorf("%s out of %s: %d rows, want %d, or others", now.scan.Relation.Name, v.scan.Relation.Name, len(rows), len(want))
	}
	return held
}

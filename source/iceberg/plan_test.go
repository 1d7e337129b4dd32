package iceberg

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

type object = map[string]any

// manyFiles writes metadata of files that are not there: in each manifest the files
// of one day, each with bounds of eight columns.
func manyFiles(t testing.TB, root string, manifests, files int) {
	t.Helper()
	fields := []object{{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "seen", "required": true, "type": "timestamptz"}}
	for i := 3; i <= 8; i++ {
		fields = append(fields, object{"id": i, "name": fmt.Sprintf("c%d", i), "required": false, "type": "long"})
	}
	const first, day = 20_000, 86_400_000_000
	long := func(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
	var all [][]opentables.IcebergFile
	for m := range int64(manifests) {
		var list []opentables.IcebergFile
		for f := range int64(files) {
			n := m*int64(files) + f
			low, high := map[int][]byte{1: long(n * 1000), 2: long((first + m) * day)}, map[int][]byte{1: long(n*1000 + 999), 2: long((first+m)*day + day - 1)}
			for i := 3; i <= 8; i++ {
				low[i], high[i] = long(n), long(math.MaxInt64-n)
			}
			list = append(list, opentables.IcebergFile{Path: fmt.Sprintf("data/day=%d/%05d.parquet", first+m, n), Rows: 1000, Size: 5000, Day: first + m, Low: low, High: high})
		}
		all = append(all, list)
	}
	spec := []object{{"source-id": 2, "field-id": 1000, "name": "day", "transform": "day"}}
	if err := opentables.WriteIcebergSnapshot(filepath.Join(root, "many"), fields, spec, all); err != nil {
		t.Fatal(err)
	}
}

// estimated is the estimate of a scan of the table with many files.
func estimated(t testing.TB, src source.Source, where string) (files, rows int64) {
	t.Helper()
	scan := source.Scan{Relation: source.Relation{Name: "many"}, Select: []string{"id"}}
	if where != "" {
		schema, err := src.Schema(t.Context(), scan.Relation)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
		if err == nil {
			scan.Where, err = predicate.Parse(src.Dialect(), where, typed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := src.Estimate(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	return *e.ScanBytes / 5000, *e.RowsHigh
}

const oneDay = "seen >= TIMESTAMPTZ '2024-10-05 00:00:00+00' AND seen < TIMESTAMPTZ '2024-10-06 00:00:00+00'"

// TestManifestsAndFilesAreLeftOut holds that estimates count the files that a scan
// opens, by what lists and manifests say.
func TestManifestsAndFilesAreLeftOut(t *testing.T) {
	root := t.TempDir()
	manyFiles(t, root, 5, 4)
	src := open(t, root)
	for where, want := range map[string][2]int64{
		"": {20, 20_000}, "id = 7500": {1, 1000}, "id < 0": {0, 0}, oneDay: {4, 4000}, "id >= 19000 OR id < 1000": {2, 2000},
		"seen < TIMESTAMPTZ '2024-10-04 00:00:00+00'": {0, 0}, "c3 IS NULL": {20, 20_000}, "seen IS NULL": {0, 0},
	} {
		if files, rows := estimated(t, src, where); files != want[0] || rows != want[1] {
			t.Errorf("%q: %d files, %d rows, want %v", where, files, rows, want)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	root := b.TempDir()
	manyFiles(b, root, 100, 100)
	src := open(b, root)
	for name, where := range map[string]string{"all": "", "id": "id = 5000000", "day": oneDay} {
		b.Run(name, func(b *testing.B) {
			estimated(b, src, where) // the totals of the table
			b.ReportAllocs()
			spent := func() time.Duration {
				var u syscall.Rusage
				if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
					b.Fatal(err)
				}
				return time.Duration(u.Utime.Nano() + u.Stime.Nano())
			}
			before := spent()
			for b.Loop() {
				estimated(b, src, where)
			}
			b.ReportMetric(float64((spent()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op") // whatever else the machine does
		})
	}
}

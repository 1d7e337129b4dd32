package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/source"
)

// maxTraced bounds the files of a scan that is traced: they are listed whole in
// each answer.
const maxTraced = 2000

// Traceable implements source.Tracer: for some parquet files. How rows of text and
// JSON are read depends on the other files of their table.
func (l *Lake) Traceable(ctx context.Context, scan source.Scan) (bool, error) {
	return held(l, func(h *hold) (bool, error) {
		t, err := l.table(ctx, h, scan.Relation)
		if err != nil {
			return false, err
		}
		// A column of this name would hide the engine's.
		named := slices.ContainsFunc(t.columns, func(c column) bool { return strings.EqualFold(c.Name, engineFilename) })
		return t.set.format == parquet && len(t.set.files) > 1 && len(t.set.files) <= maxTraced &&
			scan.Limit == nil && len(scan.OrderBy) == 0 && !named, nil
	})
}

// engineFilename is the column in which the engine tells the file of a row.
const engineFilename = "filename"

// identity is another one once the file is changed.
func (f file) identity() string { return fmt.Sprintf("%q", []any{f.rel, f.size, f.mtime, f.etag}) }

// unheld are the files whose rows a scan wants.
func unheld(files []file, scan source.Scan) []file {
	if scan.Held == nil {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f file) bool { return scan.Held(f.identity()) })
}

// fileItem is the select item that tells the number of a row's file: the links of
// a request have it in their paths.
func (l *Lake) fileItem() string {
	number := strings.Count(l.links, "/") + 3
	return fmt.Sprintf("split_part(split_part(src.%s, '/', %d), '.', 1)::INTEGER", engineFilename, number)
}

// traced are the rows of some files, in the order of these. The last column holds
// the number of each row's file, and is taken off.
type traced struct {
	array.RecordReader
	set    *fileSet
	scan   source.Scan
	schema *arrow.Schema
	cur    arrow.RecordBatch // owned
	rows   map[int32]int64
	order  []int32 // of the files whose rows have come
	mixed  bool    // the rows are not in the order of their files
}

func trace(rows array.RecordReader, set *fileSet, scan source.Scan) *traced {
	fields := rows.Schema().Fields()
	meta := rows.Schema().Metadata()
	return &traced{RecordReader: rows, set: set, scan: scan, schema: arrow.NewSchema(fields[:len(fields)-1], &meta), rows: map[int32]int64{}}
}

// Schema implements array.RecordReader.
func (t *traced) Schema() *arrow.Schema { return t.schema }

// Next implements array.RecordReader.
func (t *traced) Next() bool {
	t.drop()
	if !t.RecordReader.Next() {
		return false
	}
	batch := t.RecordReader.RecordBatch()
	last := int(batch.NumCols()) - 1
	numbers, ok := batch.Column(last).(*array.Int32)
	t.mixed = t.mixed || !ok
	for i := 0; !t.mixed && i < numbers.Len(); i++ {
		t.count(numbers.Value(i))
	}
	t.cur = array.NewRecordBatch(t.schema, batch.Columns()[:last], batch.NumRows())
	return true
}

// count notes a row of a file.
func (t *traced) count(n int32) {
	if k := len(t.order); k == 0 || t.order[k-1] != n {
		if _, again := t.rows[n]; again {
			t.mixed = true // and nothing more is noted
			return
		}
		t.order = append(t.order, n)
	}
	t.rows[n]++
}

// RecordBatch implements array.RecordReader.
func (t *traced) RecordBatch() arrow.RecordBatch { return t.cur }

// Record implements array.RecordReader under its older name.
func (t *traced) Record() arrow.RecordBatch { return t.cur }

// Release implements array.RecordReader.
func (t *traced) Release() {
	t.drop()
	t.RecordReader.Release()
}

func (t *traced) drop() {
	if t.cur != nil {
		t.cur.Release()
		t.cur = nil
	}
}

// files are those of the table: first those that had rows, in their order. Under a
// rule on rows, those without any that the caller may see do not exist for it.
func (t *traced) files() []source.FileRows {
	if t.mixed {
		return nil
	}
	all := make([]source.FileRows, 0, len(t.set.files))
	for _, n := range t.order {
		if n < 0 || int(n) >= len(t.set.files) {
			return nil
		}
		all = append(all, source.FileRows{File: t.set.files[n].identity(), Rows: t.rows[n]})
	}
	for _, f := range t.set.files {
		if t.rows[int32(f.index)] == 0 { //nolint:gosec // at most maxTraced
			id := f.identity()
			isHeld := t.scan.Held != nil && t.scan.Held(id)
			if isHeld || t.scan.Relation.Rule == nil {
				all = append(all, source.FileRows{File: id, Held: isHeld})
			}
		}
	}
	return all
}

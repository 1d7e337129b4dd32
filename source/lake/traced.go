package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/source"
)

// maxTraced limits the files of a traced scan, because each answer lists all of
// them.
const maxTraced = 2000

// Traceable implements source.Tracer: for tables of some files. How text and JSON are
// read may depend on the other files of their table, and is a part of what tells one
// file from another.
func (l *Lake) Traceable(ctx context.Context, scan source.Scan) (bool, error) {
	return held(l, func(h *hold) (bool, error) {
		t, err := l.table(ctx, h, scan.Relation)
		if err != nil {
			return false, err
		}
		// A column of this name would hide the engine's.
		named := slices.ContainsFunc(t.columns, func(c column) bool {
			return strings.EqualFold(c.Name, engineFilename) || strings.EqualFold(c.Name, engineRowNumber)
		})
		return len(t.set.files) > 1 && len(t.set.files) <= maxTraced &&
			scan.Limit == nil && len(scan.OrderBy) == 0 && !named, nil
	})
}

// The columns in which the engine tells the file of a row, and its number in that.
const engineFilename, engineRowNumber = "filename", "file_row_number"

// identity is another one once the file is changed, or read in another way.
func (t *table) identity(f *file) string {
	reading := ""
	if t.texts != nil {
		reading = t.texts[f.index].reading
	}
	return fmt.Sprintf("%q %d %d %d %d %q %q", f.rel, f.size, f.mtime, f.changed, f.inode, f.etag, reading)
}

// reads reports whether the caller of a scan has the rows of a file.
func (t *table) reads(scan source.Scan, f *file) bool {
	return scan.Held != nil && scan.Held(t.identity(f))
}

// rowsIn is how many rows files of text or JSON have.
func (t *table) rowsIn(files []file) (rows int64) {
	for _, f := range files {
		rows += t.texts[f.index].rows
	}
	return rows
}

// unheld are the files whose rows a scan needs; of text those that have rows.
// If there are no such files, one of the table's stands for all, and the scan is not
// to read its rows.
func (t *table) unheld(files []file, scan source.Scan) (left []file, nothing bool) {
	blank := func(f *file) bool { return t.texts != nil && t.texts[f.index].rows == 0 }
	for i := range files {
		if f := &files[i]; !blank(f) && !t.reads(scan, f) {
			left = append(left, *f)
		}
	}
	for i := range t.set.files {
		if f := &t.set.files[i]; len(left) == 0 && !blank(f) {
			return []file{*f}, true
		}
	}
	return left, false
}

// fileItem is the select item that tells the file of a row: its index, which is in
// the paths of links, or for text the number of the row in the parquet copy. The column that
// it needs is the second. All rows of a chunk have one path, for which the engine
// computes these functions once.
func (l *Lake) fileItem(t *table) (item, column string) {
	if t.texts != nil {
		return "src." + engineRowNumber, engineRowNumber
	}
	return fmt.Sprintf("substring(src.%s, %d, %d)::INTEGER", engineFilename, l.indexAt(), indexDigits), engineFilename
}

// traced are the rows of some files, in the order of these. The last column tells the
// file of each row, and is taken off.
type traced struct {
	recordreader.Base
	inner array.RecordReader
	table *table
	read  []file  // of text: those in the parquet copy, in order
	ends  []int64 // and the number of the row behind the last of each
	at    int     // in read
	scan  source.Scan
	rows  map[int32]int64
	order []int32 // of the files whose rows have come
	mixed bool    // the rows are not in the order of their files
}

func trace(rows array.RecordReader, t *table, read []file, scan source.Scan) *traced {
	fields := rows.Schema().Fields()
	meta := rows.Schema().Metadata()
	out := &traced{inner: rows, table: t, scan: scan, rows: map[int32]int64{}}
	out.Begin(arrow.NewSchema(fields[:len(fields)-1], &meta), rows.Release)
	for i := range read {
		if t.texts != nil {
			out.read, out.ends = read, append(out.ends, t.rowsIn(read[:i+1]))
		}
	}
	return out
}

// Next implements array.RecordReader.
func (t *traced) Next() bool {
	t.Set(nil)
	if !t.inner.Next() {
		return false
	}
	batch := t.inner.RecordBatch()
	last := int(batch.NumCols()) - 1
	switch column := batch.Column(last).(type) {
	case *array.Int32:
		for files := column.Int32Values(); !t.mixed && len(files) > 0; {
			n := 1
			for n < len(files) && files[n] == files[0] {
				n++
			}
			t.count(files[0], n)
			files = files[n:]
		}
	case *array.Int64:
		for i := 0; !t.mixed && i < column.Len(); i++ {
			t.countAt(column.Value(i))
		}
	default:
		t.mixed = true
	}
	t.Set(array.NewRecordBatch(t.Schema(), batch.Columns()[:last], batch.NumRows()))
	return true
}

// Err implements array.RecordReader.
func (t *traced) Err() error { return t.inner.Err() }

// countAt notes the row of a parquet copy that has a number.
func (t *traced) countAt(row int64) {
	for t.at < len(t.ends) && row >= t.ends[t.at] {
		t.at++
	}
	if t.at == len(t.ends) || t.at > 0 && row < t.ends[t.at-1] {
		t.mixed = true
		return
	}
	t.count(int32(t.read[t.at].index), 1) //nolint:gosec // at most maxTraced
}

// count notes rows of a file that come one after another.
func (t *traced) count(n int32, rows int) {
	if k := len(t.order); k == 0 || t.order[k-1] != n {
		if _, again := t.rows[n]; again {
			t.mixed = true // and nothing more is noted
			return
		}
		t.order = append(t.order, n)
	}
	t.rows[n] += int64(rows)
}

// files lists the table's files: first those with rows, in order. Under a row
// rule, files without any visible row are left out.
func (t *traced) files() []source.FileRows {
	if t.mixed {
		return nil
	}
	files := t.table.set.files
	all := make([]source.FileRows, 0, len(files))
	for _, n := range t.order {
		if n < 0 || int(n) >= len(files) {
			return nil
		}
		all = append(all, source.FileRows{File: t.table.identity(&files[n]), Rows: t.rows[n]})
	}
	for i := range files {
		f := &files[i]
		if t.rows[int32(i)] == 0 { //nolint:gosec // at most maxTraced
			isHeld := t.table.reads(t.scan, f)
			if isHeld || t.scan.Relation.Rule == nil {
				all = append(all, source.FileRows{File: t.table.identity(f), Held: isHeld})
			}
		}
	}
	return all
}

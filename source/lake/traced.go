package lake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/embedded"
)

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
		return len(t.set.files) > 1 && len(t.set.files) <= embedded.MaxTraced &&
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

// traced are the rows of some files, in the order of these.
type traced struct {
	*embedded.Traced
	table *table
	scan  source.Scan
}

// trace takes over rows of files. Those of text have numbers in the parquet copy.
func trace(rows array.RecordReader, t *table, read []file, scan source.Scan) *traced {
	ends, at := []int64(nil), 0 // the number of the row behind the last of each file
	for i := range read {
		if t.texts != nil {
			ends = append(ends, t.rowsIn(read[:i+1]))
		}
	}
	return &traced{table: t, scan: scan, Traced: embedded.Trace(rows, func(row int64) int32 {
		for at < len(ends) && row >= ends[at] {
			at++
		}
		if at == len(ends) || at > 0 && row < ends[at-1] {
			return -1
		}
		return int32(read[at].index) //nolint:gosec // at most MaxTraced
	})}
}

// files lists the table's files: first those with rows, in order. Under a row
// rule, files without any visible row are left out.
func (t *traced) files() []source.FileRows {
	if t.Mixed {
		return nil
	}
	files := t.table.set.files
	all := make([]source.FileRows, 0, len(files))
	for _, n := range t.Order {
		if int(n) >= len(files) {
			return nil
		}
		all = append(all, source.FileRows{File: t.table.identity(&files[n]), Rows: t.Rows[n]})
	}
	for i := range files {
		f := &files[i]
		if t.Rows[int32(i)] == 0 { //nolint:gosec // at most MaxTraced
			isHeld := t.table.reads(t.scan, f)
			if isHeld || t.scan.Relation.Rule == nil {
				all = append(all, source.FileRows{File: t.table.identity(f), Held: isHeld})
			}
		}
	}
	return all
}

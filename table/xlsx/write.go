package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// maxWritten bounds a sheet's XML. Each cell counts as its text and cellBytes. Above this
// size an archive needs headers that spreadsheets do not support.
const (
	maxWritten = 3900 << 20
	cellBytes  = 60
)

// ErrTooWide says that a result has more columns than a sheet.
var ErrTooWide = errors.New("a sheet has no more than 16,384 columns")

// WriteOptions say what the workbook should look like.
type WriteOptions struct {
	Sheet string // name of the first sheet; empty: Sheet1
	// MaxRows bounds the rows of a sheet, its header included; 0: as many as a
	// sheet has.
	MaxRows int
}

// Written describes the contents of a workbook.
type Written struct {
	Rows    int64
	Sheets  []string
	Table   string       // name of the rows on the last sheet; "" if they are no table
	Caveats []api.Caveat // what the workbook does not hold as it came
}

// Book is a workbook that is being written, result by result. What does not fit in
// memory waits in a folder for temporary files.
type Book struct {
	w       io.Writer
	scratch *store.Folder
	file    *excelize.File // nil before the first result
	sheets  int
	tables  int
	styles  map[string]int // by the format of numbers
	caveats []api.Caveat
	// kept are the properties of its own as XML, and how many they are.
	kept       bytes.Buffer
	properties int
}

// NewBook starts a workbook on w, which the caller still owns. It is complete
// once Close has returned nil.
func NewBook(w io.Writer) *Book { return &Book{w: w, styles: map[string]int{}} }

// Add writes the rows of rdr, which the caller still owns, into a new sheet, or
// several if they do not fit into one. After an error the current sheet is
// incomplete; others can follow.
func (b *Book) Add(ctx context.Context, rdr api.Rows, o WriteOptions) (Written, error) {
	if rdr.Schema().NumFields() > MaxColumns {
		return Written{}, ErrTooWide
	}
	if err := b.open(); err != nil {
		return Written{}, err
	}
	x, err := newWriter(b, rdr.Schema(), o)
	if err != nil {
		return Written{}, err
	}
	for err == nil && rdr.Next() {
		if err = ctx.Err(); err == nil {
			err = x.batch(rdr.RecordBatch())
		}
	}
	done, err := x.finish(errors.Join(err, rdr.Err()))
	for _, sheet := range done.Sheets {
		for _, c := range append(rdr.Caveats(), done.Caveats...) {
			c.About.Sheet = sheet
			b.caveats = append(b.caveats, c)
		}
	}
	return done, err
}

func (b *Book) open() (err error) {
	if b.file != nil {
		return nil
	}
	if b.scratch, err = store.FolderBeside(os.TempDir()); err != nil {
		return err
	}
	b.file = excelize.NewFile(excelize.Options{TmpDir: b.scratch.Path}).SetZipWriter(func(w io.Writer) excelize.ZipWriter {
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.DefaultCompression) })
		return z
	})
	return nil
}

// Close writes the workbook.
func (b *Book) Close() error {
	if err := b.open(); err != nil { // a workbook has a sheet, also without results
		return err
	}
	defer b.Abort()
	if err := b.tell(); err != nil {
		return err
	}
	return b.file.Write(b.w)
}

// Abort releases the resources of a workbook. It can be called after Close.
func (b *Book) Abort() {
	if b.file != nil {
		_ = b.file.Close() // it removes temporary files, as does the next line
		b.file = nil
	}
	b.scratch.Close()
}

// style returns the style of cells whose numbers have a format; 0: without one.
func (b *Book) style(format string) (int, error) {
	if format == "" {
		return 0, nil
	}
	if style, ok := b.styles[format]; ok {
		return style, nil
	}
	style, err := b.file.NewStyle(&excelize.Style{CustomNumFmt: &format})
	b.styles[format] = style
	return style, err
}

// writer writes the sheets of one result.
type writer struct {
	book    *Book
	cols    []column
	names   []string
	widths  []int
	maxRows int
	base    string
	stream  *excelize.StreamWriter // of the current sheet; nil before the first
	row     int                    // rows written to the current sheet
	bytes   int64
	cells   []any // of one row, reused
	done    Written
	notes   Notes
}

func newWriter(b *Book, s *arrow.Schema, o WriteOptions) (*writer, error) {
	x := &writer{book: b, maxRows: o.MaxRows, base: sheetName(o.Sheet), cells: make([]any, s.NumFields())}
	if x.maxRows <= 1 || x.maxRows > MaxRows {
		x.maxRows = MaxRows
	}
	if o.Sheet != "" && x.base != o.Sheet {
		x.done.Caveats = append(x.done.Caveats, api.NewCaveat(api.CaveatRenamed, "the sheet is called %q: %q is not a valid name", x.base,
			o.Sheet))
	}
	for i, f := range s.Fields() {
		c := columnOf(f)
		c.index = i
		var err error
		if c.style, err = b.style(formatOf(f, c.kind)); err != nil {
			return nil, err
		}
		x.cols = append(x.cols, c)
		x.names = append(x.names, f.Name)
		x.widths = append(x.widths, len([]rune(f.Name))+3)
	}
	return x, nil
}

func (x *writer) batch(rec arrow.RecordBatch) error {
	for i, c := range rec.Columns() {
		x.cols[i].bind(rec.Schema().Field(i), c)
	}
	if x.stream == nil {
		x.measure(rec)
	}
	for i := range int(rec.NumRows()) {
		if x.stream == nil || x.row == x.maxRows || x.bytes > maxWritten {
			if err := x.nextSheet(); err != nil {
				return err
			}
		}
		for j := range x.cols {
			x.cells[j] = nil
			if !x.cols[j].arr.IsNull(i) {
				x.cells[j] = x.cols[j].cell(i, &x.notes)
				x.bytes += int64(cellBytes + len(x.cols[j].raw))
			}
		}
		x.done.Rows++
		if err := x.write(x.cells); err != nil {
			return err
		}
	}
	return nil
}

func (x *writer) write(cells []any) error {
	x.row++
	return x.stream.SetRow(fmt.Sprintf("A%d", x.row), cells)
}

// measure takes the widths of columns from the first rows.
func (x *writer) measure(rec arrow.RecordBatch) {
	var text []byte
	for j := range x.cols {
		for i := range min(int(rec.NumRows()), 200) {
			if !x.cols[j].arr.IsNull(i) {
				text, _ = x.cols[j].text.AppendText(text[:0], i)
				x.widths[j] = max(x.widths[j], len([]rune(string(text)))+1)
			}
		}
	}
}

// nextSheet ends the current sheet and starts another with the header.
func (x *writer) nextSheet() error {
	if err := x.endSheet(); err != nil {
		return err
	}
	name := x.base
	if n := len(x.done.Sheets); n > 0 {
		suffix := fmt.Sprintf(" (%d)", n+1)
		name = cut16(x.base, 31-len(suffix)) + suffix
	}
	var err error
	if x.book.sheets == 0 { // a new workbook has one already
		err = x.book.file.SetSheetName("Sheet1", name)
	} else {
		_, err = x.book.file.NewSheet(name)
	}
	if err != nil {
		return err
	}
	x.book.sheets++
	x.done.Sheets = append(x.done.Sheets, name)
	// The size of a sheet is not known before its end, and readers that stream believe
	// the one of an empty sheet.
	if err := x.book.file.SetSheetDimension(name, ""); err != nil {
		return err
	}
	if x.stream, err = x.book.file.NewStreamWriter(name); err != nil {
		return err
	}
	x.row, x.bytes = 0, 0
	for j, w := range x.widths {
		if err := x.stream.SetColWidth(j+1, j+1, float64(min(max(w, 8), 60))); err != nil {
			return err
		}
	}
	if err := x.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	return x.header()
}

func (x *writer) header() error {
	bold, err := x.book.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	cells := make([]any, len(x.names))
	for j, name := range x.names {
		cells[j] = excelize.Cell{StyleID: bold, Value: name}
	}
	return x.write(cells)
}

// endSheet ends the current sheet. Its rows become a table, which can be filtered and
// named in formulas, if programs take the names of the columns for one.
func (x *writer) endSheet() error {
	if x.stream == nil {
		return nil
	}
	if tableNames(x.names) {
		last, err := excelize.CoordinatesToCellName(len(x.names), max(x.row, 2))
		if err == nil {
			x.book.tables++
			x.done.Table = fmt.Sprintf("Table%d", x.book.tables)
			err = x.stream.AddTable(&excelize.Table{Name: x.done.Table, Range: "A1:" + last, StyleName: "TableStyleLight1"})
		}
		if err != nil {
			return err
		}
	}
	err := x.stream.Flush()
	x.stream = nil
	return err
}

// Cells is a range as workbooks write it: A2:C9.
func Cells(row, column, rows, columns int) (string, error) {
	first, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return "", err
	}
	last, err := excelize.CoordinatesToCellName(column+columns-1, row+rows-1)
	return first + ":" + last, err
}

// tableNames reports whether columns of these names can make up a table: each has one
// of its own, in one line of at most 255 letters.
func tableNames(names []string) bool {
	seen := map[string]bool{}
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		lower := strings.ToLower(name)
		bad := seen[lower] || strings.TrimSpace(name) == "" || len(name) > 255 || strings.Contains(name, "_x") ||
			strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
		seen[lower] = true
		return bad
	})
}

// finish ends the last sheet. failed is the error of the rows, or nil.
func (x *writer) finish(failed error) (Written, error) {
	if failed == nil && len(x.done.Sheets) == 0 {
		failed = x.nextSheet()
	}
	if err := errors.Join(failed, x.endSheet()); err != nil {
		return Written{}, err
	}
	if n := len(x.done.Sheets); n > 1 {
		x.done.Caveats = append(x.done.Caveats, api.NewCaveat(api.CaveatOther,
			"the rows did not fit one sheet: they go on in %d sheets, %q to %q", n, x.done.Sheets[0], x.done.Sheets[n-1]))
	}
	x.done.Caveats = append(x.done.Caveats, x.notes.Caveats(x.names)...)
	return x.done, nil
}

package xlsx

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/klauspost/compress/flate"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/overlap"
)

// maxWritten keeps a sheet's XML below the size at which an archive needs headers
// that spreadsheets do not support.
const maxWritten = 3900 << 20

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
	Rows     int64
	Sheets   []string
	Warnings []string
}

// Write writes the rows of rdr as a workbook. Rows beyond the limit of a sheet
// continue in further sheets. The caller still owns w and rdr.
func Write(ctx context.Context, w io.Writer, rdr array.RecordReader, o WriteOptions) (Written, error) {
	book := NewBook(w)
	defer book.Abort()
	done, err := book.Add(ctx, rdr, o)
	if err != nil {
		return Written{}, err
	}
	return done, book.Close()
}

// Book is a workbook that is being written, result by result.
type Book struct {
	z     *zip.Writer
	frame frame
	cur   *writer // may be nil
}

// NewBook starts a workbook on w, which the caller still owns. It is complete
// once Close has returned nil.
func NewBook(w io.Writer) *Book {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 2) })
	return &Book{z: z}
}

// Add writes the rows of rdr, which the caller still owns, into a new sheet, or
// several if they do not fit into one. After an error the workbook cannot be
// completed with more than what was added before: the current sheet is
// incomplete.
func (b *Book) Add(ctx context.Context, rdr array.RecordReader, o WriteOptions) (Written, error) {
	if rdr.Schema().NumFields() > MaxColumns {
		return Written{}, ErrTooWide
	}
	x := newWriter(b, rdr.Schema(), o)
	b.cur = x
	for rdr.Next() {
		if err := ctx.Err(); err != nil {
			return Written{}, err
		}
		if err := x.batch(rdr.RecordBatch()); err != nil {
			return Written{}, err
		}
	}
	if err := rdr.Err(); err != nil {
		return Written{}, err
	}
	err := x.finish()
	return x.done, err
}

// Close writes the parts that are common to all sheets.
func (b *Book) Close() error {
	if b.cur != nil {
		if err := b.cur.endSheet(); err != nil { // the sheet of rows that have failed
			return err
		}
	}
	if err := b.frame.write(b.z); err != nil {
		return err
	}
	return b.z.Close()
}

// Abort releases the resources of an unfinished workbook. It can be called after
// Close.
func (b *Book) Abort() {
	if b.cur != nil {
		b.cur.abort()
	}
}

// writer writes the sheets of one result.
type writer struct {
	z       *zip.Writer
	book    *frame
	cols    []column
	names   []string // as they are in the sheet, escaped
	widths  []int
	maxRows int
	base    string
	row     int // rows written to the current sheet
	bytes   int64
	out     *bufio.Writer // of the current sheet; nil before the first
	async   *overlap.Writer
	buf     []byte
	refs    [][]byte // column letters
	done    Written
	notes   notes
}

func newWriter(b *Book, s *arrow.Schema, o WriteOptions) *writer {
	x := &writer{z: b.z, book: &b.frame, maxRows: o.MaxRows}
	if x.maxRows <= 1 || x.maxRows > MaxRows {
		x.maxRows = MaxRows
	}
	x.base = sheetName(o.Sheet)
	if o.Sheet != "" && x.base != o.Sheet {
		x.done.Warnings = append(x.done.Warnings, fmt.Sprintf("the sheet is called %q: %q is not a valid name", x.base, o.Sheet))
	}
	for i, f := range s.Fields() {
		c := x.book.column(f)
		c.index = i
		x.cols = append(x.cols, c)
		x.names = append(x.names, f.Name)
		x.widths = append(x.widths, 0)
		x.refs = append(x.refs, columnLetters(i+1))
	}
	return x
}

func (x *writer) batch(rec arrow.RecordBatch) error {
	for i, c := range rec.Columns() {
		x.cols[i].bind(rec.Schema().Field(i), c)
	}
	if x.out == nil {
		x.measure(rec)
	}
	for i := range int(rec.NumRows()) {
		if x.out == nil || x.row == x.maxRows || x.bytes > maxWritten {
			if err := x.nextSheet(); err != nil {
				return err
			}
		}
		x.writeRow(i)
		x.done.Rows++
		if _, err := x.out.Write(x.buf); err != nil {
			return err
		}
	}
	return nil
}

// writeRow puts row i of the bound batch into buf.
func (x *writer) writeRow(i int) {
	x.row++
	b := append(x.buf[:0], `<row r="`...)
	b = strconv.AppendInt(b, int64(x.row), 10)
	b = append(b, `">`...)
	for j := range x.cols {
		c := &x.cols[j]
		if c.arr.IsNull(i) {
			continue
		}
		b = append(b, `<c r="`...)
		b = append(b, x.refs[j]...)
		b = strconv.AppendInt(b, int64(x.row), 10)
		b = c.appendCell(b, i, &x.notes)
	}
	x.buf = append(b, "</row>"...)
	x.bytes += int64(len(x.buf))
}

// measure takes the widths of columns from the first rows.
func (x *writer) measure(rec arrow.RecordBatch) {
	var text []byte
	for j := range x.cols {
		w := len([]rune(x.names[j])) + 3
		for i := range min(int(rec.NumRows()), 200) {
			if !x.cols[j].arr.IsNull(i) {
				text, _ = x.cols[j].text.AppendText(text[:0], i)
				w = max(w, len([]rune(string(text)))+1)
			}
		}
		x.widths[j] = min(max(w, 8), 60)
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
	x.done.Sheets = append(x.done.Sheets, name)
	to, err := x.z.Create(x.book.addSheet(name))
	if err != nil {
		return err
	}
	x.async = overlap.NewWriter(to)
	x.out = bufio.NewWriterSize(x.async, 128<<10)
	x.row, x.bytes = 1, 0
	b := append(x.buf[:0], sheetHead...)
	if len(x.widths) > 0 {
		b = append(b, "<cols>"...)
		for j, w := range x.widths {
			b = fmt.Appendf(b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, j+1, j+1, max(w, 8))
		}
		b = append(b, "</cols>"...)
	}
	b = append(b, `<sheetData><row r="1">`...)
	for j, n := range x.names {
		b = fmt.Appendf(b, `<c r="%s1" s="%d" t="inlineStr"><is><t xml:space="preserve">`, x.refs[j], headerStyle)
		b, _ = appendEscaped(b, []byte(n))
		b = append(b, "</t></is></c>"...)
	}
	x.buf = append(b, "</row>"...)
	_, err = x.out.Write(x.buf)
	return err
}

const sheetHead = prolog + `<worksheet xmlns="` + spreadsheet + `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>`

func (x *writer) endSheet() error {
	if x.out == nil {
		return nil
	}
	if _, err := x.out.WriteString("</sheetData>"); err != nil {
		return err
	}
	if n := len(x.refs); n > 0 {
		area := fmt.Sprintf("A1:%s%d", x.refs[n-1], x.row)
		if _, err := fmt.Fprintf(x.out, `<autoFilter ref="%s"/>`, area); err != nil {
			return err
		}
		x.book.filter(string(x.refs[n-1]), x.row)
	}
	if _, err := x.out.WriteString("</worksheet>"); err != nil {
		return err
	}
	if err := x.out.Flush(); err != nil {
		return err
	}
	x.out = nil
	return x.async.Close()
}

// abort releases the resources of an unfinished workbook.
func (x *writer) abort() {
	if x.out != nil {
		_ = x.async.Close() // the first error has been returned already
	}
}

// finish ends the last sheet.
func (x *writer) finish() error {
	if len(x.done.Sheets) == 0 {
		if err := x.nextSheet(); err != nil {
			return err
		}
	}
	if err := x.endSheet(); err != nil {
		return err
	}
	if n := len(x.done.Sheets); n > 1 {
		x.done.Warnings = append(x.done.Warnings, fmt.Sprintf("the rows did not fit one sheet: they go on in %d sheets, %q to %q", n, x.done.Sheets[0], x.done.Sheets[n-1]))
	}
	x.done.Warnings = append(x.done.Warnings, x.notes.warnings(x.names)...)
	return nil
}

// bind points the column at the array of the next batch.
func (c *column) bind(f arrow.Field, arr arrow.Array) {
	c.arr = arr
	c.text = arrowjson.Bind(f, arr)
}

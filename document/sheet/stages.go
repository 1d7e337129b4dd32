package sheet

import (
	"bytes"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/agnes-data/da/document/ooxml"
)

// stage is a change to the rows of a sheet. Stages follow each other: each sees the
// rows as the one before has left them.
type stage interface {
	// apply iterates over rows and yields the changed rows. An error is passed to
	// fail, and ends the iteration.
	apply(rows iter.Seq[row], fail func(error)) iter.Seq[row]
}

// rewrite writes a sheet with its changed layout and rows.
func (s *sheetPart) rewrite(r io.Reader, w io.Writer) error {
	in := newRowStream(s.part, r)
	_, tag, err := in.head()
	if err != nil {
		return err
	}
	before, after := s.layout.around()
	if _, err := w.Write(before); err != nil {
		return err
	}
	var failed error
	fail := func(err error) { failed = err }
	rows := in.rows()
	if tag.Empty() {
		rows = func(func(row) bool) {}
	}
	for _, st := range s.stages {
		rows = st.apply(rows, fail)
	}
	for r := range rows {
		if failed != nil {
			break
		}
		if _, err := w.Write(r.raw); err != nil {
			return err
		}
	}
	if failed == nil {
		failed = in.err
	}
	if failed == nil {
		_, failed = w.Write(after)
	}
	return failed
}

// around returns the parts of the sheet before and after the rows.
func (l *layout) around() (before, after []byte) {
	// A marker in place of the rows splits the text. It is a character that XML
	// cannot contain, so no sheet has it.
	const mark = "\x00"
	l.data.SetText("")
	l.data.Children = nil
	l.data.AppendRaw(mark)
	before, after, _ = bytes.Cut(l.tree.Bytes(), []byte(mark))
	l.data.Children = nil
	return before, after
}

// edit is the change of one cell.
type edit struct {
	content []byte // content of the cell, as XML; nil keeps the old content
	kind    string // the cell's attribute t
	sets    bool   // content and kind are set
	formats []Format
	// number is a format that the cell gets unless it shows dates already.
	number string
}

// edits change cells of a sheet in place.
type edits struct {
	sheet *sheetPart
	book  *Book
	cells map[int]map[int]*edit // by row and column
	// areas are formats of ranges: of every cell in them, whether it is there or not.
	areas []areaFormat
	looks map[lookKey]int
}

type areaFormat struct {
	area
	format Format
	// existing says that only existing cells get the format: the rest of a whole
	// column gets it from the column's style.
	existing bool
}

// lookKey is an entry of cellXfs and the change to apply to it.
type lookKey struct {
	old    int
	change string
}

func (e *edits) editOf(c cell) *edit {
	if e.cells[c.row] == nil {
		e.cells[c.row] = map[int]*edit{}
	}
	if e.cells[c.row][c.col] == nil {
		e.cells[c.row][c.col] = &edit{}
	}
	return e.cells[c.row][c.col]
}

func (e *edits) apply(rows iter.Seq[row], fail func(error)) iter.Seq[row] {
	return func(yield func(row) bool) {
		todo := e.rows()
		ok := true
		emit := func(number int, raw []byte) {
			out, err := e.row(row{number, raw})
			if err != nil {
				fail(err)
				ok = false
				return
			}
			ok = len(out) == 0 || yield(row{number, out})
		}
		for r := range rows {
			for ok && len(todo) > 0 && todo[0] < r.number {
				emit(todo[0], nil)
				todo = todo[1:]
			}
			switch {
			case !ok:
				return
			case len(todo) > 0 && todo[0] == r.number || e.within(r.number):
				if len(todo) > 0 && todo[0] == r.number {
					todo = todo[1:]
				}
				emit(r.number, r.raw)
			default:
				ok = yield(r)
			}
			if !ok {
				return
			}
		}
		for ok && len(todo) > 0 {
			emit(todo[0], nil)
			todo = todo[1:]
		}
	}
}

// rows returns the numbers, in order, of the rows in which cells may have to be
// created.
func (e *edits) rows() []int {
	seen := map[int]bool{}
	for r := range e.cells {
		seen[r] = true
	}
	for _, a := range e.areas {
		for r := a.from.row; !a.existing && r <= a.to.row; r++ {
			seen[r] = true
		}
	}
	out := make([]int, 0, len(seen))
	for r := range seen {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

func (e *edits) within(number int) bool {
	return slices.ContainsFunc(e.areas, func(a areaFormat) bool { return number >= a.from.row && number <= a.to.row })
}

// row returns the changed row; raw is nil if the sheet does not have the row yet.
func (e *edits) row(r row) ([]byte, error) {
	prefix := e.sheet.layout.prefix
	tag, cells := ooxml.Tag("<"+prefix+`row r="`+strconv.Itoa(r.number)+`">`), []rowCell(nil)
	if r.raw != nil {
		var err error
		if tag, cells, err = r.split(e.sheet.part); err != nil {
			return nil, err
		}
	}
	columns := e.columns(r.number, cells)
	byColumn := map[int]rowCell{}
	for _, c := range cells {
		byColumn[c.col] = c
	}
	style := e.rowStyle(tag)
	opened, end := tag.Without("spans").With("r", strconv.Itoa(r.number)).Opened()
	var out bytes.Buffer
	out.Write(opened)
	for _, col := range columns {
		raw, err := e.cell(cell{r.number, col}, byColumn[col], style)
		if err != nil {
			return nil, err
		}
		out.Write(raw)
	}
	out.Write(end)
	return out.Bytes(), nil
}

// columns are those of the cells that the row has, and is to have, in order.
func (e *edits) columns(number int, cells []rowCell) []int {
	var out []int
	for _, c := range cells {
		out = append(out, c.col)
	}
	for col := range e.cells[number] {
		out = append(out, col)
	}
	for _, a := range e.areas {
		for col := a.from.col; !a.existing && number >= a.from.row && number <= a.to.row && col <= a.to.col; col++ {
			out = append(out, col)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rowStyle is the style that new cells of a row have, -1 for their columns'.
func (e *edits) rowStyle(tag ooxml.Tag) int {
	if s, err := strconv.Atoi(tag.Get("s")); err == nil && tag.Get("customFormat") == "1" {
		return s
	}
	return -1
}

// cell returns the changed cell, or nothing if it is empty and has no style.
func (e *edits) cell(at cell, c rowCell, rowStyle int) ([]byte, error) {
	change := e.cells[at.row][at.col]
	var formats []Format
	for _, a := range e.areas {
		if a.contains(at) {
			formats = append(formats, a.format)
		}
	}
	if change == nil {
		change = &edit{}
	}
	formats = append(slices.Clone(change.formats), formats...)
	tag := c.tag
	if tag == nil {
		style := rowStyle
		if style < 0 {
			style = e.sheet.layout.columnStyle(at.col)
		}
		tag = ooxml.Tag("<" + e.sheet.layout.prefix + "c/>")
		if style > 0 {
			tag = tag.With("s", strconv.Itoa(style))
		}
	} else if !change.sets && len(formats) == 0 && change.number == "" {
		if tag.Get("r") != "" {
			return c.raw, nil
		}
		return slices.Concat(tag.With("r", at.String()), c.raw[len(tag):]), nil
	}
	old, _ := strconv.Atoi(tag.Get("s"))
	look, err := e.formatIndex(old, change, formats)
	if err != nil {
		return nil, err
	}
	if look > 0 || look != old {
		tag = tag.With("s", strconv.Itoa(look))
	}
	tag = tag.With("r", at.String())
	if !change.sets {
		if c.raw == nil {
			return tag, nil
		}
		return slices.Concat(tag, c.raw[len(c.tag):]), nil
	}
	tag = tag.Without("t").Without("cm").Without("vm")
	if len(change.content) == 0 {
		if look == 0 {
			return nil, nil
		}
		if !tag.Empty() {
			tag = append(slices.Clone(tag[:len(tag)-1]), '/', '>')
		}
		return tag, nil
	}
	if change.kind != "" {
		tag = tag.With("t", change.kind)
	}
	opened, end := tag.Opened()
	return slices.Concat(opened, change.content, end), nil
}

// formatIndex is the entry of cellXfs that a cell gets.
func (e *edits) formatIndex(old int, change *edit, formats []Format) (int, error) {
	if len(formats) == 0 && change.number == "" {
		return old, nil
	}
	all, err := e.book.styleTable()
	if err != nil {
		return 0, err
	}
	if change.number != "" && !isDate(all.describe(old).Number) {
		formats = append([]Format{{Number: change.number}}, formats...)
	}
	for _, f := range formats {
		key := lookKey{old, f.key()}
		next, ok := e.looks[key]
		if !ok {
			if next, err = all.change(old, f); err != nil {
				return 0, err
			}
			e.looks[key] = next
			e.book.pkg.Touch(all.part)
		}
		old = next
	}
	return old, nil
}

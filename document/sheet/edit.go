package sheet

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// editor applies operations to a workbook.
type editor struct {
	*Book
	report   *Report
	touched  bool // cells or formulas have changed: values may be stale
	plan     plan
	formulas bool // a formula has come, gone or moved
	reaching []reach
	missing  []missing // sheets that formulas read before they are there
	options  Options
}

// Edit applies operations to a workbook and writes the result to w. If it returns
// an error, no operation has been applied, and what has been written to w must
// not be used.
func Edit(r io.ReaderAt, size int64, w io.Writer, ops []Operation, options Options) (*Report, error) {
	if err := ooxml.CheckCount(len(ops)); err != nil {
		return nil, err
	}
	e := &editor{report: &Report{Results: []Result{}}, options: options}
	for done := 0; ; {
		n := together(ops[done:])
		if done+n == len(ops) {
			if err := e.run(r, size, w, ops, done); err != nil {
				return nil, err
			}
			return e.report, e.finish()
		}
		var edited bytes.Buffer
		if err := e.run(r, size, &edited, ops[:done+n], done); err != nil {
			return nil, err
		}
		r, size, done = bytes.NewReader(edited.Bytes()), int64(edited.Len()), done+n
	}
}

// together is how many operations can be applied before the workbook is written: those
// that show what cells hold read it from the archive, calculated.
func together(ops []Operation) int {
	for i, o := range ops {
		if i > 0 && (o.Op == AddChart && ops[i-1].Op != AddChart || o.Op == AddPivot) {
			return i
		}
	}
	return len(ops)
}

// run applies the operations from one on to the workbook in r.
func (e *editor) run(r io.ReaderAt, size int64, w io.Writer, ops []Operation, from int) error {
	b, err := Open(r, size)
	if err != nil {
		return err
	}
	e.Book, e.touched, e.formulas, e.plan = b, false, false, plan{changed: map[string]map[cell]bool{}, stale: b.stale()}
	for i, o := range ops[from:] {
		result := Result{Op: o.Op}
		err := o.check()
		if err == nil {
			err = e.apply(&o, &result)
		}
		if err != nil {
			return ooxml.At(from+i, o.Op, err)
		}
		e.report.Results = append(e.report.Results, result)
	}
	err = e.settle()
	for _, name := range slices.Sorted(maps.Keys(e.options.Names)) {
		err = cmp.Or(err, e.setName(name, nil, e.options.Names[name], true))
	}
	if e.options.Receipt != "" {
		err = cmp.Or(err, e.pkg.SetLongProperty(ooxml.Receipt, e.options.Receipt))
	}
	if err != nil {
		return err
	}
	if !e.touched || !e.formulas && !e.anyFormulas() {
		return b.pkg.Write(w)
	}
	var edited bytes.Buffer
	if err := b.pkg.Write(&edited); err != nil {
		return err
	}
	before, err := Open(r, size)
	if err != nil {
		return err
	}
	return calculate(edited.Bytes(), before, e.plan, e.report, w)
}

func (e *editor) tell(kind api.CaveatKind, format string, args ...any) {
	e.report.Tell(api.NewCaveat(kind, format, args...))
}

func (e *editor) apply(o *Operation, result *Result) error {
	e.plan.all = e.plan.all || slices.Contains([]string{InsertRows, DeleteRows, RenameSheet, MoveSheet, CopySheet, DeleteSheet}, o.Op)
	switch o.Op {
	case EnsureSheet, AddSheet:
		return e.addSheet(o, result)
	case RenameSheet, MoveSheet, HideSheet, ShowSheet:
		return e.arrange(o, result)
	}
	s, err := e.sheet(o.Sheet)
	if err != nil {
		return err
	}
	result.Sheet = s.name
	if _, err := e.readLayout(s); err != nil {
		return err
	}
	switch o.Op {
	case CopySheet:
		return e.copySheet(s, o, result)
	case SetCells:
		return e.setCells(s, o, result)
	case SetRange:
		return e.setRange(s, o, result)
	case SetFormat:
		return e.setFormat(s, o)
	case AutoFilter:
		return e.autoFilter(s, o)
	case AddTable:
		return e.addTable(s, o, result)
	case AddPicture:
		return e.addPicture(s, o)
	case AddChart:
		return e.addChart(s, o, result)
	case AddPivot:
		return e.addPivot(s, o, result)
	case FormatIf:
		return e.formatIf(s, o)
	case Validate:
		return e.validate(s, o)
	case Freeze:
		return e.freeze(s, o)
	case PageSetup:
		return e.pageSetup(s, o)
	case AddLink:
		return e.addLink(s, o)
	case AddComment:
		return e.addComment(s, o)
	case InsertRows:
		return e.shift(s, shift{at: o.After + 1, count: max(o.Count, 1)})
	case DeleteRows:
		return e.shift(s, shift{at: o.Row, count: -max(o.Count, 1)})
	}
	return e.deleteSheet(s)
}

// edits returns the stage of a sheet that collects changes of cells.
func (e *editor) edits(s *sheetPart) *edits {
	if n := len(s.stages); n > 0 {
		if last, ok := s.stages[n-1].(*edits); ok {
			return last
		}
	}
	last := &edits{sheet: s, book: e.Book, cells: map[int]map[int]*edit{}, looks: map[lookKey]int{}}
	s.stages = append(s.stages, last)
	return last
}

// claim prepares a cell for another content.
func (e *editor) claim(s *sheetPart, c cell) error {
	l := s.layout
	for _, a := range l.arrays {
		if a.contains(c) && a.from != a.to {
			return ooxml.Invalid("Give another cell.", "%s is one of the cells that the formula of %s fills together", c, a)
		}
	}
	for _, m := range l.merged() {
		if m.contains(c) && m.from != c {
			e.report.Tell(api.Caveat{Kind: api.CaveatHidden, About: api.Subject{Sheet: s.name}, Count: &api.Count{N: 1, Of: "cells"},
				Text: fmt.Sprintf("the merged range %s of %q shows its first cell only: what is written to the others is not seen", m, s.name)})
		}
	}
	if l.isShared(c) {
		e.unshare(s)
	}
	e.formulas = e.formulas || l.formulas > 0 // the changed cell may have been a formula
	e.touched = true
	if e.plan.changed[s.name] == nil {
		e.plan.changed[s.name] = map[cell]bool{}
	}
	e.plan.changed[s.name][c] = true
	l.used.to.row, l.used.to.col = max(l.used.to.row, c.row), max(l.used.to.col, c.col)
	return nil
}

func (e *editor) setCells(s *sheetPart, o *Operation, result *Result) error {
	for _, set := range o.Cells {
		c, err := cellOf(set.Cell)
		if err == nil {
			err = e.setCell(s, c, set)
		}
		if err != nil {
			return ooxml.InCell(set.Cell, err)
		}
		result.Cells++
	}
	return nil
}

func (e *editor) setCell(s *sheetPart, c cell, set SetCell) error {
	if date, ok := set.Value.(Date); ok {
		set.Value, set.Date = string(date), true
	}
	if set.Format != nil {
		if err := set.Format.check(); err != nil {
			return err
		}
		if _, err := e.styleTable(); err != nil {
			return err
		}
	}
	if err := e.claim(s, c); err != nil {
		return err
	}
	stage, prefix := e.edits(s), s.layout.prefix
	change := stage.editOf(c)
	var err error
	switch {
	case set.Formula != "" && set.Value != nil:
		return ooxml.Invalid("Give one of them.", "a cell has a value or a formula")
	case set.Formula != "":
		for _, name := range e.absent(set.Formula) {
			e.missing = append(e.missing, missing{name, s.name + "!" + c.String()})
		}
		e.formulas = true
		s.layout.formulas++
		err = e.putFormula(change, prefix, set.Formula)
		for _, what := range reachesOut(set.Formula) {
			e.reaching = note(e.reaching, what, s.name+"!"+c.String())
		}
	case set.Date:
		if _, err = e.styleTable(); err == nil {
			err = e.putDate(change, prefix, set.Value)
		}
	default:
		err = e.put(change, prefix, set.Value, e.report.Tell)
	}
	if set.Format != nil {
		change.formats = append(change.formats, *set.Format)
	}
	if err != nil {
		return err
	}
	return e.tableHeader(s, c, set.Value)
}

// start returns the first cell that an operation writes.
func (o *Operation) start() (cell, error) {
	if o.Start == "" {
		return cell{1, 1}, nil
	}
	return cellOf(o.Start)
}

func (e *editor) setRange(s *sheetPart, o *Operation, result *Result) error {
	if o.Start == "" {
		switch about, err := e.about(s); {
		case err != nil:
			return err
		case about.Rows > 0:
			return ooxml.Invalid("Name the first cell to write, such as A2.",
				"set_range needs start: sheet %q has rows, which the first ones would overwrite", s.name)
		}
	}
	start, err := o.start()
	if err != nil {
		return err
	}
	width, count := 0, 0
	for _, line := range o.Values {
		width = max(width, len(line))
		count += len(line)
	}
	end := cell{start.row + len(o.Values) - 1, start.col + width - 1}
	if end.row > xlsx.MaxRows || end.col > xlsx.MaxColumns || count > maxCells {
		return ooxml.Invalid("Write it in parts, or to several sheets.",
			"%d rows of %d values from %s on go beyond a sheet, or beyond %d cells at once", len(o.Values), width, start, maxCells)
	}
	for i, line := range o.Values {
		for j, value := range line {
			c := cell{start.row + i, start.col + j}
			if err := e.setCell(s, c, SetCell{Value: value}); err != nil {
				return ooxml.InCell(c.String(), err)
			}
		}
	}
	result.Cells = count
	if width > 0 {
		result.Range = area{start, end}.String()
	}
	return nil
}

// settle makes the last changes: the parts of sheets around the rows.
func (e *editor) settle() error {
	for _, s := range e.sheets {
		if s.layout == nil || len(s.stages) == 0 && !s.layout.changed {
			continue
		}
		if d := s.layout.tree.Root.Find("s:dimension"); d != nil && s.layout.used.to != (cell{}) {
			if a, ok := parseArea(d.Attr("ref")); ok {
				a.to.row, a.to.col = max(a.to.row, s.layout.used.to.row), max(a.to.col, s.layout.used.to.col)
				if a.to.row < xlsx.MaxRows && a.to.col < xlsx.MaxColumns {
					d.Set("ref", a.String())
				}
			}
		}
		if e.pkg.Added(s.part) {
			if err := e.rewriteNew(s); err != nil {
				return err
			}
			continue
		}
		e.pkg.Rewrite(s.part, s.rewrite)
	}
	if e.formulas {
		return e.dropChain()
	}
	return nil
}

// finish checks what only the end of the edit shows.
func (e *editor) finish() error {
	for _, m := range e.missing {
		if !slices.ContainsFunc(e.sheets, func(s *sheetPart) bool { return strings.EqualFold(s.name, m.sheet) }) {
			return ooxml.Invalid("The sheets are "+quoted(e.names())+".", "the formula of %s reads the sheet %q, which is not there", m.at, m.sheet)
		}
	}
	for _, r := range e.reaching {
		e.report.Tell(r.request())
	}
	if e.pkg.Signed() {
		e.report.Tell(ooxml.Unsigned("the workbook"))
	}
	if e.report.Stale {
		e.report.Tell(e.report.uncalculated())
	}
	return nil
}

// anyFormulas reports whether a sheet has formulas. A sheet that cannot be read is
// taken to have some.
func (b *Book) anyFormulas() bool {
	if chain, err := b.pkg.Related(b.main, "calcChain"); err == nil && chain != "" {
		return true
	}
	for _, s := range b.sheets {
		if s.chart {
			continue
		}
		if l, err := b.readLayout(s); err != nil || l.formulas > 0 {
			return true
		}
	}
	return false
}

// dropChain removes the calculation chain. Programs recreate it, and they refuse
// a chain that lists a cell without a formula.
func (e *editor) dropChain() error {
	all, err := e.pkg.Relations(e.main)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Kind == "calcChain" {
			e.pkg.Remove(r.Target)
			if err := e.pkg.Unrelate(e.main, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

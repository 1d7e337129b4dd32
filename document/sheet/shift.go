package sheet

import (
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// shift moves the rows from at on: down, or, if count is negative, up over those
// that are deleted.
type shift struct{ at, count int }

// row returns the new number of a row. For a deleted row, ok is false and the
// number is that of the first row after the deleted ones.
func (sh shift) row(r int) (int, bool) {
	switch {
	case r < sh.at:
		return r, true
	case sh.count < 0 && r < sh.at-sh.count:
		return sh.at, false
	}
	return r + sh.count, r+sh.count <= xlsx.MaxRows
}

// rows returns the new position of a range of rows; ok is false if none of it is
// left. Whole columns stay whole.
func (sh shift) rows(from, to int) (int, int, bool) {
	if from == 1 && to == xlsx.MaxRows {
		return from, to, true
	}
	first, _ := sh.row(from)
	last, alive := sh.row(to)
	if !alive && sh.count < 0 {
		last--
	}
	last = min(last, xlsx.MaxRows) // the rest is pushed out of the sheet
	return first, last, last >= first
}

func (sh shift) area(a area) (area, bool) {
	var ok bool
	a.from.row, a.to.row, ok = sh.rows(a.from.row, a.to.row)
	return a, ok
}

// list shifts the ranges of an attribute, which are separated by spaces.
func (sh shift) list(refs string) string {
	var out []string
	for _, ref := range strings.Fields(refs) {
		a, ok := parseArea(ref)
		if !ok {
			out = append(out, ref)
		} else if moved, alive := sh.area(a); alive {
			out = append(out, sh.spell(ref, moved))
		}
	}
	return strings.Join(out, " ")
}

// spell writes a range in the form of the range that it replaces: cells, columns
// or rows.
func (sh shift) spell(ref string, a area) string {
	parts := strings.Split(ref, ":")
	for i, p := range parts {
		c, ok := cornerOf(p)
		if !ok {
			return ref
		}
		if c.row > 0 {
			c.row = a.from.row
			if i == 1 {
				c.row = a.to.row
			}
		}
		parts[i] = c.String()
	}
	return strings.Join(parts, ":")
}

// formula returns the new form of a formula in the sheet home, when rows of the
// sheet target move.
func (sh shift) formula(text, home, target string) string {
	return mapFormula(text, func(sheet, ref string) string {
		if sheet == "" {
			sheet = home
		}
		if !strings.EqualFold(sheet, target) {
			return ref
		}
		a, ok := parseArea(ref)
		if !ok {
			return ref
		}
		moved, alive := sh.area(a)
		if !alive {
			return "#REF!"
		}
		return sh.spell(ref, moved)
	})
}

// shift inserts or deletes rows, and has everything that names cells of the sheet
// follow.
func (e *editor) shift(s *sheetPart, sh shift) error {
	l := s.layout
	for _, a := range l.arrays {
		if moved, _ := sh.area(a); moved.rows() != a.rows() && a.rows() > 1 {
			return ooxml.Invalid("Choose rows outside of it.", "the formula of %s fills these cells together", a)
		}
	}
	if end, ok := sh.row(max(l.used.to.row, 1)); !ok && sh.count > 0 {
		return ooxml.Invalid("Insert fewer rows.", "row %d would become %d, behind the last row of a sheet", l.used.to.row, end)
	}
	if err := e.shiftTables(s, sh); err != nil {
		return err
	}
	e.unshare(s)
	s.stages = append(s.stages, &moveRows{s, sh})
	if err := e.shiftFormulas(s, sh); err != nil {
		return err
	}
	if l.used.to.row > 0 {
		if moved, ok := sh.area(l.used); ok {
			l.used = moved
		}
	}
	for i, a := range l.arrays {
		l.arrays[i], _ = sh.area(a)
	}
	l.changed, l.knows.merges = true, false
	e.touched = true
	e.formulas = e.formulas || l.formulas > 0
	if err := e.shiftAround(s, sh); err != nil {
		return err
	}
	return e.shiftParts(s, sh)
}

// shiftFormulas changes the formulas of all sheets and names.
func (e *editor) shiftFormulas(target *sheetPart, sh shift) error {
	for _, s := range e.sheets {
		if s.chart {
			continue
		}
		if _, err := e.readLayout(s); err != nil {
			return err
		}
		if s != target {
			if err := e.mapAround(s, func(text string) string { return sh.formula(text, s.name, target.name) }); err != nil {
				return err
			}
		}
		follows, err := e.follows(s, target)
		if err != nil {
			return err
		}
		if !follows {
			continue
		}
		e.unshare(s) // a shared formula would have to follow in each of its cells
		home := s.name
		s.stages = append(s.stages, &mapFormulas{sheet: s,
			area: func(ref string) string {
				if s == target {
					return sh.list(ref)
				}
				return ref
			},
			text: func(_ cell, _ ooxml.Tag, text string) (string, bool) {
				return sh.formula(text, home, target.name), false
			}})
		e.formulas = true
	}
	for n := range e.root.Find("s:definedNames").Elements() {
		if text := n.Text(); sh.formula(text, "", target.name) != text {
			n.SetText(sh.formula(text, "", target.name))
			e.pkg.Touch(e.main)
		}
	}
	return nil
}

// follows reports whether a sheet may contain formulas that refer to the target.
func (e *editor) follows(s, target *sheetPart) (bool, error) {
	if s == target || len(s.stages) > 0 || s.layout.formulas == 0 {
		return s.layout.formulas > 0, nil
	}
	found := false
	err := e.eachFormula(s, func(_ cell, text string) { found = found || refersTo(text, target.name) })
	return found, err
}

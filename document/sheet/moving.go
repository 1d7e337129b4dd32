package sheet

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// moveRows is the stage in which rows move.
type moveRows struct {
	sheet *sheetPart
	shift shift
}

func (m *moveRows) apply(rows iter.Seq[row], fail func(error)) iter.Seq[row] {
	return func(yield func(row) bool) {
		for r := range rows {
			to, ok := m.shift.row(r.number)
			if !ok {
				if m.shift.count > 0 {
					fail(ooxml.Invalid("Insert fewer rows.", "row %d of the sheet %q would go beyond the last row", r.number, m.sheet.name))
					return
				}
				continue
			}
			if to != r.number {
				raw, err := r.moved(m.sheet.part, to)
				if err != nil {
					fail(err)
					return
				}
				r = row{to, raw}
			}
			if !yield(r) {
				return
			}
		}
	}
}

// moved is a row with another number.
func (r row) moved(part string, to int) ([]byte, error) {
	tag, cells, err := r.split(part)
	if err != nil {
		return nil, err
	}
	opened, end := tag.With("r", strconv.Itoa(to)).Opened()
	out := slices.Clone(opened)
	for _, c := range cells {
		out = append(out, c.tag.With("r", cell{to, c.col}.String())...)
		out = append(out, c.raw[len(c.tag):]...)
	}
	return append(out, end...), nil
}

// mapFormulas is the stage in which the formulas of a sheet change.
type mapFormulas struct {
	sheet *sheetPart
	// text returns the new form of a formula, area that of the range that the
	// formula fills.
	text func(at cell, tag ooxml.Tag, text string) (string, bool)
	area func(string) string
}

func (m *mapFormulas) apply(rows iter.Seq[row], fail func(error)) iter.Seq[row] {
	return func(yield func(row) bool) {
		for r := range rows {
			raw, err := m.row(r)
			if err != nil {
				fail(err)
				return
			}
			if !yield(row{r.number, raw}) {
				return
			}
		}
	}
}

func (m *mapFormulas) row(r row) ([]byte, error) {
	name := m.sheet.layout.prefix + "f"
	if ooxml.IndexMarkup(r.raw, []byte("<"+name)) < 0 {
		return r.raw, nil
	}
	tag, cells, err := r.split(m.sheet.part)
	if err != nil {
		return nil, err
	}
	out, at := slices.Clone(r.raw[:len(tag)]), len(tag)
	changed := false
	for _, c := range cells {
		begin := at + bytes.Index(r.raw[at:], c.raw)
		out = append(out, r.raw[at:begin]...)
		at = begin + len(c.raw)
		raw, did := m.cell(cell{r.number, c.col}, c)
		out, changed = append(out, raw...), changed || did
	}
	if !changed {
		return r.raw, nil
	}
	return append(out, r.raw[at:]...), nil
}

func (m *mapFormulas) cell(at cell, c rowCell) ([]byte, bool) {
	tag, inner := c.child("f")
	if tag == nil {
		return c.raw, false
	}
	text, alone := m.text(at, tag, ooxml.Unescape(inner))
	next := tag
	if alone {
		next = tag.Without("t").Without("si").Without("ref")
	} else if ref := tag.Get("ref"); ref != "" {
		next = tag.With("ref", m.area(ref))
	}
	if text == ooxml.Unescape(inner) && string(next) == string(tag) {
		return c.raw, false
	}
	old := string(tag)
	if !tag.Empty() {
		old += string(inner) + "</" + m.sheet.layout.prefix + "f>"
	}
	opened, end := next.Opened()
	return []byte(strings.Replace(string(c.raw), old, string(opened)+ooxml.Escape(text)+string(end), 1)), true
}

// unshare gives each cell of a shared formula its own formula.
func (e *editor) unshare(s *sheetPart) {
	shared := s.layout.shared
	if len(shared) == 0 {
		return
	}
	s.layout.shared = map[string]sharedFormula{}
	s.stages = append(s.stages, &mapFormulas{sheet: s, area: func(ref string) string { return ref },
		text: func(at cell, tag ooxml.Tag, text string) (string, bool) {
			f, ok := shared[tag.Get("si")]
			if tag.Get("t") != "shared" || !ok {
				return text, false
			}
			return moveFormula(f.text, at.row-f.at.row, at.col-f.at.col), true
		}})
}

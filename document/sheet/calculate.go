package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/words/humanize"
)

// Uncalculated are formulas that keep the values of before, or have none, for the same
// reason.
type Uncalculated struct {
	Reason   string `json:"reason"`
	Formulas int    `json:"formulas"`
	First    string `json:"first" jsonschema:"the first of their cells"`
}

// plan says which formulas an edit concerns.
type plan struct {
	changed map[string]map[cell]bool // by the name of the sheet; of cells
	all     bool                     // rows or sheets have come, gone or moved
	stale   bool                     // values were not to be trusted before
}

// calculate brings the values of formulas in an edited workbook up to date and writes
// it to w. before is the workbook before the edit.
func calculate(edited []byte, before *Book, p plan, report *Report, w io.Writer) error {
	b, err := Open(bytes.NewReader(edited), int64(len(edited)))
	if err != nil {
		return err
	}
	if report.Uncalculated = nil; p.stale { // those of changes before are among all
		report.Calculated = 0
	}
	m, err := newModel(b)
	var why uncalculated
	if errors.As(err, &why) {
		report.Uncalculated = []Uncalculated{{Reason: why.why}}
	} else if err != nil {
		return err
	} else if err := m.write(before, p, report); err != nil {
		return err
	}
	whole := len(report.Uncalculated) == 0
	e := &editor{Book: b}
	if report.Stale = !whole; report.Stale {
		err = e.calculateOnLoad()
	} else if n := b.root.Find("s:calcPr"); p.stale && n != nil {
		n.Set("fullCalcOnLoad", "0")
		b.pkg.Touch(b.main)
	}
	if err != nil {
		return err
	}
	return b.pkg.Write(w)
}

// uncalculated says which formulas have no new values.
func (r *Report) uncalculated() api.Caveat {
	if len(r.Uncalculated) == 1 && r.Uncalculated[0].Formulas == 0 {
		return api.NewCaveat(api.CaveatUncalculated, "the formulas were not calculated: %s; open the workbook in a program that calculates, and save it", r.Uncalculated[0].Reason)
	}
	n, why := 0, []string(nil)
	for _, u := range r.Uncalculated {
		n += u.Formulas
		if len(why) < 5 {
			text := u.First
			if u.Formulas > 1 {
				text += fmt.Sprintf(" and %d more", u.Formulas-1)
			}
			why = append(why, text+" ("+u.Reason+")")
		}
	}
	if len(r.Uncalculated) > len(why) {
		why = append(why, fmt.Sprintf("and for %d other reasons", len(r.Uncalculated)-len(why)))
	}
	text := humanize.Plural(int64(n), "formula was not calculated and has the value of before, or none",
		"formulas were not calculated and have the values of before, or none") +
		": " + strings.Join(why, ", ") + "; open the workbook in a program that calculates, and save it"
	return api.Caveat{Kind: api.CaveatUncalculated, Count: &api.Count{N: int64(n), Of: "cells"}, Text: text}
}

// write calculates what depends on the edit.
func (m *model) write(before *Book, p plan, report *Report) error {
	m.all = p.all || p.stale
	for name, cells := range p.changed {
		if i := m.find(name); i >= 0 {
			m.sheets[i].changed = cells
		}
	}
	var old *model
	if !m.all {
		var err error
		if old, err = newModel(before); err != nil {
			return err
		}
		old.frozen = true
	}
	values := map[*modelSheet]map[cell]Value{}
	m.eachFormula(func(s *modelSheet, f *formula) {
		if f.filled || !m.depends(f) {
			return
		}
		v, err := m.calculate(f)
		if err == nil && old != nil && !s.changed[f.at] {
			err = old.agrees(s.part.name, f)
			f.err = err
		}
		if err != nil {
			report.skipped(err.Error(), s.part.name+"!"+f.at.String())
			return
		}
		report.Calculated++
		if was, ok := s.values[f.at]; ok && was == v {
			return
		}
		if values[s] == nil {
			values[s] = map[cell]Value{}
		}
		values[s][f.at] = v
	})
	for s, all := range values {
		s.part.stages = append(s.part.stages, &results{sheet: s.part, values: all})
		m.book.pkg.Rewrite(s.part.part, s.part.rewrite)
	}
	return nil
}

func (r *Report) skipped(reason, at string) {
	i := slices.IndexFunc(r.Uncalculated, func(u Uncalculated) bool { return u.Reason == reason })
	if i < 0 {
		r.Uncalculated = append(r.Uncalculated, Uncalculated{Reason: reason, First: at})
		i = len(r.Uncalculated) - 1
	}
	r.Uncalculated[i].Formulas++
}

// agrees reports whether a formula, calculated from the cells before the edit, has the
// value that the program that wrote the workbook has given it.
func (m *model) agrees(sheet string, f *formula) error {
	i := m.find(sheet)
	if i < 0 {
		return nil
	}
	old := m.sheets[i].formulas[f.at]
	was, ok := m.sheets[i].values[f.at]
	if old == nil || old.text != f.text || !ok {
		return nil
	}
	if v, err := m.calculate(old); err == nil && !near(v, was) {
		return cannot("another value before the change than its program had calculated")
	}
	return nil
}

// results puts new values into cells with formulas.
type results struct {
	sheet  *sheetPart
	values map[cell]Value
}

func (x *results) apply(rows iter.Seq[row], fail func(error)) iter.Seq[row] {
	byRow := map[int]bool{}
	for at := range x.values {
		byRow[at.row] = true
	}
	return func(yield func(row) bool) {
		for r := range rows {
			if byRow[r.number] {
				raw, err := x.row(r)
				if err != nil {
					fail(err)
					return
				}
				r.raw = raw
			}
			if !yield(r) {
				return
			}
		}
	}
}

func (x *results) row(r row) ([]byte, error) {
	_, cells, err := r.split(x.sheet.part)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	at := 0
	for _, c := range cells {
		v, ok := x.values[cell{r.number, c.col}]
		if !ok {
			continue
		}
		start := at + bytes.Index(r.raw[at:], c.raw)
		out.Write(r.raw[at:start])
		out.Write(withValue(c, x.sheet.layout.prefix, v))
		at = start + len(c.raw)
	}
	out.Write(r.raw[at:])
	return out.Bytes(), nil
}

// withValue is a cell with another value behind its formula.
func withValue(c rowCell, prefix string, v Value) []byte {
	kind, text := "", ""
	switch v.kind {
	case numberKind:
		text = strconv.FormatFloat(v.number, 'f', -1, 64)
		if len(text) > 21 {
			text = strconv.FormatFloat(v.number, 'E', -1, 64)
		}
	case textKind:
		kind, text = "str", escaped(v.text)
	case boolKind:
		kind, text = "b", flag(v.number != 0)
	case errorKind:
		kind, text = "e", ooxml.Escape(v.text)
	}
	tag := c.tag.Without("t")
	if kind != "" {
		tag = tag.With("t", kind)
	}
	out := bytes.NewBuffer(slices.Clone(tag))
	value := "<" + prefix + "v>" + text + "</" + prefix + "v>"
	for rest := c.raw[len(c.tag):]; len(rest) > 0; {
		n, ok := ooxml.ElementLength(rest)
		if rest[0] != '<' || rest[1] == '/' || !ok {
			out.Write(rest)
			break
		}
		child, _ := ooxml.TagAt(rest)
		name := ""
		if rest[1] != '!' && rest[1] != '?' {
			name = child.Name()
		}
		if name != "v" && name != "is" {
			out.Write(rest[:n])
		}
		if name == "f" {
			out.WriteString(value)
		}
		rest = bytes.TrimLeft(rest[n:], " \t\r\n")
	}
	return out.Bytes()
}

// calculateOnLoad has programs calculate all formulas when they open the workbook.
func (e *editor) calculateOnLoad() error {
	n := e.root.Find("s:calcPr")
	if n == nil {
		nodes, err := e.root.Fragment(`<s:calcPr/>`)
		if err != nil {
			return err
		}
		n = nodes[0]
		after := " definedNames externalReferences functionGroups sheets "
		var last *ooxml.Node
		for c := range e.root.Elements() {
			if strings.Contains(after, " "+strings.TrimPrefix(c.Name, "s:")+" ") {
				last = c
			}
		}
		last.After(n)
	}
	n.Set("fullCalcOnLoad", "1")
	e.pkg.Touch(e.main)
	return nil
}

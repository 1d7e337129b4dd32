package sheet

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

func (e *editor) setFormat(s *sheetPart, o *Operation) error {
	a, err := areaOf(o.Range)
	if err == nil {
		err = o.Format.check()
	}
	if err != nil {
		return err
	}
	if o.Format.Width > 0 {
		if err := s.layout.setWidth(a, o.Format.Width); err != nil {
			return err
		}
	}
	f := *o.Format
	if f.Width = 0; f.key() == (Format{}).key() {
		return nil
	}
	all, err := e.styleTable()
	if err != nil {
		return err
	}
	stage := e.edits(s)
	if a.rows() < xlsx.MaxRows {
		if a.columns() == xlsx.MaxColumns { // whole rows: up to the last used column
			a.to.col = max(s.layout.used.to.col, 1)
		}
		if a.rows()*a.columns() > maxCells {
			return ooxml.Invalid("Name whole columns, such as A:C, or a smaller range.", "%s has more than %d cells", a, maxCells)
		}
		stage.areas = append(stage.areas, areaFormat{area: a, format: f})
		return nil
	}
	// Whole columns: format the existing cells, and set the column style for new
	// ones.
	stage.areas = append(stage.areas, areaFormat{area: a, format: f, existing: true})
	return s.layout.eachColumn(a, func(n *ooxml.Node) error {
		style, err := all.change(n.Int("style", 0), f)
		e.pkg.Touch(all.part)
		n.Set("style", strconv.Itoa(style))
		return err
	})
}

// setWidth sets the width of columns, in characters.
func (l *layout) setWidth(a area, width float64) error {
	return l.eachColumn(a, func(n *ooxml.Node) error {
		n.Set("width", strconv.FormatFloat(width, 'f', -1, 64))
		n.Set("customWidth", "1")
		return nil
	})
}

// eachColumn calls f with the column elements of the given columns. Elements that
// also cover other columns are split first, and missing ones are added.
func (l *layout) eachColumn(a area, f func(*ooxml.Node) error) error {
	cols, err := l.child("cols")
	if err != nil {
		return err
	}
	l.changed = true
	next := a.from.col
	for n := range cols.Elements() {
		from, to := n.Int("min", 0), n.Int("max", 0)
		if to < a.from.col || from > a.to.col {
			continue
		}
		for _, part := range [][2]int{{from, a.from.col - 1}, {a.to.col + 1, to}} {
			if part[0] <= part[1] && part[0] >= from && part[1] <= to {
				rest := n.Clone()
				rest.Set("min", strconv.Itoa(part[0]))
				rest.Set("max", strconv.Itoa(part[1]))
				if part[0] == from {
					n.Before(rest)
				} else {
					n.After(rest)
				}
			}
		}
		from, to = max(from, a.from.col), min(to, a.to.col)
		if err := l.addColumns(n, next, from-1, f); err != nil {
			return err
		}
		n.Set("min", strconv.Itoa(from))
		n.Set("max", strconv.Itoa(to))
		if err := f(n); err != nil {
			return err
		}
		next = to + 1
	}
	var behind *ooxml.Node
	for n := range cols.Elements() {
		if behind == nil && n.Int("min", 0) > a.to.col {
			behind = n
		}
	}
	if behind == nil {
		return l.addColumns(nil, next, a.to.col, f)
	}
	return l.addColumns(behind, next, a.to.col, f)
}

// addColumns adds an element for columns that have none, before another element.
func (l *layout) addColumns(before *ooxml.Node, from, to int, f func(*ooxml.Node) error) error {
	if from > to {
		return nil
	}
	cols := l.tree.Root.Find("s:cols")
	nodes, err := cols.Fragment(`<s:col min="` + strconv.Itoa(from) + `" max="` + strconv.Itoa(to) + `" width="9.140625"/>`)
	if err != nil {
		return err
	}
	if before == nil {
		cols.Append(nodes...)
	} else {
		before.Before(nodes...)
	}
	return f(nodes[0])
}

// autoFilter adds filter buttons to a range.
func (e *editor) autoFilter(s *sheetPart, o *Operation) error {
	a, err := areaOf(o.Range)
	if err != nil {
		return err
	}
	a.to.row = min(a.to.row, max(s.layout.used.to.row, a.from.row))
	a.to.col = min(a.to.col, max(s.layout.used.to.col, a.from.col))
	tables, err := e.tables(s)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if other, ok := parseArea(t.root.Attr("ref")); ok && a.overlaps(other) {
			return ooxml.Invalid("A table has filters of its own.", "%s overlaps the table %s", a, t.root.Attr("displayName"))
		}
	}
	n, err := s.layout.child("autoFilter")
	if err != nil {
		return err
	}
	n.Children = nil
	n.Set("ref", a.String())
	s.layout.changed = true
	return e.setName("_xlnm._FilterDatabase", s, quoteSheet(s.name)+"!"+a.from.fixed()+":"+a.to.fixed(), true)
}

// fixed is a cell as a name of a workbook has it: $B$7.
func (c cell) fixed() string { return "$" + letters(c.col) + "$" + strconv.Itoa(c.row) }

// quoteSheet is the name of a sheet as formulas have it.
func quoteSheet(name string) string { return "'" + strings.ReplaceAll(name, "'", "''") + "'" }

// setName defines a name, which programs look for, of one sheet, or of the workbook if
// s is nil.
func (e *editor) setName(name string, s *sheetPart, text string, hidden bool) error {
	names := e.root.Find("s:definedNames")
	if names == nil {
		nodes, err := e.root.Fragment("<s:definedNames></s:definedNames>")
		if err != nil {
			return err
		}
		names = nodes[0]
		after := e.root.Find("s:sheets")
		for _, other := range []string{"s:functionGroups", "s:externalReferences"} {
			if n := e.root.Find(other); n != nil {
				after = n
			}
		}
		after.After(names)
	}
	e.pkg.Touch(e.main)
	scope, index := "", ""
	if s != nil {
		index = strconv.Itoa(e.index(s))
		scope = `" localSheetId="` + index
	}
	for n := range names.Elements() {
		if n.Attr("name") == name && n.Attr("localSheetId") == index {
			n.SetText(text)
			return nil
		}
	}
	nodes, err := names.Fragment(`<s:definedName name="` + name + scope + `" hidden="` + flag(hidden) + `">` + ooxml.Escape(text) +
		`</s:definedName>`)
	if err != nil {
		return err
	}
	names.Prepend(nodes...)
	return nil
}

func (e *editor) index(s *sheetPart) int {
	for i, other := range e.sheets {
		if other == s {
			return i
		}
	}
	return -1
}

// tableHeader keeps the name of a table column equal to its header cell.
func (e *editor) tableHeader(s *sheetPart, c cell, value any) error {
	tables, err := e.tables(s)
	if err != nil {
		return err
	}
	for _, t := range tables {
		a, ok := parseArea(t.root.Attr("ref"))
		if !ok || !a.contains(c) || c.row != a.from.row || t.root.Attr("headerRowCount") == "0" {
			continue
		}
		text, ok := value.(string)
		if !ok || text == "" {
			return ooxml.Invalid("Give a text that no other column of the table has.", "%s is the header of a column of the table %s", c,
				t.root.Attr("displayName"))
		}
		at := a.from.col
		for n := range t.root.Find("s:tableColumns").Elements() {
			if at != c.col && strings.EqualFold(n.Attr("name"), text) {
				return ooxml.Invalid("Give a text that no other column of the table has.", "the table %s has a column %q already",
					t.root.Attr("displayName"), text)
			}
			if at == c.col {
				n.Set("name", text)
				e.pkg.Touch(t.part)
			}
			at++
		}
	}
	return nil
}

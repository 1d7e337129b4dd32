package sheet

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// renaming gives sheets and tables in formulas other names. Keys are in lower case.
type renaming struct{ sheets, tables map[string]string }

func renameSheet(from, to string) renaming {
	return renaming{sheets: map[string]string{strings.ToLower(from): to}}
}

// formula returns a formula with the new names. Texts and other workbooks stay.
func (r renaming) formula(formula string) string {
	var b strings.Builder
	for i := 0; i < len(formula); {
		n := 1
		switch c := formula[i]; {
		case c == '"':
			n = quotedLength(formula[i:], '"')
		case c == '[': // columns of a table, or another workbook and what is named there
			n = bracketLength(formula[i:])
			for i+n < len(formula) && (wordByte(formula[i+n]) || formula[i+n] == '!') {
				n++
			}
		case c == '\'':
			n = quotedLength(formula[i:], '\'')
			if inner := formula[i+1 : i+max(n-1, 1)]; i+n < len(formula) && formula[i+n] == '!' && !strings.Contains(inner, "[") {
				b.WriteString(r.sheetNames(strings.Split(strings.ReplaceAll(inner, "''", "'"), ":"), formula[i:i+n]))
				i += n
				continue
			}
		case wordByte(c):
			n = wordLength(formula[i:])
			names := []string{formula[i : i+n]}
			if end := i + n; end < len(formula) && formula[end] == ':' { // sheets: A:B!C1
				if second := wordLength(formula[end+1:]); second > 0 && end+1+second < len(formula) && formula[end+1+second] == '!' {
					names, n = append(names, formula[end+1:end+1+second]), n+1+second
				}
			}
			next := byte(0)
			if i+n < len(formula) {
				next = formula[i+n]
			}
			switch to, known := r.tables[strings.ToLower(names[0])]; {
			case next == '!':
				b.WriteString(r.sheetNames(names, formula[i:i+n]))
			case next == '[' && known:
				b.WriteString(to)
			default:
				b.WriteString(formula[i : i+n])
			}
			i += n
			continue
		}
		b.WriteString(formula[i : i+n])
		i += n
	}
	return b.String()
}

// sheetNames writes the names of a sheet, or of the first and last of several; as it was if
// none of them changes.
func (r renaming) sheetNames(names []string, as string) string {
	changed, plain := false, true
	for i, name := range names {
		if to, ok := r.sheets[strings.ToLower(name)]; ok {
			names[i], changed = to, true
		}
		plain = plain && isPlain(names[i])
	}
	text := strings.Join(names, ":")
	switch {
	case !changed:
		return as
	case plain:
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// isPlain reports whether formulas can name a sheet without quotes.
func isPlain(name string) bool {
	for i, r := range name {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	_, cellLike := parseCell(name)
	rowOrColumn := strings.Trim(strings.ToLower(name), "rc0123456789") == "" // R1C1
	return !cellLike && !rowOrColumn
}

// freeName refuses a name that no sheet can have, or that another one than s has.
func (e *editor) freeName(name string, s *sheetPart) error {
	for _, other := range e.sheets {
		if other != s && strings.EqualFold(other.name, name) {
			return ooxml.Invalid("Choose another name.", "there is a sheet %q already", other.name)
		}
	}
	return checkName(name)
}

// rename gives a sheet another name, which everything that refers to it follows.
func (e *editor) rename(s *sheetPart, to string) error {
	if err := e.freeName(to, s); err != nil {
		return err
	}
	was, r := s.name, renameSheet(s.name, to)
	for _, other := range e.sheets {
		if other.chart {
			continue
		}
		if err := e.renameWithin(other, was, r); err != nil {
			return err
		}
	}
	for n := range e.root.Find("s:definedNames").Elements() {
		if text := n.Text(); r.formula(text) != text {
			n.SetText(r.formula(text))
		}
	}
	if err := e.renameInParts(was, to, r); err != nil {
		return err
	}
	if s.first == "" {
		s.first = was
	}
	s.name = to
	s.node.Set("name", to)
	e.pkg.Touch(e.main)
	return nil
}

// renameWithin renames in the formulas of a sheet, and around its rows.
func (e *editor) renameWithin(s *sheetPart, was string, r renaming) error {
	l, err := e.readLayout(s)
	if err != nil {
		return err
	}
	found, quoted := len(s.stages) > 0, 0
	if l.formulas > 0 {
		err := e.eachFormula(s, func(_ cell, text string) {
			next := r.formula(text)
			found = found || next != text
			if quotes(text, was) {
				quoted++
			}
		})
		if err != nil {
			return err
		}
	}
	if quoted > 0 {
		e.tell(api.CaveatOther, "%d formulas of the sheet %q have the name %q in texts, as INDIRECT reads them: these stay", quoted, s.name, was)
	}
	if found {
		s.stages = append(s.stages, &mapFormulas{sheet: s, area: func(ref string) string { return ref },
			text: func(_ cell, _ ooxml.Tag, text string) (string, bool) { return r.formula(text), false }})
	}
	return e.mapAround(s, r.formula)
}

// mapAround changes the formulas that a sheet has outside of its rows, and those of its
// tables.
func (e *editor) mapAround(s *sheetPart, f func(string) string) error {
	s.layout.changed = mapTree(s.layout.tree.Root, f) || s.layout.changed
	tables, err := e.tables(s)
	for _, t := range tables {
		if mapTree(t.root, f) {
			e.pkg.Touch(t.part)
		}
	}
	return err
}

// quotes reports whether a text in a formula names a sheet.
func quotes(formula, sheet string) (found bool) {
	eachPart(formula, func(part, _ string) {
		part, sheet := strings.ToLower(part), strings.ToLower(sheet)
		found = found || part[0] == '"' && (strings.Contains(part, sheet+"!") || strings.Contains(part, sheet+"'!"))
	})
	return found
}

// mapTree changes the formulas of a tree without rows, and reports whether any was
// another.
func mapTree(root *ooxml.Node, f func(string) string) (changed bool) {
	for n := range root.All(nil) {
		switch local := n.Name[strings.IndexByte(n.Name, ':')+1:]; {
		case slices.Contains([]string{"f", "formula", "formula1", "formula2"}, local), strings.HasSuffix(local, "Formula"):
			if text := n.Text(); text != "" && f(text) != text {
				n.SetText(f(text))
				changed = true
			}
		}
		for _, attr := range []string{"location", "textlink", "fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx"} {
			if text := n.Attr(attr); text != "" && f(text) != text {
				n.Set(attr, f(text))
				changed = true
			}
		}
	}
	return changed
}

// renameInParts renames in charts, drawings, controls and the sources of pivot tables,
// and in the list of the file's properties.
func (e *editor) renameInParts(was, to string, r renaming) error {
	for _, part := range e.pkg.Parts() {
		kind := e.pkg.Type(part)
		switch {
		case strings.HasSuffix(kind, "vbaProject"):
			e.tell(api.CaveatOther, "macros that name the sheet %q are as they were", was)
			continue
		case slices.ContainsFunc([]string{"drawingml.chart+xml", "chartex+xml", "drawing+xml", "pivotCacheDefinition+xml",
			"controlproperties+xml", "extended-properties+xml"}, func(end string) bool { return strings.HasSuffix(kind, end) }):
		default:
			continue
		}
		tree, err := e.pkg.Tree(part)
		if err != nil {
			return err
		}
		changed := mapTree(tree.Root, r.formula)
		for n := range tree.Root.All(nil) {
			switch local := n.Name[strings.IndexByte(n.Name, ':')+1:]; {
			case local == "worksheetSource" && strings.EqualFold(n.Attr("sheet"), was), local == "rangeSet" &&
				strings.EqualFold(n.Attr("sheet"), was):
				n.Set("sheet", to)
				changed = true
			case local == "lpstr" && n.Text() == was:
				n.SetText(to)
				changed = true
			case local == "lpstr" && r.formula(n.Text()) != n.Text():
				n.SetText(r.formula(n.Text()))
				changed = true
			}
		}
		if changed {
			e.pkg.Touch(part)
		}
	}
	return nil
}

// move puts a sheet at another place, counted from 1.
func (e *editor) move(s *sheetPart, place int) error {
	if place < 1 || place > len(e.sheets) {
		return ooxml.Invalid("Sheets are counted from 1.", "there are %d sheets, and position is %d", len(e.sheets), place)
	}
	before := slices.Clone(e.sheets)
	from := e.index(s)
	e.sheets = slices.Insert(slices.Delete(e.sheets, from, from+1), place-1, s)
	s.node.Remove()
	if place < len(e.sheets) {
		e.sheets[place].node.Before(s.node)
	} else {
		e.sheets[place-2].node.After(s.node)
	}
	now := func(n *ooxml.Node, attr string) {
		if at := n.Int(attr, -1); at >= 0 && at < len(before) {
			n.Set(attr, strconv.Itoa(e.index(before[at])))
		}
	}
	for n := range e.root.Find("s:definedNames").Elements() {
		now(n, "localSheetId")
	}
	for n := range e.root.Find("s:bookViews").Elements() {
		if n.Attr("activeTab") == "" {
			n.Set("activeTab", "0") // the default
		}
		now(n, "activeTab")
		n.Unset("firstSheet")
	}
	e.pkg.Touch(e.main)
	return e.tellSpans()
}

// tellSpans tells of formulas over a row of sheets, as SUM(Jan:Dec!A1): which these
// are depends on the order.
func (e *editor) tellSpans() error {
	count := 0
	for _, s := range e.sheets {
		if s.chart {
			continue
		}
		l, err := e.readLayout(s)
		if err != nil {
			return err
		}
		if l.formulas == 0 {
			continue
		}
		if err := e.eachFormula(s, func(_ cell, text string) {
			if spansSheets(text) {
				count++
			}
		}); err != nil {
			return err
		}
	}
	if count > 0 {
		e.touched, e.formulas = true, true
		e.tell(api.CaveatOther, "%d formulas read all sheets from one to another: which these are has changed with the order", count)
	}
	return nil
}

// spansSheets reports whether a formula reads several sheets at once.
func spansSheets(formula string) (found bool) {
	eachPart(formula, func(part, rest string) {
		switch {
		case strings.HasPrefix(part, "'") && strings.HasPrefix(rest, "!"):
			found = found || strings.Contains(part, ":") && !strings.Contains(part, "[")
		case part != "" && wordByte(part[0]) && strings.HasPrefix(rest, ":"):
			n := wordLength(rest[1:])
			found = found || n > 0 && strings.HasPrefix(rest[1+n:], "!")
		}
	})
	return found
}

// show hides a sheet or shows it. The sheet that is seen first stays a visible one.
func (e *editor) show(s *sheetPart, visible bool) error {
	if visible {
		s.node.Unset("state")
		e.pkg.Touch(e.main)
		return nil
	}
	next := slices.IndexFunc(e.sheets, func(other *sheetPart) bool { return other != s && other.visible() })
	if next < 0 {
		return ooxml.Invalid("Add or show another sheet first.", "%q is the last sheet that can be seen", s.name)
	}
	s.node.Set("state", "hidden")
	e.pkg.Touch(e.main)
	for n := range e.root.Find("s:bookViews").Elements() {
		if n.Int("activeTab", 0) == e.index(s) {
			n.Set("activeTab", strconv.Itoa(next))
		}
	}
	return e.unselect(s)
}

// unselect has a sheet not selected: two that are would be changed together.
func (e *editor) unselect(s *sheetPart) error {
	if s.chart {
		return nil
	}
	l, err := e.readLayout(s)
	if err != nil {
		return err
	}
	for n := range l.tree.Root.Find("s:sheetViews").Elements() {
		if n.Attr("tabSelected") != "" {
			n.Unset("tabSelected")
			l.changed = true
		}
	}
	return nil
}

func (s *sheetPart) visible() bool {
	state := s.node.Attr("state")
	return state == "" || state == "visible"
}

// arrange changes the name, place or visibility of a sheet.
func (e *editor) arrange(o *Operation, result *Result) error {
	s, err := e.tab(o.Sheet)
	if err != nil {
		return err
	}
	result.Sheet = s.name
	switch o.Op {
	case RenameSheet:
		result.Sheet = o.NewName
		return e.rename(s, o.NewName)
	case MoveSheet:
		return e.move(s, o.Position)
	}
	return e.show(s, o.Op == ShowSheet)
}

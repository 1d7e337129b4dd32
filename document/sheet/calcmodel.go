package sheet

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Bounds of what is calculated: bytes of sheets, and cells that formulas read.
const (
	maxCalculated = 64 << 20
	maxWork       = 20_000_000
	deepestChain  = 20_000 // formulas of which each reads the one before
)

// model is what formulas are calculated from: the cells of a workbook.
type model struct {
	book    *Book
	sheets  []*modelSheet
	texts   []string // shared by cells
	work    int
	depth   int
	scratch *scratch
	own     map[string]function
	all     bool // all formulas are calculated anew
	frozen  bool // formulas that are read keep their values
}

type modelSheet struct {
	part     *sheetPart
	values   map[cell]Value
	unread   map[cell]bool // values that are in a form of their own
	formulas map[cell]*formula
	used     area
	changed  map[cell]bool
}

// formula is that of one cell.
type formula struct {
	sheet  int
	at     cell
	text   string
	why    error // it cannot be calculated
	filled bool  // by the array formula of another cell
	expr   expr
	parsed bool
	// dirty and done are how far it is: 0, 1 (being looked at) or 2.
	isDirty, dirty, done int
	value                Value
	err                  error
}

// newModel reads the cells of all sheets.
func newModel(b *Book) (*model, error) {
	m := &model{book: b, own: own()}
	var size int64
	for _, s := range b.sheets {
		size += b.pkg.Size(s.part)
	}
	if size > maxCalculated {
		return nil, cannot("a workbook whose sheets have more than %d MB", maxCalculated>>20)
	}
	if err := m.readTexts(); err != nil {
		return nil, err
	}
	for i, s := range b.sheets {
		sheet := &modelSheet{part: s, values: map[cell]Value{}, unread: map[cell]bool{}, formulas: map[cell]*formula{}, changed: map[cell]bool{}}
		m.sheets = append(m.sheets, sheet)
		if s.chart {
			continue
		}
		if _, err := b.readLayout(s); err != nil {
			return nil, err
		}
		err := b.eachRow(s, func(r row) (bool, error) {
			_, cells, err := r.split(s.part)
			for _, c := range cells {
				m.learn(i, sheet, cell{r.number, c.col}, c)
			}
			return true, err
		})
		if err != nil {
			return nil, err
		}
		m.arrays(i, sheet)
	}
	return m, nil
}

func (m *model) readTexts() error {
	part, err := m.book.pkg.Related(m.book.main, "sharedStrings")
	if err != nil || part == "" || !m.book.pkg.Has(part) {
		return err
	}
	tree, err := m.book.pkg.Tree(part)
	if err != nil {
		return err
	}
	for n := range tree.Root.Elements() {
		m.texts = append(m.texts, textOf(n))
	}
	return nil
}

// textOf is the text of an item, without how it is read aloud.
func textOf(n *ooxml.Node) string {
	var b strings.Builder
	for t := range n.All(func(n *ooxml.Node) bool { return n.Name == "s:rPh" }) {
		if t.Name == "s:t" {
			b.WriteString(t.Text())
		}
	}
	return unescaped(b.String())
}

// unescaped resolves the escapes of characters, such as _x000A_.
func unescaped(s string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, "_x")
		if at < 0 || len(s) < at+7 {
			return b.String() + s
		}
		n, err := strconv.ParseUint(s[at+2:at+6], 16, 16)
		if err != nil || s[at+6] != '_' {
			b.WriteString(s[:at+2])
			s = s[at+2:]
			continue
		}
		b.WriteString(s[:at])
		b.WriteRune(rune(n))
		s = s[at+7:]
	}
}

// learn keeps the value and the formula of a cell.
func (m *model) learn(index int, s *modelSheet, at cell, c rowCell) {
	if c.tag.Empty() {
		return
	}
	if tag, _ := c.child("f"); tag != nil {
		f := &formula{sheet: index, at: at, text: s.part.layout.formulaOf(at, c)}
		if kind := tag.Get("t"); kind == "array" || kind == "dataTable" {
			f.why = cannot("a formula of an array")
		} else if f.text == "" {
			f.why = cannot("a formula without a text")
		}
		s.formulas[at] = f
		s.used = s.used.extended(at)
	}
	v, ok := m.rawValue(c)
	if !ok {
		s.unread[at] = true
	}
	if v.kind != emptyKind {
		s.values[at] = v
		s.used = s.used.extended(at)
	}
}

// rawValue is the stored value of a cell; not ok if it is in a form of its own.
func (m *model) rawValue(c rowCell) (Value, bool) {
	tag, inner := c.child("v")
	text := ooxml.Unescape(bytes.TrimSpace(inner))
	switch c.tag.Get("t") {
	case "s":
		if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(m.texts) {
			return textValue(m.texts[i]), true
		}
		return Value{}, false
	case "str":
		if tag == nil {
			return Value{}, true
		}
		return textValue(unescaped(ooxml.Unescape(inner))), true
	case "inlineStr":
		_, inner = c.child("is")
		tree, err := ooxml.Parse("", slices.Concat([]byte(`<is xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`),
			unprefixed(c, inner), []byte("</is>")))
		if err != nil {
			return Value{}, false
		}
		return textValue(textOf(tree.Root)), true
	case "b":
		return boolValue(text == "1" || text == "true"), true
	case "e":
		return errorValue(text), true
	case "", "n":
		if text == "" {
			return Value{}, true
		}
		f, err := strconv.ParseFloat(text, 64)
		return numberValue(f), err == nil
	}
	return Value{}, false
}

// unprefixed takes the prefix of names out of a piece of a cell.
func unprefixed(c rowCell, inner []byte) []byte {
	name := string(c.tag[1 : 1+bytes.IndexAny(c.tag[1:], " />")])
	prefix, _, ok := strings.Cut(name, ":")
	if !ok {
		return inner
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(inner, []byte("<"+prefix+":"), []byte("<")), []byte("</"+prefix+":"), []byte("</"))
}

// arrays marks the cells that an array formula fills.
func (m *model) arrays(index int, s *modelSheet) {
	for _, a := range s.part.layout.arrays {
		first := s.formulas[a.from]
		for at := range s.values {
			if first != nil && a.contains(at) && s.formulas[at] == nil {
				s.formulas[at] = &formula{sheet: index, at: at, text: first.text, why: cannot("a formula of an array"), filled: true}
			}
		}
	}
}

// find returns the number of a sheet, -1 if it is not there.
func (m *model) find(name string) int {
	return slices.IndexFunc(m.sheets, func(s *modelSheet) bool { return strings.EqualFold(s.part.name, name) })
}

// span finds the sheets that a reference names: its own, one, or a row of them.
func (m *model) span(names string, own int) (first, last int, err error) {
	if names == "" {
		return own, own, nil
	}
	from, to, two := strings.Cut(names, ":")
	first = m.find(from)
	if last = first; two {
		last = m.find(to)
	}
	if first < 0 || last < 0 {
		return 0, 0, cannot("a sheet that is not there")
	}
	return min(first, last), max(first, last), nil
}

// nameOf is what a name of the workbook stands for, seen from a sheet.
func (m *model) nameOf(name string, sheet int) (text string, ok bool) {
	for n := range m.book.root.Find("s:definedNames").Elements() {
		local := n.Attr("localSheetId")
		if strings.EqualFold(n.Attr("name"), name) && (local == strconv.Itoa(sheet) || local == "" && !ok) {
			text, ok = n.Text(), true
			if local != "" {
				break
			}
		}
	}
	return text, ok
}

// relative tells for each reference of a name whether it moves with the cell.
func (m *model) relative(text string) (out []bool) {
	mapFormula(text, func(_, ref string) string {
		for _, one := range strings.Split(ref, ":") {
			c, ok := cornerOf(one)
			out = append(out, !ok || c.row > 0 && !c.fixedRow || c.col > 0 && !c.fixedCol)
		}
		return ref
	})
	return out
}

// eachFormula hands out the formulas of the workbook in order.
func (m *model) eachFormula(f func(s *modelSheet, one *formula)) {
	for _, s := range m.sheets {
		all := make([]*formula, 0, len(s.formulas))
		for _, one := range s.formulas {
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b *formula) int {
			return cmp.Or(cmp.Compare(a.at.row, b.at.row), cmp.Compare(a.at.col, b.at.col))
		})
		for _, one := range all {
			f(s, one)
		}
	}
}

// columns finds the cells of columns of a table: Sales[Total], Sales[[#This Row],[Total]].
func (m *model) columns(name, text string, sheet int, place cell) (expr, error) {
	for i, s := range m.sheets {
		if s.part.chart {
			continue
		}
		tables, err := m.book.tables(s.part)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			a, ok := parseArea(t.root.Attr("ref"))
			if ok && (strings.EqualFold(t.root.Attr("displayName"), name) || name == "" && i == sheet && a.contains(place)) {
				return tableArea(t.root, a, i, text, sheet, place)
			}
		}
	}
	return nil, cannot("a table that is not there")
}

func tableArea(t *ooxml.Node, a area, index int, text string, sheet int, place cell) (expr, error) {
	header, totals := 1, 0
	if t.Attr("headerRowCount") == "0" {
		header = 0
	}
	if t.Attr("totalsRowCount") != "" {
		totals, _ = strconv.Atoi(t.Attr("totalsRowCount"))
	}
	whole := a
	a.from.row, a.to.row = a.from.row+header, a.to.row-totals
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	pieces := []string{inner}
	if strings.HasPrefix(inner, "[") {
		pieces = strings.Split(strings.TrimSuffix(strings.TrimPrefix(inner, "["), "]"), "],[")
	}
	if strings.HasPrefix(inner, "@") {
		pieces = []string{"#This Row", strings.Trim(inner[1:], "[]")}
	}
	if !slices.ContainsFunc(pieces, func(p string) bool { return p != "" && !strings.HasPrefix(p, "#") }) {
		return nil, cannot("rows of a table without a column")
	}
	for _, piece := range pieces {
		switch strings.ToLower(piece) {
		case "":
		case "#all":
			a.from.row, a.to.row = whole.from.row, whole.to.row
		case "#data":
		case "#headers":
			a.from.row, a.to.row = whole.from.row, whole.from.row+header-1
		case "#totals":
			a.from.row, a.to.row = whole.to.row-totals+1, whole.to.row
		case "#this row":
			if sheet != index || place.row < a.from.row || place.row > a.to.row {
				return nil, cannot("a row of a table from elsewhere")
			}
			a.from.row, a.to.row = place.row, place.row
		default:
			col := 0
			for n := range t.Find("s:tableColumns").Elements() {
				if strings.EqualFold(n.Attr("name"), piece) {
					break
				}
				col++
			}
			if whole.from.col+col > whole.to.col || strings.ContainsAny(piece, "'[]:") {
				return nil, cannot("columns %s of a table", begins(text))
			}
			a.from.col, a.to.col = whole.from.col+col, whole.from.col+col
		}
	}
	if a.from.row > a.to.row {
		return nil, cannot("rows of a table that are not there")
	}
	return reference{index, index, a}, nil
}

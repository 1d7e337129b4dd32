package sheet

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// layout is the part of a sheet around its rows, plus facts collected in one pass
// over the rows. The tree has an empty element in place of the rows.
type layout struct {
	tree   *ooxml.Tree
	data   *ooxml.Node // the element of the rows
	prefix string      // prefix of names in the sheet: "" or, as in "x:row", "x:"
	used   area        // non-empty cells; from is zero if there are none
	// shared are formulas that other cells repeat, by their number.
	shared map[string]sharedFormula
	arrays []area // cells that one formula fills
	// formulas is how many cells have one.
	formulas int
	// calculated is the range that has them all.
	calculated area
	changed    bool // the tree is not as it was
	// merges and tables are read at first use.
	merges []area
	tables []tablePart
	knows  struct{ merges, tables bool }
}

// sharedFormula is a formula that is written once, at its first cell.
type sharedFormula struct {
	at   cell
	text string
}

// readLayout reads a sheet once, and keeps the parts around its rows.
func (b *Book) readLayout(s *sheetPart) (*layout, error) {
	if s.layout != nil {
		return s.layout, nil
	}
	r, err := b.pkg.Stream(s.part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows := newRowStream(s.part, r)
	head, tag, err := rows.head()
	if err != nil {
		return nil, err
	}
	l := &layout{shared: map[string]sharedFormula{}}
	name := string(tag[1:])
	l.prefix = name[:strings.Index(name, "sheetData")]
	opened, end := tag.Opened()
	if !tag.Empty() {
		for row := range rows.rows() {
			if err := l.learn(s.part, row); err != nil {
				return nil, err
			}
		}
	}
	tail, err := rows.tail()
	if err != nil {
		return nil, err
	}
	if tag.Empty() {
		tail = append(end, tail...)
	}
	if l.tree, err = ooxml.Parse(s.part, slices.Concat(head[:len(head)-len(tag)], opened, tail)); err != nil {
		return nil, err
	}
	if l.data = l.tree.Root.Find("s:sheetData"); l.data == nil {
		return nil, ooxml.Damaged(s.part, "this is not a sheet of cells")
	}
	s.layout = l
	return l, nil
}

// learn collects facts from the cells of a row.
func (l *layout) learn(part string, r row) error {
	if l.glance(r) {
		return nil
	}
	_, cells, err := r.split(part)
	if err != nil {
		return err
	}
	formulas := bytes.IndexByte(r.raw, 'f') >= 0
	for _, c := range cells {
		if c.tag.Empty() || len(c.raw) <= len(c.tag)+len("</c>") {
			continue // a style alone
		}
		at := cell{r.number, c.col}
		if l.used.from == (cell{}) {
			l.used = area{at, at}
		}
		l.used.from.col, l.used.to.col = min(l.used.from.col, c.col), max(l.used.to.col, c.col)
		l.used.to.row = r.number
		if !formulas {
			continue
		}
		if tag, text := c.child("f"); tag != nil {
			l.formula(at, tag, ooxml.Unescape(text))
		}
	}
	return nil
}

// glance is a fast version of learn for rows without formulas whose first and
// last cells are not empty, as in most rows: the cells between them need not be
// read. It reports whether the row is of that kind.
func (l *layout) glance(r row) bool {
	cellTag, end := []byte("<"+l.prefix+"c "), []byte("</"+l.prefix+"c>")
	if l.used.from == (cell{}) || ooxml.IndexMarkup(r.raw, []byte("<"+l.prefix+"f")) >= 0 || ooxml.IndexMarkup(r.raw, []byte("<!")) >= 0 {
		return false
	}
	first, last := bytes.Index(r.raw, cellTag), bytes.LastIndex(r.raw, cellTag)
	if first < 0 || !bytes.Contains(r.raw[last:], end) {
		return false
	}
	from, _ := ooxml.TagAt(r.raw[first:])
	to, _ := ooxml.TagAt(r.raw[last:])
	left, right := columnOf(from.Raw("r")), columnOf(to.Raw("r"))
	if left == 0 || right < left || right > xlsx.MaxColumns || from.Empty() && left < l.used.from.col {
		return false
	}
	l.used.from.col, l.used.to.col, l.used.to.row = min(l.used.from.col, left), max(l.used.to.col, right), r.number
	return true
}

func (l *layout) formula(at cell, tag ooxml.Tag, text string) {
	l.formulas++
	l.calculated = l.calculated.extended(at)
	switch tag.Get("t") {
	case "shared":
		if si := tag.Get("si"); text != "" {
			l.shared[si] = sharedFormula{at, text}
		}
	case "array", "dataTable":
		if a, ok := parseArea(tag.Get("ref")); ok {
			l.arrays = append(l.arrays, a)
		}
	}
}

// isShared reports whether a cell contains a shared formula's text.
func (l *layout) isShared(c cell) bool {
	for _, f := range l.shared {
		if f.at == c {
			return true
		}
	}
	return false
}

// merged lists the merged ranges of the sheet.
func (l *layout) merged() []area {
	if l.knows.merges {
		return l.merges
	}
	l.merges, l.knows.merges = nil, true
	for n := range l.tree.Root.Find("s:mergeCells").Elements() {
		if a, ok := parseArea(n.Attr("ref")); ok {
			l.merges = append(l.merges, a)
		}
	}
	return l.merges
}

// orderOf is the order in which the children of a sheet must come.
var orderOf = sync.OnceValue(func() []string {
	return strings.Fields("sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection protectedRanges scenarios autoFilter " +
		"sortState dataConsolidate customSheetViews mergeCells phoneticPr conditionalFormatting dataValidations hyperlinks printOptions pageMargins " +
		"pageSetup headerFooter rowBreaks colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF " +
		"drawingHF picture oleObjects controls webPublishItems tableParts extLst")
})

// child returns the element of that name in a sheet, and makes it in its place if
// it is not there.
func (l *layout) child(name string) (*ooxml.Node, error) {
	root := l.tree.Root
	if n := root.Find("s:" + name); n != nil {
		return n, nil
	}
	return l.place(name, "<s:"+name+"></s:"+name+">")
}

// place puts a new child of a sheet behind those of its name and before those that
// must follow.
func (l *layout) place(name, text string) (*ooxml.Node, error) {
	root := l.tree.Root
	nodes, err := root.Fragment(text)
	if err != nil {
		return nil, err
	}
	l.changed = true
	place := slices.Index(orderOf(), name)
	for n := range root.Elements() {
		if at := slices.Index(orderOf(), strings.TrimPrefix(n.Name, "s:")); at > place {
			n.Before(nodes...)
			return nodes[0], nil
		}
	}
	root.Append(nodes...)
	return nodes[0], nil
}

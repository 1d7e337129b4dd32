package sheet

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// maxSheets bounds what a list can cost that names the same sheets over and over.
const maxSheets = 10_000

// Book is an open workbook. It is safe for one goroutine.
type Book struct {
	pkg    *ooxml.Package
	reader func() (*xlsx.Workbook, error)
	main   string
	root   *ooxml.Node
	sheets []*sheetPart
	styles *styles
}

// sheetPart is one sheet of a workbook.
type sheetPart struct {
	name   string
	first  string // the name that it has in the archive, if it is another one
	part   string
	node   *ooxml.Node // its entry in the workbook
	chart  bool        // it is one large chart, without cells
	layout *layout     // nil before it is needed
	stages []stage     // changes to its rows
}

// Open reads the directory of a workbook. r must stay open as long as it is used.
func Open(r io.ReaderAt, size int64) (*Book, error) {
	pkg, err := ooxml.Open(r, size)
	if err != nil {
		return nil, err
	}
	b := &Book{pkg: pkg, reader: func() (*xlsx.Workbook, error) { return xlsx.Open(r, size) }}
	if b.main, err = pkg.Main(); err != nil {
		return nil, err
	}
	if strings.HasSuffix(b.main, ".bin") {
		return nil, ooxml.WrongFormat("this is a binary workbook (.xlsb)")
	}
	tree, err := pkg.Tree(b.main)
	if err != nil {
		return nil, err
	}
	if b.root = tree.Root; b.root.Name != "s:workbook" {
		return nil, ooxml.WrongFormat("this is not a workbook: it is %s", kindOf(b.root.Name))
	}
	for n := range b.root.Find("s:sheets").Elements() {
		if len(b.sheets) == maxSheets {
			return nil, ooxml.TooLarge(b.main, "it lists more than %d sheets", maxSheets)
		}
		rel, ok := pkg.Target(b.main, n.Attr("r:id"))
		if !ok || !pkg.Has(rel.Target) {
			return nil, ooxml.Damaged(b.main, "the sheet %q is missing", n.Attr("name"))
		}
		b.sheets = append(b.sheets, &sheetPart{name: n.Attr("name"), part: rel.Target, node: n, chart: rel.Kind != "worksheet"})
	}
	return b, nil
}

func kindOf(root string) string {
	switch root {
	case "w:document":
		return "a document of a word processor"
	case "p:presentation":
		return "a presentation"
	}
	return "something else"
}

// Find returns a sheet by its name, and its place among all sheets, from 1. Without a
// name it is the first with cells that is shown.
func (b *Book) Find(name string) (int, Sheet, error) {
	s, err := b.tab(name)
	if err != nil {
		return 0, Sheet{}, err
	}
	about, err := b.about(s)
	return slices.Index(b.sheets, s) + 1, about, err
}

// sheet finds a sheet of cells by its name; "" is the first.
func (b *Book) sheet(name string) (*sheetPart, error) {
	s, err := b.tab(name)
	if err != nil {
		return nil, err
	}
	return s, s.cells()
}

// tab finds a sheet by its name, also one without cells; "" is the first with cells that
// is shown.
func (b *Book) tab(name string) (*sheetPart, error) {
	var first *sheetPart
	for _, s := range b.sheets {
		if s.name == name || name == "" && !s.chart && !s.hidden() {
			return s, nil
		}
		if first == nil && !s.chart {
			first = s
		}
	}
	if name == "" && first != nil {
		return first, nil
	}
	for _, s := range b.sheets {
		if strings.EqualFold(s.name, name) {
			return s, nil
		}
	}
	if len(b.sheets) == 0 {
		return nil, ooxml.Invalid("Add a sheet first.", "the workbook has no sheets")
	}
	return nil, ooxml.Invalid("The sheets are "+quoted(b.names())+".", "there is no sheet %q", name)
}

// cells refuses a sheet that has none.
func (s *sheetPart) cells() error {
	if s.chart {
		return ooxml.Invalid("", "the sheet %q is a chart and has no cells", s.name)
	}
	return nil
}

func (b *Book) names() []string {
	var names []string
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}

// stale reports whether values of formulas are not brought up to date: a change
// was made by a program that does not calculate.
func (b *Book) stale() bool {
	v := b.root.Find("s:calcPr").Attr("fullCalcOnLoad")
	return v == "1" || v == "true"
}

// Receipt is what the file says of its figures, as it was stored; "" if nothing.
func (b *Book) Receipt() (string, error) { return b.pkg.LongProperty(ooxml.Receipt) }

// Has reports whether there is a sheet of that name.
func (b *Book) Has(sheet string) bool {
	return slices.ContainsFunc(b.sheets, func(s *sheetPart) bool { return s.name == sheet && !s.chart })
}

// Named finds the range of a name or table. If its cells were deleted, the sheet is "".
func (b *Book) Named(name string) (sheet, cells string, ok bool) {
	if name == "" {
		return "", "", false
	}
	for n := range b.root.Find("s:definedNames").Elements() {
		if strings.EqualFold(n.Attr("name"), name) {
			text := n.Text()
			at := strings.LastIndexByte(text, '!')
			a, fine := parseArea(text[at+1:])
			if at < 0 || !fine {
				return "", "", true
			}
			sheet = text[:at]
			if inner, quoted := strings.CutPrefix(sheet, "'"); quoted {
				sheet = strings.ReplaceAll(strings.TrimSuffix(inner, "'"), "''", "'")
			}
			return sheet, a.String(), true
		}
	}
	for _, s := range b.sheets {
		if s.chart {
			continue
		}
		if _, err := b.readLayout(s); err != nil {
			continue // a damaged sheet has no names
		}
		tables, err := b.tables(s)
		if err != nil {
			continue
		}
		for _, t := range tables {
			if a, fine := parseArea(t.root.Attr("ref")); fine && strings.EqualFold(t.root.Attr("displayName"), name) {
				a.from.row += t.root.Int("headerRowCount", 1)
				return s.name, a.String(), a.from.row <= a.to.row
			}
		}
	}
	return "", "", false
}

// Located is a range as the text of a name has it.
func Located(sheet, cells string) (string, error) {
	a, err := areaOf(cells)
	if err != nil {
		return "", err
	}
	return quoteSheet(sheet) + "!" + a.from.fixed() + ":" + a.to.fixed(), nil
}

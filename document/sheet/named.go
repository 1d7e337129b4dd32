package sheet

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

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

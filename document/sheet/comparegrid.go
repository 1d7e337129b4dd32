package sheet

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// mostCompared bounds the cells of each workbook that are held in memory.
const mostCompared = 1_000_000

// side is one of the workbooks.
type side struct {
	book  *Book
	grids []*grid
	parts map[string]bool // that are compared here
	// tables are the ranges with a name of their own.
	tables, tableParts map[string]string
	looks              map[int]look
}

// grid is what is in a sheet.
type grid struct {
	name  string
	sheet *sheetPart
	rows  []gridRow // by number, from 1
	cut   bool      // there are more rows than are compared
	notes map[string]string
}

type gridRow struct {
	cells  []gridCell
	hidden bool
	key    uint64 // of what was typed, not calculated
}

type gridCell struct {
	value   any
	formula string
	style   int
}

// shown is a cell as people write it.
func (g gridCell) shown() string {
	switch {
	case g.formula != "":
		return "=" + known.Replace(g.formula)
	case g.value == nil:
		return ""
	}
	return fmt.Sprint(g.value)
}

// known turns the names of newer functions into those that people write.
var known = strings.NewReplacer("_xlfn._xlws.", "", "_xlfn.", "")

func (g gridCell) empty() bool { return g.formula == "" && (g.value == nil || g.value == "") }

// look is how cells look: in words, and all that is known of it.
type look struct{ words, all string }

// read reads all cells of a workbook.
func (s *side) read(b *Book, seed maphash.Seed) error {
	s.book, s.parts, s.looks, s.tables = b, map[string]bool{}, map[int]look{}, map[string]string{}
	s.tableParts = map[string]string{}
	if b == nil {
		return nil
	}
	s.parts[b.main] = true
	for _, kind := range []string{"styles", "sharedStrings", "calcChain"} {
		part, err := b.pkg.Related(b.main, kind)
		if err != nil {
			return err
		}
		s.parts[part] = true
	}
	room := mostCompared
	for _, sheet := range b.sheets {
		g := &grid{name: sheet.name, sheet: sheet, notes: map[string]string{}}
		s.grids = append(s.grids, g)
		if sheet.chart {
			continue
		}
		s.parts[sheet.part] = true
		if err := g.read(b, seed, &room); err != nil {
			return err
		}
		if err := g.comments(b, s.parts); err != nil {
			return err
		}
		tables, err := b.tables(sheet)
		if err != nil {
			return err
		}
		for _, t := range tables {
			s.tableParts[t.root.Attr("displayName")] = t.part
			s.tables[t.root.Attr("displayName")] = sheet.name + "!" + t.root.Attr("ref")
		}
	}
	return nil
}

// read reads the cells of a sheet, as many as there is room for.
func (g *grid) read(b *Book, seed maphash.Seed, room *int) error {
	if _, err := b.readLayout(g.sheet); err != nil {
		return err
	}
	err := b.eachRow(g.sheet, func(r row) (bool, error) {
		tag, cells, err := r.split(g.sheet.part)
		if *room -= len(cells); *room < 0 {
			g.cut = true
			return false, err
		}
		row := g.row(r.number)
		row.hidden = tag.Get("hidden") == "1" || tag.Get("hidden") == "true"
		for _, raw := range cells {
			to := row.cell(raw.col)
			to.style, _ = strconv.Atoi(raw.tag.Get("s"))
			to.formula = g.sheet.layout.formulaOf(cell{r.number, raw.col}, raw)
		}
		return true, err
	})
	if err != nil {
		return err
	}
	err = b.eachFilledRow(g.sheet, func(number int, values []any, _ []xlsx.Formula) bool {
		if number > len(g.rows) {
			return !g.cut
		}
		for i, v := range values {
			if v != nil {
				g.row(number).cell(i + 1).value = v
			}
		}
		return true
	})
	for i := range g.rows {
		g.rows[i].hash(seed)
	}
	return err
}

func (g *grid) row(number int) *gridRow {
	for len(g.rows) < number {
		g.rows = append(g.rows, gridRow{})
	}
	return &g.rows[number-1]
}

func (r *gridRow) cell(col int) *gridCell {
	for len(r.cells) < col {
		r.cells = append(r.cells, gridCell{})
	}
	return &r.cells[col-1]
}

func (r *gridRow) hash(seed maphash.Seed) {
	var h maphash.Hash
	h.SetSeed(seed)
	for i, c := range r.cells {
		if !c.empty() {
			text := "="
			if c.formula == "" {
				text = fmt.Sprintf("%T %v", c.value, c.value)
			}
			_, _ = fmt.Fprintf(&h, "%d %d %s\n", i, len(text), text)
			r.key = h.Sum64() | 1
		}
	}
}

// comments reads the comments of a sheet, by their cells.
func (g *grid) comments(b *Book, parts map[string]bool) error {
	part, err := b.pkg.Related(g.sheet.part, "comments")
	if err != nil || part == "" || !b.pkg.Has(part) {
		return err
	}
	parts[part] = true
	tree, err := b.pkg.Tree(part)
	if err != nil {
		return err
	}
	for n := range tree.Root.Find("s:commentList").Elements() {
		var text strings.Builder
		for t := range n.All(func(n *ooxml.Node) bool { return n.Name == "s:rPh" }) {
			if t.Name == "s:t" {
				text.WriteString(t.Text())
			}
		}
		g.notes[n.Attr("ref")] = text.String()
	}
	return nil
}

func (g *grid) size() string {
	if len(g.rows) == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", len(g.rows))
}

func visibility(g *grid) string {
	if g.sheet == nil {
		return "visible"
	}
	state := g.sheet.node.Attr("state")
	switch state {
	case "":
		return "visible"
	case "veryHidden":
		return "hidden, and programs do not offer to show it"
	}
	return state
}

func kindOfValue(g gridCell) string {
	switch g.value.(type) {
	case string:
		return "text"
	case bool:
		return "true or false"
	case nil:
		return "empty"
	}
	return "number"
}

func sameValue(a, b any) bool {
	if a == "" {
		a = nil
	}
	if b == "" {
		b = nil
	}
	return a == b
}

// lookOf is how cells with that entry of the styles look.
func (s *side) lookOf(index int) look {
	if known, ok := s.looks[index]; ok || s.book == nil {
		return known
	}
	out := look{}
	if part, err := s.book.pkg.Related(s.book.main, "styles"); err == nil && part != "" && s.book.pkg.Has(part) {
		if all, err := s.book.styleTable(); err == nil {
			out = all.lookAt(index)
		}
	}
	s.looks[index] = out
	return out
}

// lookAt describes an entry in words, and with all that it is made of.
func (s *styles) lookAt(index int) look {
	f := s.describe(index)
	words := []string{f.Number}
	for _, w := range []struct {
		on   bool
		text string
	}{
		{f.Bold != nil, "bold"}, {f.Italic != nil, "italic"}, {f.Underline != nil, "underlined"}, {f.Color != "", "text " + f.Color},
		{f.Fill != "", "fill " + f.Fill}, {f.Size > 0, strconv.FormatFloat(f.Size, 'f', -1, 64) + " points"}, {f.Align != "", f.Align},
		{f.Border != "", f.Border + " border"},
	} {
		if w.on {
			words = append(words, w.text)
		}
	}
	xf := s.entry("cellXfs", index)
	all := []string{f.Number}
	for _, n := range []*ooxml.Node{
		s.entry("fonts", xf.Int("fontId", 0)), s.entry("fills", xf.Int("fillId", 0)), s.entry("borders", xf.Int("borderId", 0)),
		xf.Find("s:alignment"), xf.Find("s:protection"),
	} {
		if n != nil {
			all = append(all, spelled(n))
		}
	}
	return look{strings.Join(words, ", "), strings.Join(all, "; ")}
}

// Lines hands the rows of all sheets to f, with formulas as they are written. It
// reports whether there are more than it can hold.
func (b *Book) Lines(f func(sheet string, row []any) error) (cut bool, err error) {
	var s side
	if err := s.read(b, maphash.MakeSeed()); err != nil {
		return false, err
	}
	for _, g := range s.grids {
		for _, r := range g.rows {
			line := make([]any, len(r.cells))
			for i, c := range r.cells {
				if line[i] = c.value; c.formula != "" {
					line[i] = c.shown()
				}
			}
			if err := f(g.name, line); err != nil {
				return false, err
			}
		}
		cut = cut || g.cut
	}
	return cut, nil
}

package sheet

import (
	"fmt"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// Info describes the content of a workbook.
type Info struct {
	Title  string   `json:"title,omitempty"`
	Author string   `json:"author,omitempty"`
	Sheets []Sheet  `json:"sheets"`
	Names  []string `json:"names,omitempty"` // of ranges and formulas
	Macros bool     `json:"macros,omitempty"`
	Signed bool     `json:"signed,omitempty"`
	// Stale says that the values of formulas may be older than the last change.
	Stale bool `json:"stale,omitempty"`
}

// Sheet describes one sheet. Rows and Columns are the highest numbers of a row
// and of a column with a non-empty cell.
type Sheet struct {
	Name       string         `json:"name"`
	Rows       int            `json:"rows"`
	Columns    int            `json:"columns"`
	Hidden     bool           `json:"hidden,omitempty"`
	Chart      bool           `json:"chart,omitempty"` // the sheet is one large chart
	Formulas   int            `json:"formulas,omitempty"`
	Merged     int            `json:"merged_ranges,omitempty"`
	FormulasIn string         `json:"formulas_in,omitempty" jsonschema:"the range that has all of them"`
	MergedIn   []string       `json:"merged_in,omitempty" jsonschema:"the first 20 of them"`
	Formats    []NumberFormat `json:"number_formats,omitempty" jsonschema:"the 20 most used of the first 10000 rows"`
	Filter     string         `json:"filter,omitempty"`
	Tables     []Region       `json:"tables,omitempty"`
	Drawings   bool           `json:"drawings,omitempty"` // it has charts or pictures
	Charts     []string       `json:"charts,omitempty" jsonschema:"what they show"`
	Pivots     []Region       `json:"pivot_tables,omitempty"`
}

// Region is a range with a name.
type Region struct {
	Name  string `json:"name"`
	Range string `json:"range"`
}

// Info describes the workbook. It reads each sheet once.
func (b *Book) Info() (*Info, error) {
	info := &Info{Sheets: []Sheet{}, Signed: b.pkg.Signed(), Stale: b.stale(), Macros: b.macros()}
	var err error
	if info.Title, info.Author, err = b.pkg.Properties(); err != nil {
		return nil, err
	}
	for n := range b.root.Find("s:definedNames").Elements() {
		if n.Attr("hidden") != "1" {
			info.Names = append(info.Names, n.Attr("name"))
		}
	}
	for _, s := range b.sheets {
		about, err := b.about(s)
		if err != nil {
			return nil, err
		}
		if about.Formats, err = b.numberFormats(s); err != nil {
			return nil, err
		}
		info.Sheets = append(info.Sheets, about)
	}
	return info, nil
}

func (b *Book) macros() bool {
	part, err := b.pkg.Related(b.main, "vbaProject")
	return err == nil && part != ""
}

// hidden reports whether programs do not show the sheet.
func (s *sheetPart) hidden() bool {
	state := s.node.Attr("state")
	return state != "" && state != "visible"
}

func (b *Book) about(s *sheetPart) (Sheet, error) {
	out := Sheet{Name: s.name, Hidden: s.hidden(), Chart: s.chart}
	if s.chart {
		return out, nil
	}
	l, err := b.readLayout(s)
	if err != nil {
		return out, err
	}
	root := l.tree.Root
	if l.formulas > 0 {
		out.FormulasIn = l.calculated.String()
	}
	for _, m := range l.merged()[:min(len(l.merged()), mostListed)] {
		out.MergedIn = append(out.MergedIn, m.String())
	}
	out.Rows, out.Columns, out.Formulas = l.used.to.row, l.used.to.col, l.formulas
	out.Merged, out.Filter, out.Drawings = len(l.merged()), root.Find("s:autoFilter").Attr("ref"), root.Find("s:drawing") != nil
	tables, err := b.tables(s)
	for _, t := range tables {
		out.Tables = append(out.Tables, Region{t.root.Attr("displayName"), t.root.Attr("ref")})
	}
	if err != nil {
		return out, err
	}
	if out.Charts, err = b.charts(s); err != nil {
		return out, err
	}
	all, err := b.pkg.Relations(s.part)
	for _, r := range all {
		if r.Kind != "pivotTable" || !b.pkg.Has(r.Target) {
			continue
		}
		tree, err := b.pkg.Tree(r.Target)
		if err != nil {
			return out, err
		}
		out.Pivots = append(out.Pivots, Region{tree.Root.Attr("name"), tree.Root.Find("s:location").Attr("ref")})
	}
	return out, err
}

// tablePart is a table of a sheet: a range with a header and a name.
type tablePart struct {
	part string
	root *ooxml.Node
}

// tables returns the tables of a sheet whose layout has been read.
func (b *Book) tables(s *sheetPart) ([]tablePart, error) {
	if s.layout.knows.tables {
		return s.layout.tables, nil
	}
	all, err := b.pkg.Relations(s.part)
	if err != nil {
		return nil, err
	}
	var out []tablePart
	for _, r := range all {
		if r.Kind == "table" && !r.External && b.pkg.Has(r.Target) {
			tree, err := b.pkg.Tree(r.Target)
			if err != nil {
				return nil, err
			}
			out = append(out, tablePart{r.Target, tree.Root})
		}
	}
	s.layout.tables, s.layout.knows.tables = out, true
	return out, nil
}

// Values are the cells of a range, row by row: null, true and false, numbers, and
// texts. Dates and times are texts in ISO 8601 format; errors are texts such as
// #N/A.
type Values struct {
	Sheet string `json:"sheet"`
	// Range is the range of Values. It ends at the last used cell of the sheet,
	// or earlier if Truncated.
	Range  string  `json:"range"`
	Values [][]any `json:"values"`
	// Truncated says that the requested range continues in row Next.
	Truncated bool `json:"truncated,omitempty"`
	Next      int  `json:"next_row,omitempty"`
	api.CaveatList
}

// ReadRange reads a range of a sheet; "" reads all of it. It returns as many
// whole rows as fit in maxCells cells (0: no limit), and reads no more of the
// sheet than necessary.
func (b *Book) ReadRange(sheet, ref string, maxCells int) (*Values, error) {
	s, err := b.sheet(sheet)
	if err != nil {
		return nil, err
	}
	wanted, err := wantedArea(ref)
	if err != nil {
		return nil, err
	}
	out, seen, err := readArea(s.name, wanted, maxCells, b.rowsOf(s))
	if err != nil {
		return nil, err
	}
	out.Caveats = seen.caveats(s.name, b.stale())
	if before := b.sheets[0]; sheet == "" && before.hidden() && before != s {
		out.Tell(api.Caveat{Kind: api.CaveatHidden, About: api.Subject{Sheet: before.name},
			Text: fmt.Sprintf("sheet %q was read, the first that is shown; %q before it is hidden", s.name, before.name)})
	}
	return out, nil
}

// wantedArea is the area that ref names; "": all cells.
func wantedArea(ref string) (area, error) {
	if ref == "" {
		return area{cell{1, 1}, cell{xlsx.MaxRows, xlsx.MaxColumns}}, nil
	}
	return areaOf(ref)
}

// rowSource hands rows that have values or formulas to a function until it returns
// false.
type rowSource func(run func(number int, values []any, all []xlsx.Formula) bool) error

// rowsOf is the source of a sheet's rows.
func (b *Book) rowsOf(s *sheetPart) rowSource {
	return func(run func(number int, values []any, all []xlsx.Formula) bool) error {
		return b.eachFilledRow(s, run)
	}
}

// readArea reads as many whole rows of an area as fit in maxCells cells (0: no limit).
func readArea(name string, wanted area, maxCells int, each rowSource) (out *Values, seen formulas, err error) {
	out = &Values{Sheet: name, Values: [][]any{}}
	width, rows := 0, map[int][]any{}
	last := wanted.from.row - 1
	err = each(func(number int, values []any, all []xlsx.Formula) bool {
		if number > wanted.to.row {
			return false
		}
		if number >= wanted.from.row {
			seen.add(all, wanted)
		}
		if number < wanted.from.row || len(values) < wanted.from.col {
			return true
		}
		values = values[wanted.from.col-1 : min(len(values), wanted.to.col)]
		if maxCells > 0 && len(rows) > 0 && (number-wanted.from.row+1)*max(width, len(values)) > maxCells {
			out.Truncated, out.Next = true, last+1
			return false
		}
		rows[number], last, width = values, number, max(width, len(values))
		return true
	})
	if err != nil {
		return nil, seen, err
	}
	if wanted.to.row < xlsx.MaxRows && !out.Truncated { // asked for as it is written
		last = wanted.to.row
	}
	if wanted.to.col < xlsx.MaxColumns {
		width = wanted.columns()
	}
	if maxCells > 0 && width > 0 && (last-wanted.from.row+1)*width > maxCells && last > wanted.from.row {
		last = wanted.from.row + max(maxCells/width, 1) - 1
		out.Truncated, out.Next = true, last+1
	}
	for r := wanted.from.row; r <= last; r++ {
		line := make([]any, width)
		copy(line, rows[r])
		out.Values = append(out.Values, line)
	}
	if len(out.Values) > 0 && width > 0 {
		out.Range = area{wanted.from, cell{last, wanted.from.col + width - 1}}.String()
	}
	return out, seen, nil
}

// Cell is one cell.
type Cell struct {
	Sheet   string `json:"sheet"`
	Cell    string `json:"cell"`
	Value   any    `json:"value"`
	Formula string `json:"formula,omitempty"` // without the sign of equality
	// Stale says that the value may be older than the last change.
	Stale  bool   `json:"stale,omitempty"`
	Merged string `json:"merged,omitempty"` // the merged range that the cell belongs to
	Format Format `json:"format"`
}

// ReadCell reads one cell with its formula and its format.
func (b *Book) ReadCell(sheet, ref string) (*Cell, error) {
	c, err := cellOf(ref)
	if err != nil {
		return nil, err
	}
	s, err := b.sheet(sheet)
	if err != nil {
		return nil, err
	}
	values, err := b.ReadRange(sheet, c.String(), 0)
	if err != nil {
		return nil, err
	}
	out := &Cell{Sheet: s.name, Cell: c.String(), Value: values.Values[0][0]}
	l, err := b.readLayout(s)
	if err != nil {
		return nil, err
	}
	for _, m := range l.merged() {
		if m.contains(c) {
			out.Merged = m.String()
		}
	}
	raw, err := b.rawCell(s, c)
	if err != nil {
		return nil, err
	}
	if tag, _ := raw.child("f"); tag != nil {
		out.Formula, out.Stale = l.formulaOf(c, raw), b.stale()
	}
	all, err := b.styleTable()
	if err != nil {
		return nil, err
	}
	style := raw.tag.Get("s")
	if raw.tag == nil {
		style = fmt.Sprint(l.columnStyle(c.col))
	}
	index, _ := strconv.Atoi(style)
	out.Format = all.describe(index)
	return out, nil
}

// rawCell finds a cell; its tag is nil if it is not there.
func (b *Book) rawCell(s *sheetPart, c cell) (found rowCell, err error) {
	err = b.eachRow(s, func(r row) (bool, error) {
		if r.number != c.row {
			return r.number < c.row, nil
		}
		_, cells, err := r.split(s.part)
		for _, one := range cells {
			if one.col == c.col {
				found = one
			}
		}
		return false, err
	})
	return found, err
}

// eachRow hands the rows of a sheet, as it is in the archive, to f until it
// returns false. A row is valid until f returns.
func (b *Book) eachRow(s *sheetPart, f func(row) (bool, error)) error {
	r, err := b.pkg.Stream(s.part)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newRowStream(s.part, r)
	if _, tag, err := in.head(); err != nil || tag.Empty() {
		return err
	}
	for row := range in.rows() {
		if more, err := f(row); err != nil || !more {
			return err
		}
	}
	return in.err
}

// formulaOf is the formula of a cell, also if it shares that of another one.
func (l *layout) formulaOf(at cell, c rowCell) string {
	tag, text := c.child("f")
	if tag == nil {
		return ""
	}
	formula := ooxml.Unescape(text)
	if f, ok := l.shared[tag.Get("si")]; ok && formula == "" && tag.Get("t") == "shared" {
		formula = moveFormula(f.text, at.row-f.at.row, at.col-f.at.col)
	}
	return formula
}

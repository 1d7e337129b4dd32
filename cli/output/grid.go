package output

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// nullText is how people see NULL. Text with the same letters is quoted.
const nullText = "NULL"

// cell is a value ready to be shown: escaped, on one line.
type cell struct {
	text string
	null bool
	cut  bool // the value continues
}

// maxCell is how many characters of a value or a column name are shown, so that
// one long text does not widen every line of a table.
const maxCell = 1000

func textCell(s, ellipsis string) cell {
	if s == nullText {
		s = `"` + s + `"`
	}
	head := firstRunes(s, maxCell)
	return startCell(head, len(head) < len(s), ellipsis)
}

// startCell shows the start of a value, or all of it.
func startCell(s string, cut bool, ellipsis string) cell {
	c := cell{text: shown(s), cut: cut}
	if cut {
		c.text += ellipsis
	}
	return c
}

// firstRunes returns at most n characters of s.
func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// shown prepares text for a cell. A leading combining mark gets a dotted circle,
// otherwise it would combine with the border.
func shown(s string) string {
	s = printable.Line(s)
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsMark(first) {
		return "◌" + s
	}
	return s
}

// columnName returns a name as shown above its column.
func columnName(name string, s style) string {
	head := firstRunes(name, maxCell)
	return startCell(head, len(head) < len(name), s.ellipsis).text
}

// gridColumn is a column of a grid.
type gridColumn struct {
	name  string
	right bool
	// elastic columns may be cut. Others may not: part of a number or a date
	// would be misleading.
	elastic bool
}

// grid is a result held in memory, to be shown as a table or as records.
type grid struct {
	columns []gridColumn
	rows    [][]cell
	natural []int // width that each column needs
	from    []int // of a list: where the columns are in its rows; nil for all
	before  int   // rows that were shown before these
	// list says that keeping rows on one line matters more than long text: text
	// is cut further before rows are shown as records.
	list bool
}

// writeTable collects all rows first, because column widths are known only after
// the last.
func writeTable(w io.Writer, rows *limited, o Options) (clipped int, err error) {
	var g grid
	s := boxed(o.ASCII)
	for _, f := range rows.Schema().Fields() {
		numeric := arrowjson.Numeric(f)
		g.columns = append(g.columns, gridColumn{columnName(f.Name, s), numeric, !numeric && anyLength(f.Type)})
	}
	for rows.Next() {
		batch := rows.RecordBatch()
		columns := arrowjson.BindBatch(batch)
		for i := range int(batch.NumRows()) {
			g.rows = append(g.rows, cellsOf(columns, i, s.ellipsis))
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	return g.write(w, s, o)
}

func cellsOf(columns []*arrowjson.Column, i int, ellipsis string) []cell {
	var buf []byte
	cells := make([]cell, len(columns))
	for j, c := range columns {
		text, kind, cut := c.AppendStart(buf[:0], i, maxCell)
		switch {
		case kind == arrowjson.Null:
			cells[j] = cell{text: nullText, null: true}
		case cut:
			cells[j] = startCell(string(text), true, ellipsis)
		default:
			cells[j] = textCell(string(text), ellipsis)
		}
		buf = text
	}
	return cells
}

// anyLength reports whether values of the type may be arbitrarily long.
func anyLength(t arrow.DataType) bool {
	if x, ok := t.(arrow.ExtensionType); ok {
		t = x.StorageType()
	}
	switch id := t.ID(); id {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.DICTIONARY:
		return true
	default:
		return arrow.IsNested(id) || arrow.IsBinaryLike(id) || arrow.IsLargeBinaryLike(id)
	}
}

// recordWidth is the width of records if there is no terminal.
const recordWidth = 80

// write shows the grid as a table, or as records if it does not fit as a table.
func (g *grid) write(w io.Writer, s style, o Options) (clipped int, err error) {
	if len(g.columns) == 0 {
		return 0, nil
	}
	g.measure()
	var b strings.Builder
	clipped = g.drawn(s, o)(g, &b)
	_, err = io.WriteString(sink{w}, b.String())
	return clipped, err
}

// drawn decides how the grid is shown, and returns what shows it: the whole, or one
// part of its rows after the other.
func (g *grid) drawn(s style, o Options) func(part *grid, b *strings.Builder) (clipped int) {
	p := painter{color: o.Color, isolate: o.Terminal}
	widths, ok := g.fit(s, o.Width, minElastic)
	if !ok && g.list {
		widths, ok = g.fit(s, o.Width, minListed)
	}
	if ok && !o.Records {
		return func(part *grid, b *strings.Builder) int { return part.table(b, s, p, widths) }
	}
	return func(part *grid, b *strings.Builder) int { return part.records(b, s, p, cmp.Or(o.Width, recordWidth)) }
}

// measure widens the columns to what the rows need.
func (g *grid) measure() {
	g.natural = append([]int(nil), g.natural...)
	for j, c := range g.columns {
		if len(g.natural) <= j {
			g.natural = append(g.natural, 0)
		}
		g.natural[j] = max(g.natural[j], textwidth.Of(c.name))
		for _, row := range g.rows {
			g.natural[j] = max(g.natural[j], textwidth.Of(row[j].text))
		}
	}
}

// minElastic is the minimum width of a text column; below that, results are shown
// as records.
const minElastic = 16

// minListed is the same for lists, where column names can be cut, too.
const minListed = 8

// fit returns the width of each column; ok is false if the minimum widths do not
// fit. width 0 means no limit. shortest is the minimum width of a text column.
func (g *grid) fit(s style, width, shortest int) (widths []int, ok bool) {
	natural, least := g.natural, make([]int, len(g.columns))
	for j, c := range g.columns {
		least[j] = textwidth.Of(c.name)
		switch {
		case !c.elastic:
			least[j] = natural[j]
		case shortest < minElastic:
			least[j] = shortest
		}
		least[j] = max(least[j], min(natural[j], shortest))
	}
	if width == 0 || s.width(natural) <= width {
		return natural, true
	}
	if s.width(least) > width {
		return nil, false
	}
	return spread(natural, least, width-s.width(least)), true
}

// leaveOut drops as few spare columns as necessary for the table to fit, and
// returns their names. It drops nothing if dropping all of them would not be
// enough.
func (g *grid) leaveOut(spare []string, s style, width int) []string {
	for n := range len(spare) + 1 {
		narrow := g.without(spare[:n])
		if _, ok := narrow.fit(s, width, minElastic); ok {
			*g = narrow
			return spare[:n]
		}
	}
	return nil
}

// without returns the columns that are not named.
func (g *grid) without(names []string) grid {
	out := grid{list: g.list}
	for j, c := range g.columns {
		if slices.Contains(names, c.name) {
			continue
		}
		out.columns, out.natural, out.from = append(out.columns, c), append(out.natural, g.natural[j]), append(out.from, j)
	}
	return out
}

// of returns rows of the list in the columns of the grid.
func (g *grid) of(rows [][]any, s style) grid {
	out := *g
	out.rows = make([][]cell, len(rows))
	for i, row := range rows {
		out.rows[i] = make([]cell, len(g.columns))
		for j := range g.columns {
			from := j
			if g.from != nil {
				from = g.from[j]
			}
			out.rows[i][j] = cell{text: nullText, null: true}
			if row[from] != nil {
				out.rows[i][j] = textCell(listText(row[from]), s.ellipsis)
			}
		}
	}
	return out
}

// spread distributes room beyond the minimum widths, smallest need first, so that
// as few columns as possible are cut.
func spread(natural, least []int, room int) []int {
	widths := slices.Clone(least)
	var wanting []int
	for j := range widths {
		if natural[j] > least[j] {
			wanting = append(wanting, j)
		}
	}
	slices.SortStableFunc(wanting, func(a, b int) int { return (natural[a] - least[a]) - (natural[b] - least[b]) })
	for n, j := range wanting {
		share := min(natural[j]-least[j], room/(len(wanting)-n))
		widths[j] += share
		room -= share
	}
	return widths
}

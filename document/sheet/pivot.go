package sheet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/table/xlsx"
)

// pivot is a pivot table that is being made. It is laid out as programs do it in the
// tabular form, with labels repeated and without subtotals: a program that brings it up
// to date has the same cells.
type pivot struct {
	name     string
	source   block
	names    []string // of the source's columns
	items    [][]any  // of each column on an axis, in order; nil of others
	rows     []int    // columns of the source
	columns  []int
	measures []pivotMeasure
	filters  []pivotFilter
	// lines and heads are the combinations of items that occur, in order; the last,
	// which is nil, is the total.
	lines, heads [][]int
	cells        map[string]*summary // by line, head and measure
}

type pivotMeasure struct {
	column   int
	function string
	title    string
	format   int // the number format of its column
}

// pivotFilter lets only some items of a column count; nil: all.
type pivotFilter struct {
	column int
	chosen []int
}

// shown is what the cell beside the name of a filter shows.
func (p *pivot) shown(f pivotFilter) any {
	switch len(f.chosen) {
	case 0:
		return "(All)"
	case 1:
		return label(p.items[f.column][f.chosen[0]])
	}
	return "(Multiple Items)"
}

// summary is what the values of one cell of a pivot table come to.
type summary struct {
	values, numbers int
	sum, min, max   float64
}

func (t *summary) add(v any) {
	if v == nil {
		return
	}
	t.values++
	n, ok := v.(json.Number)
	f, err := strconv.ParseFloat(n.String(), 64)
	if !ok || err != nil {
		return
	}
	if t.numbers++; t.numbers == 1 {
		t.min, t.max = f, f
	}
	t.sum, t.min, t.max = t.sum+f, min(t.min, f), max(t.max, f)
}

// result is the value that the cell shows, nil if there is none.
func (t *summary) result(function string) any {
	switch {
	case t == nil, t.values == 0, t.numbers == 0 && function == "average":
		return nil
	case function == "count":
		return t.values
	case function == "average":
		return t.sum / float64(t.numbers)
	case function == "min":
		return t.min
	case function == "max":
		return t.max
	}
	return t.sum
}

// titles begin the names of measures, as programs have them.
var titles = map[string]string{"sum": "Sum", "count": "Count", "average": "Average", "min": "Min", "max": "Max"}

// addPivot puts a pivot table on a sheet, and its figures as values.
func (e *editor) addPivot(s *sheetPart, o *Operation, result *Result) error {
	start, err := o.start()
	if err != nil {
		return err
	}
	found, err := e.blocks(s, o.Range)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return ooxml.Invalid("Give one range.", "a pivot table reads one range, not %d", len(found))
	}
	p := &pivot{source: found[0], cells: map[string]*summary{}}
	if err := e.read(&p.source); err != nil {
		return err
	}
	if err := p.choose(o); err != nil {
		return err
	}
	if err := e.measured(p); err != nil {
		return err
	}
	if err := p.sumUp(); err != nil {
		return err
	}
	grid := p.grid()
	whole := area{start, cell{start.row + len(grid) - 1, start.col + len(grid[0]) - 1}}
	if n := len(p.filters); n > 0 { // above it, with an empty row between
		start.row += n + 1
		whole.to = cell{whole.to.row + n + 1, max(whole.to.col, whole.from.col+1)}
	}
	if err := e.freeForPivot(s, whole); err != nil {
		return err
	}
	for i, f := range p.filters {
		for j, v := range []any{p.names[f.column], p.shown(f)} {
			at := cell{whole.from.row + i, whole.from.col + j}
			if err := e.setCell(s, at, SetCell{Value: v}); err != nil {
				return ooxml.InCell(at.String(), err)
			}
		}
	}
	a := area{start, cell{start.row + len(grid) - 1, start.col + len(grid[0]) - 1}}
	if p.name, err = e.pivotName(o.Name); err != nil {
		return err
	}
	if err := e.putPivot(s, p, a, grid); err != nil {
		return err
	}
	result.Range, result.Table = a.String(), p.name
	return e.declarePivot(s, p, a)
}

// choose finds the columns that an operation names.
func (p *pivot) choose(o *Operation) (err error) {
	const hint = "The first row of the range has a name for each column, each another one."
	if len(p.source.rows) < 2 {
		return ooxml.Invalid(hint, "%s has only one row", p.source.in(p.source.area))
	}
	for c, v := range p.source.rows[0] {
		name := strings.TrimSpace(fmt.Sprint(v))
		if v == nil || name == "" {
			return ooxml.Invalid(hint, "the column %s has no name in row %d", letters(p.source.from.col+c), p.source.from.row)
		}
		if slices.ContainsFunc(p.names, func(other string) bool { return strings.EqualFold(other, name) }) {
			return ooxml.Invalid(hint, "two columns have the name %q", name)
		}
		p.names = append(p.names, name)
	}
	p.items = make([][]any, len(p.names))
	find := func(name string) int {
		i := slices.IndexFunc(p.names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
		if i < 0 && err == nil {
			hint := "Its columns are " + quoted(p.names) + "."
			if near := suggest.Near(name, p.names); len(near) > 0 {
				hint = fmt.Sprintf("Did you mean %q? ", near[0]) + hint
			}
			err = ooxml.Invalid(hint, "%s has no column %q", p.source.in(p.source.area), name)
		}
		return i
	}
	for _, name := range o.Rows {
		p.rows = append(p.rows, find(name))
	}
	for _, name := range o.Columns {
		p.columns = append(p.columns, find(name))
	}
	for _, m := range o.Measures {
		function := cmp.Or(strings.ToLower(m.Function), "sum")
		if titles[function] == "" {
			return ooxml.Invalid("Give sum, count, average, min or max.", "there is no function %q", m.Function)
		}
		p.measures = append(p.measures, pivotMeasure{column: find(m.Column), function: function})
	}
	if err != nil {
		return err
	}
	axes := slices.Concat(p.rows, p.columns)
	for _, f := range o.Filters {
		axes = append(axes, find(f.Column))
	}
	if err != nil {
		return err
	}
	for i, c := range axes {
		if slices.Contains(axes[:i], c) {
			return ooxml.Invalid("Give each column once, as one of rows, columns or filters.", "the column %q stands twice on the pivot table", p.names[c])
		}
		p.items[c] = itemsOf(p.source.column(c))
	}
	for _, f := range o.Filters {
		if err := p.filter(f, find(f.Column)); err != nil {
			return err
		}
	}
	for i := range p.measures {
		m := &p.measures[i]
		m.title = titles[m.function] + " of " + p.names[m.column]
		if slices.ContainsFunc(p.measures[:i], func(other pivotMeasure) bool { return other.title == m.title }) {
			return ooxml.Invalid("Give each once.", "the measure %q stands twice on the pivot table", m.title)
		}
	}
	return nil
}

// filter finds the items that a filter lets count.
func (p *pivot) filter(f Filter, c int) error {
	var known []string
	for _, item := range p.items[c] {
		known = append(known, fmt.Sprint(label(item)))
	}
	out := pivotFilter{column: c}
	for _, v := range f.Values {
		text := fmt.Sprint(label(v))
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, text) })
		if i < 0 {
			return ooxml.Invalid("Its values are "+quoted(known[:min(len(known), 20)])+".", "the column %q has no value %q", p.names[c], text)
		}
		if !slices.Contains(out.chosen, i) {
			out.chosen = append(out.chosen, i)
		}
	}
	p.filters = append(p.filters, out)
	return nil
}

// counts reports whether the filters let a row of the source count.
func (p *pivot) counts(row []any, index []map[string]int) bool {
	return !slices.ContainsFunc(p.filters, func(f pivotFilter) bool {
		return f.chosen != nil && !slices.Contains(f.chosen, index[f.column][itemKey(row[f.column])])
	})
}

// itemKey is the same for values that are one item: texts in either case. It begins with
// the place of their kind in the order.
func itemKey(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return "1" + strconv.FormatFloat(f, 'g', -1, 64)
	case Date:
		return "2" + string(v)
	case string:
		return "3" + strings.ToLower(v)
	case bool:
		return "4" + strconv.FormatBool(v)
	case failure:
		return "5" + string(v)
	}
	return "6"
}

// sumUp sums up the rows of the source.
func (p *pivot) sumUp() error {
	index := make([]map[string]int, len(p.names))
	for c, items := range p.items {
		index[c] = map[string]int{}
		for i, v := range items {
			index[c][itemKey(v)] = i
		}
	}
	combination := func(row []any, axis []int) (out []int) {
		for _, c := range axis {
			out = append(out, index[c][itemKey(row[c])])
		}
		return out
	}
	lines, heads := map[string][]int{}, map[string][]int{}
	for r, row := range p.source.rows[1:] {
		if !p.counts(row, index) {
			continue
		}
		line, head := combination(row, p.rows), combination(row, p.columns)
		lines[fmt.Sprint(line)], heads[fmt.Sprint(head)] = line, head
		for m, measure := range p.measures {
			v := row[measure.column]
			if f, failed := v.(failure); failed && measure.function != "count" {
				at := cell{p.source.from.row + 1 + r, p.source.from.col + measure.column}
				return ooxml.Invalid("Mend the formula, or count the column.", "%s has the error %s, which has no %s", p.source.in(area{at, at}), f,
					measure.function)
			}
			for _, l := range [][]int{line, nil} {
				for _, h := range slices.CompactFunc([][]int{head, nil}, slices.Equal) {
					key := fmt.Sprint(l, h, m)
					if p.cells[key] == nil {
						p.cells[key] = &summary{}
					}
					p.cells[key].add(v)
				}
			}
		}
	}
	sorted := func(all map[string][]int) (out [][]int) {
		for _, one := range all {
			out = append(out, one)
		}
		slices.SortFunc(out, slices.Compare)
		return out
	}
	p.lines = append(sorted(lines), nil)
	if p.heads = sorted(heads); len(p.columns) > 0 {
		p.heads = append(p.heads, nil)
	}
	rows, width := p.headRows()+len(p.lines), len(p.rows)+len(p.heads)*len(p.measures)
	if rows > xlsx.MaxRows || width > xlsx.MaxColumns || rows*width > maxCells {
		return ooxml.Invalid("Take columns with fewer different values.", "the pivot table would have %d rows and %d columns", rows, width)
	}
	return nil
}

// headRows is how many rows are above the figures.
func (p *pivot) headRows() int {
	n := 1 + len(p.columns)
	if len(p.columns) > 0 && len(p.measures) > 1 {
		n++
	}
	return n
}

// grid is what the cells of the pivot table show.
func (p *pivot) grid() [][]any {
	head := p.headRows()
	rows := make([][]any, head+len(p.lines))
	for i := range rows {
		rows[i] = make([]any, len(p.rows)+len(p.heads)*len(p.measures))
	}
	for i, c := range p.rows {
		rows[head-1][i] = p.names[c]
	}
	for i, c := range p.columns {
		rows[0][len(p.rows)+i] = p.names[c]
		if len(p.measures) == 1 {
			rows[0][0] = p.measures[0].title
		}
	}
	for h, items := range p.heads {
		for m, measure := range p.measures {
			col := len(p.rows) + h*len(p.measures) + m
			for i, item := range items {
				rows[1+i][col] = label(p.items[p.columns[i]][item])
			}
			switch total := len(p.columns) > 0 && items == nil; {
			case total && len(p.measures) > 1:
				rows[1][col] = "Total " + measure.title
			case total:
				rows[1][col] = "Grand Total"
			case len(p.columns) == 0 || len(p.measures) > 1:
				rows[head-1][col] = measure.title
			}
		}
	}
	for l, items := range p.lines {
		row := rows[head+l]
		if items == nil {
			row[0] = "Grand Total"
		}
		for i, item := range items {
			row[i] = label(p.items[p.rows[i]][item])
		}
		for h, head := range p.heads {
			for m, measure := range p.measures {
				row[len(p.rows)+h*len(p.measures)+m] = p.cells[fmt.Sprint(items, head, m)].result(measure.function)
			}
		}
	}
	return rows
}

// label is how a pivot table names an item.
func label(v any) any {
	switch v := v.(type) {
	case nil:
		return "(blank)"
	case failure:
		return string(v)
	}
	return v
}

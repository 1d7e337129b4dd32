package catalog

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst/joins"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// wire is a line beside the tables, from its top row to its bottom row. It ends at the
// rows that have a mark.
type wire struct {
	to, top, bottom, lane int
	marks                 map[int]string
}

// picture draws tables below each other, and a line from each column to the one that it is
// joined with. Where a line ends, 'n' says that many rows have one value, '1' that one row has it.
func picture(found *joins.Found) string {
	var wires []*wire
	rows, at := boxes(found)
	for _, j := range found.Joins {
		marks, ok := map[string]string{api.ManyToOne: "n1", api.OneToOne: "11", api.OneToMany: "1n", api.ManyToMany: "nn"}[j.Multiplicity]
		if !ok {
			marks = "??"
		}
		own, other := j.Ends()
		from, to := at[own], at[other]
		i := slices.IndexFunc(wires, func(w *wire) bool { return marks == "n1" && w.to == to })
		if i < 0 {
			i = len(wires)
			wires = append(wires, &wire{to: to, top: to, bottom: to, marks: map[int]string{to: marks[1:]}})
			if marks != "n1" { // lines of others do not end here
				wires[i].to = -1
			}
		}
		w := wires[i]
		w.marks[from], w.top, w.bottom = marks[:1], min(w.top, from), max(w.bottom, from)
	}
	slices.SortStableFunc(wires, func(a, b *wire) int { return a.bottom - a.top - b.bottom + b.top })
	lanes := 0
	for i, w := range wires {
		for slices.ContainsFunc(wires[:i], func(o *wire) bool { return o.lane == w.lane && o.top <= w.bottom && w.top <= o.bottom }) {
			w.lane++
		}
		lanes = max(lanes, w.lane+1)
	}
	for row := range rows {
		rows[row] = beside(rows[row], row, lanes, wires) + "\n"
	}
	return strings.Join(rows, "")
}

// boxes draws the tables, and says in which row each column of a join is, by what Ends calls it.
func boxes(found *joins.Found) (rows []string, at map[string]int) {
	var tables []string
	columns, width := map[string][]string{}, 0
	for _, j := range found.Joins {
		own, other := j.Ends()
		for end, table := range map[string]string{own: j.Table, other: j.To} {
			columns[table] = append(columns[table], end)
			width = max(width, textwidth.Of(printable.Line(table)), textwidth.Of(printable.Line(end))-textwidth.Of(printable.Line(table))-1)
		}
		tables = append(tables, j.Table, j.To)
	}
	line := func(s string) string {
		s = printable.Line(s)
		return "│ " + s + strings.Repeat(" ", width-textwidth.Of(s)) + " │"
	}
	at = map[string]int{}
	bar := strings.Repeat("─", width+2)
	slices.Sort(tables)
	for _, table := range slices.Compact(tables) {
		rows = append(rows, "┌"+bar+"┐", line(table), "├"+bar+"┤")
		slices.Sort(columns[table])
		for _, end := range slices.Compact(columns[table]) {
			at[end] = len(rows)
			rows = append(rows, line(strings.TrimPrefix(end, table+".")))
		}
		rows = append(rows, "└"+bar+"┘")
	}
	return rows, at
}

// beside adds to a row of the tables what the lines at its right have there. A line
// that only crosses another one is drawn behind it.
func beside(text string, row, lanes int, wires []*wire) string {
	last := -1
	for _, w := range wires {
		if w.marks[row] != "" {
			last = max(last, w.lane)
		}
	}
	if last >= 0 {
		text = strings.TrimSuffix(text, "│") + "├"
	}
	for lane := range lanes {
		fill, after := " ", " "
		if lane <= last {
			fill = "─"
		}
		if lane < last {
			after = "─"
		}
		mark, corner := fill, after
		for _, w := range wires {
			if w.lane != lane || row < w.top || row > w.bottom {
				continue
			}
			corner = "│"
			if w.marks[row] == "" {
				continue
			}
			mark = w.marks[row]
			corners := map[bool]string{false: "┐┤┘", true: "┬┼┴"}[lane < last]
			corner = string([]rune(corners)[min(row-w.top, 1)+1-min(w.bottom-row, 1)])
		}
		text += fill + mark + corner
	}
	return strings.TrimRight(text, " ")
}

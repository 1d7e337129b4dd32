package fit

import (
	"encoding/json"

	"github.com/agnes-data/da/api"
)

// Answer builds the answer out of all rows that were added. It is called once,
// at the end.
func (c *Collector) Answer() *Answer {
	constant := c.constant()
	ends := c.ends()
	for k := len(ends) - 1; k > 0; k-- {
		if c.rowBytes(ends[k], constant) > c.budget {
			continue
		}
		if a := c.build(ends[k], constant); size(a) <= c.budget {
			return a
		}
	}
	// Not even one row fits with all figures: drop figures first, then the row.
	for _, n := range []int{min(1, ends[len(ends)-1]), 0} {
		a := c.build(n, constant)
		for over := size(a) > c.budget; over && a.Elided != nil && len(a.Elided.Columns) > 0; over = size(a) > c.budget {
			keep := len(a.Elided.Columns) * 3 / 4
			a.Elided.Unaccounted += len(a.Elided.Columns) - keep
			a.Elided.Columns = a.Elided.Columns[:keep]
		}
		if size(a) <= c.budget || n == 0 {
			return a
		}
	}
	return c.build(0, constant)
}

// ends returns the numbers of rows that an answer can show, ascending from 0.
func (c *Collector) ends() []int {
	ends := []int{0}
	for _, s := range c.segments {
		if c.o.MaxRows > 0 && int64(s.to) > c.o.MaxRows {
			break
		}
		ends = append(ends, s.to)
	}
	return ends
}

// rowBytes is the minimum JSON size of n rows.
func (c *Collector) rowBytes(n int, constant []bool) int {
	total := 0
	for _, r := range c.rows[:n] {
		for j, cell := range r.cells {
			if !constant[j] {
				total += len(cell) + 1
			}
		}
	}
	return total
}

// constant returns which columns have the same value in every row. A single row
// is never folded.
func (c *Collector) constant() []bool {
	out := make([]bool, len(c.names))
	for j := range out {
		if c.total < 2 || c.columns[j].varies {
			continue
		}
		all := []figures{c.tail[j]}
		for _, s := range c.segments {
			all = append(all, s.columns[j])
		}
		out[j] = agree(all)
	}
	return out
}

// agree reports whether all parts of a column have the same value throughout.
func agree(parts []figures) bool {
	var first figures
	for _, p := range parts {
		if p.count() == 0 {
			continue
		}
		if !p.uniform() || first != nil && !first.same(p) {
			return false
		}
		first = p
	}
	return true
}

// build makes the answer that shows n rows.
func (c *Collector) build(n int, constant []bool) *Answer {
	a := &Answer{Columns: []string{}, ColumnTypes: []string{}, Caveats: append([]api.Caveat{}, c.told...), Rows: make([][]json.RawMessage, n),
		RowsTotal: c.total, RowsShown: int64(n)}
	var shown []int
	for j, name := range c.names {
		if !constant[j] {
			a.Columns, a.ColumnTypes = append(a.Columns, name), append(a.ColumnTypes, c.types[j])
			shown = append(shown, j)
			continue
		}
		if a.Constant == nil {
			a.Constant = map[string]any{}
		}
		a.Constant[name] = c.rows[0].cells[j]
		if c.rows[0].isCut(j) {
			a.CellsCut++
		}
	}
	for i, r := range c.rows[:n] {
		a.Rows[i] = make([]json.RawMessage, len(shown))
		for k, j := range shown {
			a.Rows[i][k] = r.cells[j]
			if r.isCut(j) {
				a.CellsCut++
			}
		}
	}
	if len(c.names) < len(c.fields) {
		a.ColumnsCut = &ColumnsCut{Total: len(c.fields), Shown: len(c.names)}
	}
	if int64(n) < c.total {
		a.Elided = c.elided(n, shown)
	}
	a.Truncated = a.Elided != nil || a.CellsCut > 0 || a.ColumnsCut != nil
	return a
}

func (r row) isCut(j int) bool { return r.cut != nil && r.cut[j] }

// elided describes the rows from n on, where a segment starts.
func (c *Collector) elided(n int, columns []int) *Elided {
	e := &Elided{Rows: c.total - int64(n), Columns: []Figures{}}
	for _, j := range columns {
		all := figuresOf(c.fields[j])
		for _, s := range c.segments {
			if s.from >= n {
				all.merge(s.columns[j])
			}
		}
		all.merge(c.tail[j])
		e.Columns = append(e.Columns, all.tell(c.names[j]))
	}
	return e
}

// size is how many bytes of JSON an answer has.
func size(a *Answer) int {
	n, err := sizeOf(a)
	if err != nil {
		panic("an answer is not JSON: " + err.Error()) // its parts are JSON already
	}
	return n
}

// Package marks prints tables of figures, and marks those that have become worse
// than in a table that was printed before.
//
// It must not know what the figures are: all of them are better when smaller.
package marks

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// tolerated is how much worse a figure may be before it is marked.
const tolerated = 1.15

// cell is a place in a table: the first cell of its row, and its column's name.
type cell struct{ row, column string }

// Before holds the figures of tables that were printed before.
type Before map[cell]string

// Read reads the tables of a Markdown text. Of rows of the same name and column the
// first one counts.
func Read(text io.Reader) (Before, error) {
	before := Before{}
	var columns []string
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if columns == nil {
			columns = cells
			continue
		}
		for i := 1; i < min(len(cells), len(columns)); i++ {
			at := cell{cells[0], columns[i]}
			if _, there := before[at]; !there {
				before[at] = cells[i]
			}
		}
	}
	return before, lines.Err()
}

// Table is a table that is printed row by row.
type Table struct {
	out     io.Writer
	before  Before
	columns []string
}

// Table begins a table, and prints its head.
func (b Before) Table(out io.Writer, columns ...string) *Table {
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	return &Table{out: out, before: b, columns: columns}
}

// Row prints a row. A figure that is worse than before by more than 15 % has the
// difference beside it.
func (t *Table) Row(cells ...string) {
	shown := []string{cells[0]}
	for i, figure := range cells[1:] {
		if more := worse(t.before[cell{cells[0], t.columns[i+1]}], figure); more > 0 {
			figure += fmt.Sprintf(" **+%d %%**", more)
		}
		shown = append(shown, figure)
	}
	fmt.Fprintf(t.out, "| %s |\n", strings.Join(shown, " | "))
}

// worse returns by how many percent a figure is more than before; 0 if that is
// tolerated, or if the two have no number or different units.
func worse(before, now string) int {
	was, unit := number(before)
	is, unitNow := number(now)
	if unit != unitNow || was <= 0 || is <= was*tolerated {
		return 0
	}
	return int(math.Round(100 * (is/was - 1)))
}

// number splits a figure such as "754 ms" into its number and what follows, up to
// a comma or the mark of a row that was worse then; 0 if it does not begin with a number.
func number(figure string) (n float64, unit string) {
	parts := regexp.MustCompile(`^([0-9][0-9,]*(?:\.[0-9]+)?) ?([A-Za-z%]*)`).FindStringSubmatch(figure)
	if parts == nil {
		return 0, ""
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(parts[1], ",", ""), 64)
	if err != nil {
		return 0, ""
	}
	return n, parts[2]
}

package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// Table is where the table of a sheet is.
type Table struct {
	Start  int // index of its first row among those given
	Left   int // columns before its first, all of them empty
	Width  int
	Header bool
	// HeaderRows is the number of rows that form the header. Names are the names
	// in it, one per column. 0 and nil without a header.
	HeaderRows int
	Names      []string
	Rival      int // index of another row that could name the columns just as well; 0: none could
	// Doubt says that the first row may be data if it is the header, or else names.
	Doubt bool
	Heads int // rows of the header that are left out where they are repeated
}

// FindTable finds the table in the rows of a sheet. The caller leaves out empty
// rows, and empty cells at the end of a row.
// header says that the first row names the columns.
// numbers are those of the rows in the sheet.
func FindTable(rows [][]string, numbers []int, noHeader, header bool) Table {
	t := Table{Left: -1}
	if len(rows) == 0 {
		return Table{}
	}
	for _, r := range rows {
		for j, c := range r {
			if c != "" {
				if t.Left < 0 || j < t.Left {
					t.Left = j
				}
				break
			}
		}
	}
	t.Left = max(t.Left, 0)
	if !header {
		t.Start = firstFull(rows, t.Left)
	}
	for t.Start > 0 && onlyValues(rows[t.Start-1]) && !onlyTexts(rows[t.Start]) {
		t.Start-- // a number is no title
	}
	if t.Start > 0 && groupsAbove(cellsOf(rows[t.Start-1]), cellsOf(rows[t.Start])) {
		t.Start--
	}
	for _, r := range rows[t.Start:] {
		t.Width = max(t.Width, len(r)-t.Left)
	}
	recs := make([]record, 0, len(rows)-t.Start)
	for i, r := range rows[t.Start:] {
		rec := record{cells: make([]cell, t.Width), line: int64(numbers[t.Start+i])}
		copy(rec.cells, cellsOf(r[min(t.Left, len(r)):]))
		recs = append(recs, rec)
	}
	recs = ofOneTable(recs, t.Width)
	if !header && !noHeader {
		k := describingRows(recs, t.Width)
		t.Start, recs = t.Start+k, recs[k:]
	}
	if t.Header = header; !header && !noHeader {
		t.Header, t.Doubt = hasHeader(aboveFooter(recs), t.Width, t.Start > 0)
	}
	if t.Header {
		t.HeaderRows = 1
		if !header {
			t.HeaderRows = headerRows(recs, t.Width)
			if rivalHeader(recs, t.HeaderRows, t.Width) > 0 {
				t.Rival = t.Start + 1
			}
		}
		t.Names = joinNames(recs[:t.HeaderRows])
		if t.Width > 1 && repeats(recs, t.HeaderRows) {
			t.Heads = t.HeaderRows
		}
	}
	return t
}

// aboveFooter returns the records without the last ones that have only a first cell:
// a sheet's remarks below its table look like records with holes.
func aboveFooter(recs []record) []record {
	for len(recs) > 2 && filled(recs[len(recs)-1]) == 1 && len(recs[len(recs)-1].cells[0].text) > 0 && filled(recs[0]) > 1 {
		recs = recs[:len(recs)-1]
	}
	return recs
}

func cellsOf(row []string) []cell {
	cells := make([]cell, len(row))
	for j, text := range row {
		cells[j].text = []byte(text)
	}
	return cells
}

// onlyValues reports whether all that a row has is numbers, dates and booleans.
func onlyValues(row []string) bool {
	return !slices.ContainsFunc(row, func(c string) bool {
		look := infer.LookAt([]byte(c))
		return look == infer.LooksText || look == infer.LooksMissing
	})
}

// onlyTexts reports whether a row has no numbers, dates and booleans, as names of columns.
func onlyTexts(row []string) bool {
	return !slices.ContainsFunc(row, func(c string) bool {
		look := infer.LookAt([]byte(c))
		return look != infer.LooksText && look != infer.LooksMissing && look != infer.LooksEmpty
	})
}

// groupsAbove reports whether a row has names for groups of columns whose own
// names are in the row below: it has at least two names, and those below are not
// unique without them.
func groupsAbove(row, below []cell) bool {
	names := 0
	for _, c := range row {
		if len(bytes.TrimSpace(c.text)) > 0 {
			names++
		}
	}
	seen, twice := map[string]bool{}, false
	for _, c := range below {
		name := strings.ToLower(string(bytes.TrimSpace(c.text)))
		if look := infer.LookAt([]byte(name)); look != infer.LooksText && look != infer.LooksEmpty {
			return false
		}
		twice = twice || name != "" && seen[name]
		seen[name] = true
	}
	return names > 1 && twice
}

// firstFull returns the first row with at least half as many cells as the fullest
// one, because titles and remarks above a table have only one or two.
func firstFull(rows [][]string, left int) int {
	most := 0
	count := func(r []string) int {
		n := 0
		for _, c := range r[min(left, len(r)):] {
			if strings.TrimSpace(c) != "" {
				n++
			}
		}
		return n
	}
	for _, r := range rows {
		most = max(most, count(r))
	}
	for i, r := range rows {
		if n := count(r); n*2 > most || n*2 == most && most > 4 || most <= 1 {
			return i
		}
	}
	return 0
}

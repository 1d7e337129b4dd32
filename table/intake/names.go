package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/table/infer"
)

// columnNames makes n unique column names from the header's cells.
func columnNames(header []string, n int) (names []string, renamed []Rename) {
	given := make([]string, n)
	names = make([]string, n)
	for i := range names {
		if i < len(header) {
			given[i] = header[i]
		}
		names[i] = strings.Join(strings.Fields(strings.Map(printable, given[i])), " ")
		if names[i] == "" {
			names[i] = fmt.Sprintf("column_%d", i+1)
		}
	}
	names, _ = arrowjson.Unique(names, strings.ToLower)
	for i := range names {
		if i < len(header) && names[i] != strings.TrimSpace(given[i]) {
			renamed = append(renamed, Rename{Index: i, From: given[i], To: names[i]})
		}
	}
	return names, renamed
}

func printable(r rune) rune {
	switch r {
	case '\u200b', '\u2060': // blanks and joiners of no width
		return -1
	}
	if r < ' ' || r == 0x7f || r == '\ufeff' {
		return ' '
	}
	return r
}

// mostAbove is how many records above the names of the columns may have been read as
// others.
const mostAbove = 20

// namesBelow is the line of a record that could name the columns: all of them are
// texts, two because of words down to that line and of nothing else, or one if there is
// no header. 0: none is.
func (p *Profile) namesBelow(file int) int64 {
	at, n := int64(0), 0
	for _, c := range p.Columns {
		if c.NonNull == 0 || c.Type == infer.String && c.Near == nil {
			continue
		}
		if c.Type != infer.String || int64(len(c.Near.Places)) < c.Near.Misfit {
			return 0
		}
		last := slices.MaxFunc(c.Near.Places, func(a, b infer.CellRef) int { return cmp.Compare(a.Line, b.Line) })
		if last.File != file || at != 0 && last.Line != at || strings.ContainsAny(last.Text, "0123456789") {
			return 0
		}
		at, n = last.Line, n+1
	}
	if at <= p.HeaderLine || at > p.HeaderLine+mostAbove || p.Header && n < 2 {
		return 0
	}
	return at
}

package intake

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/rows/arrowjson"
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

package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/reason"
)

// difference is what 'da snapshot diff --json' and 'da schema --diff --json' print of what
// differs.
type difference struct {
	Columns []struct{ Name, Before, After string }

	RowsBefore              *int64 `json:"rows_before"`
	Added, Removed, Changed int64
}

// longestDifference is how much of a step's output is looked at, in bytes.
const longestDifference = 1 << 20

// differenceOf returns what a step found to differ, and what its command line allows, from
// what it printed: JSON, or else the first lines of its text.
func differenceOf(file string, words []string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestDifference))
	if err != nil {
		return ""
	}
	var d difference
	if json.Unmarshal(text, &d) != nil {
		lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
		return reason.Line(strings.Join(lines[:min(len(lines), 4)], "; "), longestMessage)
	}
	var all []string
	for _, c := range d.Columns {
		switch {
		case c.Before == "":
			all = append(all, "column "+c.Name+" is new")
		case c.After == "":
			all = append(all, "column "+c.Name+" is gone")
		default:
			all = append(all, "column "+c.Name+" was "+c.Before+" and is "+c.After)
		}
	}
	if d.RowsBefore != nil {
		all = append(all, fmt.Sprintf("%s before; %s added, %s removed, %s changed", humanize.Plural(*d.RowsBefore, "row", "rows"),
			humanize.Grouped(d.Added), humanize.Grouped(d.Removed), humanize.Grouped(d.Changed)))
	}
	if most := flagIn(words, "--max-changed"); most != "" {
		all = append(all, "--max-changed allows "+most)
	}
	return reason.Line(strings.Join(all, "; "), longestMessage)
}

// flagIn returns the value of a flag in a command line; empty: it is not given.
func flagIn(words []string, flag string) string {
	for i, w := range words {
		if value, with := strings.CutPrefix(w, flag+"="); with {
			return value
		}
		if w == flag && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

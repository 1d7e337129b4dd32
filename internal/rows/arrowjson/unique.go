package arrowjson

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/printable"
)

// Unique returns names with duplicates renamed: the second a becomes a_1, the
// third a_2, skipping names that exist already. changed says whether there were
// duplicates. normal maps names that count as equal to the same text; nil
// compares them exactly. names is not modified.
func Unique(names []string, normal func(string) string) (unique []string, changed bool) {
	if normal == nil {
		normal = func(s string) string { return s }
	}
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		if taken[normal(n)] {
			changed = true
		}
		taken[normal(n)] = true
	}
	if !changed {
		return names, false
	}
	unique = make([]string, len(names))
	next := map[string]int{} // the number to try for the next occurrence
	for i, n := range names {
		key := normal(n)
		if _, seen := next[key]; !seen {
			unique[i], next[key] = n, 1
			continue
		}
		for taken[normal(unique[i])] || unique[i] == "" {
			unique[i] = n + "_" + strconv.Itoa(next[key])
			next[key]++
		}
		taken[normal(unique[i])] = true
	}
	return unique, true
}

// quoteKeys returns the names as JSON strings, each followed by a colon.
func quoteKeys(names []string) []string {
	keys := make([]string, len(names))
	for i, n := range names {
		keys[i] = string(append(AppendString(nil, []byte(n)), ':'))
	}
	return keys
}

// Renamed says which columns were renamed, and to what.
func Renamed(names, unique []string) string {
	var renames []string
	for i, n := range names {
		if unique[i] != n {
			renames = append(renames, fmt.Sprintf("'%s' is '%s'", printable.Line(n), printable.Line(unique[i])))
		}
	}
	const most = 5
	if more := len(renames) - most; more > 0 {
		renames = append(renames[:most], fmt.Sprintf("%d more", more))
	}
	return "column names that occur more than once were made unique: " + strings.Join(renames, ", ")
}

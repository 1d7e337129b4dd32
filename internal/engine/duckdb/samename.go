package duckdb

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// CaseRenamed is the caveat about a column that got another name because the engine ignores
// case in names.
func CaseRenamed(was, is string) api.Caveat {
	return api.Caveat{Kind: api.CaveatRenamed, About: api.Subject{Columns: []string{is}},
		Text: fmt.Sprintf("column %q is called %q: the name of another column differs only in case", was, is)}
}

// SameName returns two of some names that differ only in the case of ASCII letters: the engine
// takes them for one name.
func SameName(names []string) (a, b string, same bool) {
	seen := map[string]string{}
	for _, b := range names {
		low := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, b)
		if a, same := seen[low]; same && a != b {
			return a, b, true
		}
		seen[low] = b
	}
	return "", "", false
}

// CheckNames refuses columns for which SameName finds two: each statement about a file of
// them would read the first of the two.
func CheckNames(names []string) error {
	a, b, same := SameName(names)
	if !same {
		return nil
	}
	return &api.Error{Code: api.CodeBadRequest, Kind: api.KindSameName, Details: map[string]any{"columns": []string{a, b}},
		Message: fmt.Sprintf("the names of the columns %q and %q differ only in case, and DuckDB takes them for one", a, b),
		Hint:    "Fetch the columns that are needed, with only one of the two. A statement that runs at the source can use both."}
}

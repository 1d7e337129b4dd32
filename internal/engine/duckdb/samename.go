package duckdb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// CaseRenamed is the caveat about a column that got another name because the engine ignores
// case in names. It is also about the one of names, those in use, that its old name means now.
func CaseRenamed(was, is string, names []string) api.Caveat {
	about := []string{is}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, was) }); i >= 0 {
		about = append(about, names[i])
	}
	return api.Caveat{Kind: api.CaveatRenamed, About: api.Subject{Columns: about},
		Text: fmt.Sprintf("column %q is called %q: the name of another column differs only in case", was, is)}
}

// FieldRenamed is the caveat about a field of a column that got another name because the
// engine ignores case in names.
func FieldRenamed(column, field string) api.Caveat {
	return api.Caveat{Kind: api.CaveatRenamed, About: api.Subject{Columns: []string{column}},
		Text: fmt.Sprintf("field %q of column %q has another name, as the column's type shows: the name of another field differs only in case", field, column)}
}

// FoldCase is a name without regard to the case of ASCII letters.
func FoldCase(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, name)
}

// SameName returns two of some names that differ only in the case of ASCII letters: the engine
// takes them for one name.
func SameName(names []string) (a, b string, same bool) {
	seen := map[string]string{}
	for _, b := range names {
		low := FoldCase(b)
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

// Nesting goes through the elements of a parquet file's schema, in their order.
type Nesting struct {
	left  []int64           // elements that are still to come, of each group that is open
	names []map[string]bool // of the elements of each, by FoldCase
}

// Next takes an element. It reports whether that is a column, and whether it is a field whose
// name another field of its group has, regardless of case.
func (n *Nesting) Next(name string, children int64) (top, again bool) {
	if top = len(n.left) == 0; !top {
		names, folded := n.names[len(n.names)-1], FoldCase(name)
		again, names[folded] = names[folded], true
		n.left[len(n.left)-1]--
	}
	if children > 0 {
		n.left, n.names = append(n.left, children), append(n.names, map[string]bool{})
	}
	for len(n.left) > 0 && n.left[len(n.left)-1] == 0 {
		n.left, n.names = n.left[:len(n.left)-1], n.names[:len(n.left)-1]
	}
	return top, again
}

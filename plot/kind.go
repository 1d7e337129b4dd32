package plot

import "strings"

// Kind is a way to draw rows.
type Kind string

// The kinds, as users name them.
const (
	Bar     Kind = "bar"
	Line    Kind = "line"
	Scatter Kind = "scatter"
	Hist    Kind = "hist"
)

// Kinds lists every kind, in the order in which help shows them.
var Kinds = []Kind{Bar, Line, Scatter, Hist}

// KindNames is the kinds with a separator between them.
func KindNames(separator string) string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return strings.Join(names, separator)
}

// most is how many rows a kind draws; 0 means all.
func (k Kind) most() int64 {
	switch k {
	case Bar:
		return 100
	case Line, Scatter:
		return 100_000
	}
	return 0
}

package embedded

import (
	"strings"

	"github.com/agnes-data/da/predicate"
)

const (
	// maxCopies is how often a condition may copy texts of columns.
	maxCopies = 4
	// maxSearches is how often a condition may search texts of columns.
	maxSearches = 32
)

// Heavy reports whether a condition may need time or memory out of proportion to
// the values that it reads. The engine evaluates thousands of rows at a time;
// that cannot be interrupted, and the memory limit does not cover it. So such
// conditions run in a process that can be killed.
func Heavy(where predicate.Expr) bool {
	slow, copies, searches := false, 0, 0
	predicate.Walk(where, func(e predicate.Expr) bool {
		switch e := e.(type) {
		case *predicate.Like:
			searches += mentions(e)
			slow = slow || backtracks(e)
			if e.IgnoreCase {
				copies++
			}
		case *predicate.Call:
			slow = slow || strings.HasPrefix(e.Op.ID, "regexp") || strings.HasPrefix(e.Op.ID, "replace")
			if long(e.T) {
				copies += mentions(e)
			} else if len(e.Args) > 0 && long(e.Args[0].Type()) {
				searches += mentions(e)
			}
		case *predicate.Cast:
			if long(e.To) {
				copies += mentions(e)
			}
		}
		slow = slow || copies > maxCopies || searches > maxSearches
		return !slow
	})
	return slow
}

// backtracks reports whether a pattern may be tried many times on one text.
func backtracks(e *predicate.Like) bool {
	for _, p := range e.Patterns {
		l, _ := p.(*predicate.Literal)
		if l == nil {
			return true
		}
		text, _ := l.Value.(string)
		wild := strings.Count(text, "%")
		if wild > 0 && strings.Contains(text, "_") || wild > 1 && e.Escape != 0 && strings.ContainsRune(text, e.Escape) {
			return true
		}
	}
	return false
}

// long reports whether values of a type can have any length.
func long(t predicate.Type) bool {
	switch t.Kind {
	case predicate.KindString, predicate.KindBytes, predicate.KindJSON, predicate.KindList, predicate.KindStruct, predicate.KindMap:
		return true
	}
	return false
}

// mentions counts how often columns with long values are named.
func mentions(e predicate.Expr) int {
	n := 0
	predicate.Walk(e, func(e predicate.Expr) bool {
		if c, ok := e.(*predicate.Column); ok && long(c.T) {
			n++
		}
		return true
	})
	return n
}

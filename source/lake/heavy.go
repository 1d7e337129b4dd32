package lake

import (
	"strings"

	"github.com/agnes-data/da/predicate"
)

const (
	// maxCopies is how often texts of columns may be copied for a condition.
	maxCopies = 4
	// maxSearches is how often texts of columns may be searched.
	maxSearches = 32
)

// heavy reports whether a condition may take a time or memory that is out of
// proportion to the values that it reads. The engine computes some thousand
// rows at a stretch: no interrupt ends that, and the memory limit does not bind
// it, so such conditions are left to a process that can be killed.
func heavy(where predicate.Expr) bool {
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

// backtracks reports whether a pattern may be tried again and again for one text.
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

// long reports whether values of a type may be of any length.
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

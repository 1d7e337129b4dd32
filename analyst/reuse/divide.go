package reuse

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/cover"
	"github.com/agnes-data/da/predicate/print"
)

// divide splits the requested rows into those that the snapshot has and those
// that it lacks. It returns false if that is impossible: for requests with an
// order or a limit, and for tables without a version, because the two parts could
// be of different ages.
func (h *candidate) divide(m *Match, asked api.ScanRequest, where predicate.Expr) bool {
	if asked.Ordered() || h.meta.Provenance.Version == "" {
		return false
	}
	rest, some := cover.Remainder(h.dialect, where, h.where)
	if !some {
		return false // proven by other means; Compare is right
	}
	var err error
	if m.Rest, err = print.SQL(h.dialect, rest, predicate.Env{}); err != nil || m.Rest == "" {
		return false
	}
	if _, err = h.parse(m.Rest); err != nil { // as the gate will
		return false
	}
	if engine := predicate.Dialect(h.meta.Provenance.Engine); engine != "" {
		if _, err = print.SQL(engine, rest, predicate.Env{}); err != nil {
			return false
		}
	}
	switch cover.Compare(h.dialect, h.where, where) {
	case cover.Equal, cover.Within: // all of its rows were requested
		return true
	}
	var ok bool
	m.Where, ok = h.filter(where)
	return ok
}

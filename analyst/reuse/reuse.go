// Package reuse finds the snapshots that can answer a request without its source,
// or by asking it for fewer rows. Such a snapshot has all requested columns, and
// all requested rows or a well-defined part of them, and the remaining work means
// the same when done locally. The package reads no data and asks no service. The
// caller must check by Provenance that the snapshot is up to date.
package reuse

import (
	"cmp"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/cover"
	"github.com/agnes-data/da/snapshot"
)

// Match is a snapshot that answers a request, and how it does.
type Match struct {
	Held snapshot.Meta
	// Proof says for people why no row is missing.
	Proof string
	// Select are the columns of the answer, in order.
	Select []string
	// Where and OrderBy are for the local engine; empty: all rows, in any order.
	Where, OrderBy string
	Limit          *int64
	// Rest selects the rows that the snapshot lacks, in the table's dialect;
	// empty if it has all.
	Rest string
	// Provenance is that of the answer.
	Provenance api.Provenance
}

// Whole reports whether the answer is the unchanged snapshot.
func (m Match) Whole() bool {
	if m.Where != "" || m.OrderBy != "" || m.Limit != nil || m.Rest != "" {
		return false
	}
	return slices.EqualFunc(m.Select, m.Held.Schema, func(name string, c snapshot.Column) bool { return c.Name == name })
}

// Find returns the snapshots that answer the request: first those with all rows,
// the least work first, then those with part of the rows, largest first. Only
// snapshots from the named server are considered.
func Find(asked api.ScanRequest, server string, held []snapshot.Meta) []Match {
	var found []Match
	for _, m := range held {
		if m.Server != server || m.TableID != asked.TableID || !usable(m) {
			continue
		}
		if match, ok := answers(asked, m); ok {
			found = append(found, match)
		}
	}
	slices.SortStableFunc(found, func(a, b Match) int {
		if order := cmp.Or(cmp.Compare(truth(a.Rest != ""), truth(b.Rest != "")), cmp.Compare(truth(b.Whole()), truth(a.Whole()))); order != 0 {
			return order
		}
		if a.Rest != "" {
			return cmp.Compare(b.Held.Rows, a.Held.Rows)
		}
		return cmp.Compare(a.Held.BytesLocal, b.Held.BytesLocal)
	})
	return found
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Comparable reports whether the snapshot remains valid as long as the table's
// version and the caller's rights match its provenance.
func Comparable(m snapshot.Meta) bool {
	if m.Damage != nil || m.Provenance == nil || m.Provenance.Version == "" || m.Truncated {
		return false
	}
	_, ok := read(m)
	return ok
}

// answers compares a request with what a snapshot has.
func answers(asked api.ScanRequest, m snapshot.Meta) (Match, bool) {
	h, ok := read(m)
	if !ok {
		return Match{}, false
	}
	match := Match{Held: m, Limit: asked.Limit}
	if match.Select, ok = h.columns(asked.Select); !ok {
		return match, false
	}
	where, err := h.parse(asked.Where)
	if err != nil {
		return match, false
	}
	switch cover.Compare(h.dialect, where, h.where) {
	case cover.Equal:
	case cover.Within:
		if match.Where, ok = h.filter(where); !ok {
			return match, false
		}
	case cover.Unproven:
		if !h.divide(&match, asked, where) {
			return match, false
		}
	default:
		return match, false
	}
	match.Proof = proof(asked.Where, m, match.Where == "", match.Rest != "")
	match.Provenance = h.provenance(match.Select, where)
	match.OrderBy, ok = h.order(asked.OrderBy)
	return match, ok
}

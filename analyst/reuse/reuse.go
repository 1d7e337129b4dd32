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
	"github.com/agnes-data/da/predicate"
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

// usable reports whether the snapshot has all rows of a predicate that means the
// same at any time.
func usable(m snapshot.Meta) bool {
	p := m.Provenance
	if m.Damage != nil || p == nil || m.Limit != nil || m.Truncated || len(m.Schema) > len(p.Columns) {
		return false
	}
	for i, c := range m.Schema { // the file must name its columns as the source does
		if p.Columns[i].Name != c.Name {
			return false
		}
	}
	return true
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

// held is a snapshot with its parsed provenance.
type held struct {
	meta    snapshot.Meta
	dialect predicate.Dialect
	typed   *predicate.Schema // the columns as at the source
	local   *predicate.Schema // the columns as in the file
	where   predicate.Expr
}

func read(m snapshot.Meta) (*held, bool) {
	h := &held{meta: m, dialect: predicate.Dialect(m.Provenance.Dialect)}
	if !slices.Contains([]predicate.Dialect{predicate.DuckDB, predicate.Postgres, predicate.GoogleSQL}, h.dialect) {
		return nil, false
	}
	local := make([]api.Column, len(m.Schema))
	for i, c := range m.Schema {
		local[i] = api.Column{Name: c.Name, Type: c.Type}
	}
	var err error
	if h.typed, err = predicate.NewSchema(h.dialect, m.Provenance.Columns); err != nil {
		return nil, false
	}
	if h.local, err = predicate.NewSchema(predicate.DuckDB, local); err != nil {
		return nil, false
	}
	h.typed = h.typed.Named(m.TableID)
	h.where, err = h.parse(m.Provenance.Where)
	return h, err == nil
}

// columns resolves a select list; ok is false if one of its columns is missing
// here.
func (h *held) columns(items []string) (names []string, ok bool) {
	if len(items) == 0 {
		for _, c := range h.meta.Schema {
			names = append(names, c.Name)
		}
		return names, h.meta.Provenance.Whole
	}
	for _, item := range items {
		name, err := predicate.ParseColumn(h.dialect, item, h.typed)
		if err != nil || !h.has(name) || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// has reports whether a column is in the file.
func (h *held) has(name string) bool {
	return slices.ContainsFunc(h.meta.Schema, func(c snapshot.Column) bool { return c.Name == name })
}

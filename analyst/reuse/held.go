package reuse

import (
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/snapshot"
)

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

// candidate is a snapshot with its parsed provenance.
type candidate struct {
	meta    snapshot.Meta
	dialect predicate.Dialect
	typed   *predicate.Schema // the columns as at the source
	local   *predicate.Schema // the columns as in the file
	where   predicate.Expr
}

func read(m snapshot.Meta) (*candidate, bool) {
	h := &candidate{meta: m, dialect: predicate.Dialect(m.Provenance.Dialect)}
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
func (h *candidate) columns(items []string) (names []string, ok bool) {
	if len(items) == 0 {
		for _, c := range h.meta.Schema {
			names = append(names, c.Name)
		}
		return names, h.meta.Provenance.Whole
	}
	for _, item := range items {
		name, err := predicate.ParseColumn(h.dialect, item, h.typed)
		if err != nil || !h.hasColumn(name) || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// hasColumn reports whether a column is in the file.
func (h *candidate) hasColumn(name string) bool {
	return slices.ContainsFunc(h.meta.Schema, func(c snapshot.Column) bool { return c.Name == name })
}

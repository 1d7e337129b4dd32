package reuse

import (
	"errors"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/snapshot"
)

// errChanging rejects predicates that select different rows of the same table at
// different times or places.
var errChanging = errors.New("it asks the clock, or compares texts by a collation")

// parse parses a predicate in the table's dialect; nil for "".
func (h *candidate) parse(text string) (predicate.Expr, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no predicate selects all rows
	}
	e, err := predicate.Parse(h.dialect, text, h.typed)
	if err != nil {
		return nil, err
	}
	collated := func(name string) bool {
		return slices.ContainsFunc(h.meta.Provenance.Columns, func(c api.Column) bool { return c.Name == name && hasCollation(c) })
	}
	if predicate.UsesClock(e) || slices.ContainsFunc(predicate.Columns(e), collated) {
		return nil, errChanging
	}
	return e, nil
}

// hasExactly reports whether names are exactly the columns of the file, in order.
func (h *candidate) hasExactly(names []string) bool {
	return slices.EqualFunc(names, h.meta.Schema, func(name string, c snapshot.Column) bool { return c.Name == name })
}

// hasCollation reports whether the column or one of its fields compares text by a
// collation.
func hasCollation(c api.Column) bool {
	return c.Collation != "" || slices.ContainsFunc(c.Fields, hasCollation)
}

// provenance is that of some of the snapshot's columns and rows.
func (h *candidate) provenance(selected []string, where predicate.Expr) api.Provenance {
	p := *h.meta.Provenance
	p.Columns, p.Where, p.Whole = []api.Column{}, "", p.Whole && h.hasExactly(selected)
	for _, name := range slices.Concat(selected, predicate.Columns(where)) {
		named := func(c api.Column) bool { return c.Name == name }
		i := slices.IndexFunc(h.meta.Provenance.Columns, named)
		if i >= 0 && !slices.ContainsFunc(p.Columns, named) {
			p.Columns = append(p.Columns, h.meta.Provenance.Columns[i])
		}
	}
	if where != nil {
		p.Where, _ = print.SQL(h.dialect, predicate.Canonical(where), predicate.Env{}) // cannot fail: it was parsed in this dialect
	}
	return p
}

// filter prints a predicate for the local engine; ok is false if it could mean
// something else there.
func (h *candidate) filter(e predicate.Expr) (string, bool) {
	for _, name := range predicate.Columns(e) {
		if !h.same(name) {
			return "", false
		}
	}
	text, err := print.SQL(predicate.DuckDB, e, predicate.Env{})
	return text, err == nil
}

// order prints the terms of an ORDER BY. Ordering by text is left to the source,
// unless the source's engine is DuckDB, too.
func (h *candidate) order(items []string) (string, bool) {
	var terms []predicate.Order
	for _, item := range items {
		o, err := predicate.ParseOrder(h.dialect, item, h.typed)
		if err != nil || !h.same(o.Column) || !predicate.OrdersByCodePoint(h.dialect) && fieldOf(h.typed, o.Column).Kind == predicate.KindString {
			return "", false
		}
		terms = append(terms, o)
	}
	return print.Order(predicate.DuckDB, "", terms), true
}

// same reports whether the values of a column compare here as they do at the
// source. A value that arrived as another type may have lost information.
func (h *candidate) same(name string) bool {
	if !h.hasColumn(name) {
		return false
	}
	there, here := fieldOf(h.typed, name), fieldOf(h.local, name)
	if h.dialect == predicate.DuckDB && h.meta.Provenance.Engine == "" {
		typeOf := func(c api.Column) bool { return c.Name == name }
		source := h.meta.Provenance.Columns[slices.IndexFunc(h.meta.Provenance.Columns, typeOf)]
		file := h.meta.Schema[slices.IndexFunc(h.meta.Schema, func(c snapshot.Column) bool { return c.Name == name })]
		return source.Type == file.Type
	}
	// From here on the source's engine is not DuckDB.
	if there.Padded || there.Kind != here.Kind {
		return false
	}
	switch there.Kind {
	case predicate.KindBool, predicate.KindInt, predicate.KindString, predicate.KindDate, predicate.KindDateTime, predicate.KindTimestamp:
		return true
	case predicate.KindDecimal:
		return there.Precision != 0 && there.Precision == here.Precision && there.Scale == here.Scale
	}
	return false // floats: engines differ in NaN
}

// fieldOf returns the type of an existing column.
func fieldOf(s *predicate.Schema, name string) predicate.Type {
	for _, f := range s.Columns() {
		if f.Name == name {
			return f.Type
		}
	}
	return predicate.Type{}
}

// proof says why the rows are sufficient.
func proof(asked string, m snapshot.Meta, all, part bool) string {
	had := ""
	if m.Where != nil {
		had = *m.Where
	}
	asked, had = api.Clip(asked, longestText), api.Clip(had, longestText)
	switch {
	case part && asked == "":
		return "it has the rows of " + had
	case part:
		return "of " + asked + " it has the rows of " + had
	case had == "" && all:
		return "it has all rows"
	case had == "":
		return "it has all rows, also those of " + asked
	case asked == had:
		return "it has the rows of " + had
	case all:
		return asked + " means the same as " + had
	}
	return asked + " lies within " + had
}

// longestText is the length at which a proof cuts a predicate, in characters.
const longestText = 200

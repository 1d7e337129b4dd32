package iceberg

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/listed"
)

// field is a column, or a field of a struct.
type field = listed.Field

// simple are the engine's types.
var simple = map[string]string{
	"boolean": "BOOLEAN", "int": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "time": "TIME",
	"timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE", "timestamp_ns": "TIMESTAMP_NS",
	"timestamptz_ns": "TIMESTAMP WITH TIME ZONE",
	"string":         "VARCHAR", "uuid": "UUID", "binary": "BLOB", "fixed": "BLOB", "variant": "VARIANT",
	"unknown": "VARCHAR", // all of it is NULL
}

// nanos reports whether a type holds nanoseconds that the engine cuts.
func nanos(t *listed.Type) bool {
	for _, f := range t.Inside() {
		if nanos(&f.Type) {
			return true
		}
	}
	return t.Name == "timestamptz_ns"
}

// defaults reports whether fields inside have defaults for files that lack them.
func defaults(t *listed.Type) bool {
	for _, f := range t.Inside() {
		if len(f.Default) > 0 && string(f.Default) != "null" || defaults(&f.Type) {
			return true
		}
	}
	return false
}

// dates lists the fields that are dates in a schema of the table's history.
func (m *metadata) dates() map[int]bool {
	dates := map[int]bool{}
	var visit func(f *field)
	visit = func(f *field) {
		dates[f.ID] = dates[f.ID] || f.Type.Name == "date"
		for _, inside := range f.Type.Inside() {
			visit(inside)
		}
	}
	for i := range m.Schemas {
		for j := range m.Schemas[i].Fields {
			visit(&m.Schemas[i].Fields[j])
		}
	}
	return dates
}

// promoted reports whether older files may have dates where a column has moments.
func (p *plan) promoted(f *field) bool {
	return f.Type.Name != "date" && p.dated[f.ID] || slices.ContainsFunc(f.Type.Inside(), p.promoted)
}

// avroName matches the names that files have as they are: writers put _x20 into the place of a space.
var avroName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// renamedInside reports whether any schema of the table's history gives a field
// inside of a column another name, or another field its name, or a name that files
// cannot have: the engine finds these by names. It reads no struct, either, that has
// no field in common with the one in a file.
func (m *metadata) renamedInside() bool {
	names, places, always := map[int]string{}, map[string]int{}, map[int]map[int]bool{}
	var differ func(parent int, t *listed.Type) bool
	differ = func(parent int, t *listed.Type) bool {
		before, common := always[parent], map[int]bool{}
		for _, f := range t.Inside() {
			common[f.ID] = before == nil || before[f.ID]
			place := fmt.Sprintf("%d %s", parent, f.Name)
			name, known := names[f.ID]
			id, taken := places[place]
			if known && name != f.Name || taken && id != f.ID || !avroName().MatchString(f.Name) || differ(f.ID, &f.Type) {
				return true
			}
			names[f.ID], places[place] = f.Name, f.ID
		}
		maps.DeleteFunc(common, func(_ int, ok bool) bool { return !ok })
		always[parent] = common
		return len(common) == 0 && len(t.Inside()) > 0
	}
	for i := range m.Schemas {
		for j := range m.Schemas[i].Fields {
			if f := &m.Schemas[i].Fields[j]; differ(f.ID, &f.Type) {
				return true
			}
		}
	}
	return false
}

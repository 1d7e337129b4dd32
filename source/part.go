package source

import (
	"slices"

	"github.com/agnes-data/da/api"
)

// Sees reports whether a column exists for the caller.
func (r Relation) Sees(column string) bool {
	return r.Columns == nil || slices.Contains(r.Columns, column)
}

// SeesAll reports whether the caller sees all columns that a caveat is about.
func (r Relation) SeesAll(c api.Caveat) bool {
	return !slices.ContainsFunc(c.About.Columns, func(name string) bool { return !r.Sees(name) })
}

// Told returns those caveats that tell the caller nothing of what they do not see: all, or of
// a part those about the names of its columns.
func (r Relation) Told(caveats []api.Caveat) []api.Caveat {
	if r.Whole() {
		return caveats
	}
	return slices.DeleteFunc(slices.Clone(caveats), func(c api.Caveat) bool {
		return c.Kind != api.CaveatRenamed || len(c.About.Columns) == 0 || !r.SeesAll(c)
	})
}

// Shows reports whether the caller sees a column's values.
func (r Relation) Shows(column string) bool {
	_, masked := r.Masks[column]
	return r.Sees(column) && !masked
}

// Whole reports whether the caller sees all of the table.
func (r Relation) Whole() bool { return r.Columns == nil && r.Rule == nil && len(r.Masks) == 0 }

// Of reduces the schema to what the relation's caller can see. It removes the
// sizes if rows may be hidden or values masked.
func (s *Schema) Of(r Relation) *Schema {
	if r.Whole() {
		return s
	}
	part := *s
	part.Caveats = r.Told(s.Caveats)
	if r.Columns != nil {
		hidden := func(name string) bool { return !r.Sees(name) }
		part.Columns = slices.DeleteFunc(slices.Clone(s.Columns), func(c api.Column) bool { return hidden(c.Name) })
		part.PartitionBy = slices.DeleteFunc(slices.Clone(s.PartitionBy), hidden)
		part.ClusteredBy = slices.DeleteFunc(slices.Clone(s.ClusteredBy), hidden)
		part.ForeignKeys = slices.DeleteFunc(slices.Clone(s.ForeignKeys), func(k ForeignKey) bool { return k.Names(hidden) })
		part.Pseudo = nil
	}
	if r.Rule != nil {
		part.RowCount, part.RowEstimate, part.SizeBytes = nil, nil, nil
	}
	if len(r.Masks) > 0 {
		masked := func(name string) bool { _, ok := r.Masks[name]; return ok }
		part.PartitionBy = slices.DeleteFunc(slices.Clone(part.PartitionBy), masked)
		part.ClusteredBy = slices.DeleteFunc(slices.Clone(part.ClusteredBy), masked)
		part.ForeignKeys = slices.DeleteFunc(slices.Clone(part.ForeignKeys), func(k ForeignKey) bool { return k.Names(masked) })
		part.SizeBytes = nil // long values take more of it
	}
	return &part
}

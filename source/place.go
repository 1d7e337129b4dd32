package source

import "context"

// Place says where one version of a table lies, for another engine to read it.
type Place struct {
	Format string // delta or iceberg
	// URL is that of the table's folder. Name, if it is set, is that of the table in a
	// catalog of the engine's, its parts separated by dots, and is used instead.
	URL, Name string
	// Version is what the engine is to read: the number of a version of Delta, or of a
	// snapshot of Iceberg.
	Version int64
}

// Lender is a source whose tables another engine can read where they lie.
type Lender interface {
	Prober
	Idler
	Traveller
	// Lend describes a relation, and says where that version of it lies: URL is
	// relative to the source's root, and Name as its metadata have it. The place is
	// nil if the table has no rows.
	Lend(ctx context.Context, rel Relation) (*Schema, *Place, error)
}

// Borrower is a source that also reads the relations that have a Place.
type Borrower interface {
	Source
	// Borrows says why it cannot read a table of a format as it is; nil if it can.
	Borrows(format string, table *Schema) error
}

package source

import "context"

// Preparer is a source that can describe many relations in less time than one
// after the other.
type Preparer interface {
	Source
	// Prepare makes the next Schema of each relation fast. It can leave out any of
	// them, and those with an error: their Schema says what is wrong.
	Prepare(ctx context.Context, rels []Relation)
}

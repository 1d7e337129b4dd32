package listed

import (
	"context"
	"strings"

	"github.com/agnes-data/da/source"
)

// Lent is the Plan of a table that other engines can read by themselves.
type Lent interface {
	Plan
	// Lend is the table's folder below the root, and the number of the version that its
	// Files are of; ok is false if it has no rows.
	Lend() (folder string, version int64, ok bool, err error)
}

var _ source.Lender = (*Source)(nil)

// Lend implements source.Lender.
func (s *Source) Lend(ctx context.Context, rel source.Relation) (*source.Schema, *source.Place, error) {
	type lent struct {
		schema *source.Schema
		place  *source.Place
	}
	l, err := with(ctx, s, func(r *Request) (l lent, err error) {
		t, err := s.table(ctx, r, rel)
		if err != nil {
			return l, err
		}
		if l.schema, err = s.schema(ctx, r, t, rel); err != nil {
			return l, err
		}
		name, _, err := s.format.Split(r.Root, rel.Name)
		if err != nil {
			return l, err
		}
		plan, ok := t.Plan.(Lent)
		if !ok {
			return l, Refused("no other engine reads it")
		}
		folder, version, ok, err := plan.Lend()
		if ok && err == nil {
			l.place = &source.Place{Format: s.format.Name(), URL: folder, Name: strings.ReplaceAll(name, "/", "."), Version: version}
		}
		return l, err
	})
	return l.schema, l.place, err
}

package postgres

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agnes-data/da/statement"
)

// place is the position in the checked text of a node of the rewritten statement.
type place struct {
	at   int // in bytes
	name string
}

// Locate adds to the details of an error the position in the checked text that
// corresponds to the engine's position in the rewritten statement, counted in
// characters from 1. It returns the column at that position, if there is one. It
// adds nothing if the position is not known exactly, for example inside a
// subquery that replaces a table.
func (s *Select) Locate(details map[string]any, position int) (column string) {
	if position < 1 {
		return ""
	}
	p, ok := s.places[offset(s.written, position-1)]
	if !ok {
		return ""
	}
	statement.Locate(details, s.walk.sql, p.at)
	return p.name
}

// mirror records the original positions of the nodes of the rewritten statement,
// by walking both trees in parallel as far as they are alike. Subqueries that
// replace tables have no original position.
func (s *Select) mirror(written, checked protoreflect.Message, tables map[*pg.Node]bool) {
	if node, ok := checked.Interface().(*pg.Node); ok && tables[node] {
		return
	}
	if written.Descriptor() != checked.Descriptor() {
		return
	}
	to := written.Descriptor().Fields().ByName("location")
	if to != nil && written.Get(to).Int() > 0 && checked.Get(to).Int() > 0 {
		p := place{at: int(checked.Get(to).Int())}
		if c, ok := checked.Interface().(*pg.ColumnRef); ok && len(c.Fields) > 0 {
			p.name = c.Fields[len(c.Fields)-1].GetString_().GetSval()
		}
		s.places[int(written.Get(to).Int())] = p // of nodes at the same position, the innermost
	}
	for f, v := range set(checked) {
		switch {
		case f.Kind() != protoreflect.MessageKind || !written.Has(f):
		case !f.IsList():
			s.mirror(written.Get(f).Message(), v.Message(), tables)
		case v.List().Len() == written.Get(f).List().Len():
			for i := range v.List().Len() {
				s.mirror(written.Get(f).List().Get(i).Message(), v.List().Get(i).Message(), tables)
			}
		}
	}
}

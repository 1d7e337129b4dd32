package postgres

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agnes-data/da/statement"
)

// place is where a node of the written statement was in the checked text.
type place struct {
	at   int // in bytes
	name string
}

// Locate adds to the details of an error the place in the checked text of what
// the engine names by a position in the statement that Rewrite wrote, counted in
// characters from 1. It returns the column that is there, if there is one, and
// adds nothing for a place that is not known exactly, as inside a subquery that
// stands for a table.
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

// mirror notes where the nodes of what was written were before, going through
// both trees together as far as they are alike. What stands for a table was
// nowhere.
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
		s.places[int(written.Get(to).Int())] = p // of nodes that begin in one place, the innermost
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

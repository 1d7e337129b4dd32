package predicate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// Schema lists the columns of a relation and their types. It is immutable and can
// be shared.
type Schema struct {
	d       *traits
	table   string // a qualifier for the relation itself; may be empty
	columns []Field
	pseudo  int            // how many of the last columns are pseudo-columns
	byName  map[string]int // folded name → index; -1 if several share it
	// nodes are the columns as parts of predicates, which share them.
	nodes []Column
}

// NewSchema parses the columns' type names in the dialect. An unknown type
// becomes KindUnknown, which is not an error.
func NewSchema(d Dialect, cols []api.Column) (*Schema, error) {
	s := &Schema{d: d.traits(), columns: make([]Field, 0, len(cols))}
	for _, c := range cols {
		if strings.IndexByte(c.Name, 0) >= 0 || c.Name == "" {
			return nil, &api.Error{Code: api.CodeSource, Kind: api.SourceBadColumn, Message: "a column of the table has a name that no query can hold"}
		}
		s.columns = append(s.columns, Field{Name: c.Name, Type: columnType(s.d, c, 0)})
	}
	s.index()
	return s, nil
}

// Named returns the schema with a name that predicates can use to qualify
// columns, as in orders.amount.
func (s *Schema) Named(table string) *Schema {
	c := *s
	c.table = table
	return &c
}

// WithPseudoColumns adds columns that predicates and orders can use
// (_PARTITIONTIME and _PARTITIONDATE of BigQuery). They cannot be selected and
// are never suggested.
func (s *Schema) WithPseudoColumns(cols []api.Column) *Schema {
	c := *s
	c.columns = append([]Field(nil), s.columns...)
	for _, p := range cols {
		c.columns = append(c.columns, Field{Name: p.Name, Type: columnType(s.d, p, 0)})
	}
	c.pseudo = s.pseudo + len(cols)
	c.index()
	return &c
}

// Columns returns the selectable columns with their types, in table order. The
// caller must not change them.
func (s *Schema) Columns() []Field { return s.columns[:len(s.columns)-s.pseudo] }

func (s *Schema) index() {
	s.byName = make(map[string]int, len(s.columns))
	s.nodes = make([]Column, len(s.columns))
	for i, c := range s.columns {
		s.nodes[i] = Column{Name: c.Name, T: c.Type, As: s.d.valueSense(c.Type)}
		key := s.d.foldName(c.Name)
		if _, ok := s.byName[key]; ok {
			i = -1
		}
		s.byName[key] = i
	}
}

// lookup finds a column by the name as written; nil if there is none.
func (s *Schema) lookup(name string, quoted bool) *Column {
	if s.d.lowerNames && !quoted {
		name = asciiLower(name)
	}
	i, ok := s.byName[s.d.foldName(name)]
	if !ok {
		return nil
	}
	if i >= 0 {
		return &s.nodes[i]
	}
	for i := range s.nodes {
		if s.nodes[i].Name == name {
			return &s.nodes[i]
		}
	}
	return nil
}

func asciiLower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] >= 'A' && b[j] <= 'Z' {
					b[j] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// unquoted adds to a syntax error that the text contains the name of a column
// that must be quoted.
func (s *Schema) unquoted(err error, text string) error {
	var f *fault
	if !errors.As(err, &f) || f.kind != RejectSyntax || f.hint != "" {
		return err
	}
	for _, c := range s.columns {
		at := strings.Index(asciiLower(text), asciiLower(c.Name))
		if at < 0 || isPlainName(c.Name) || at > 0 && strings.IndexByte("\"`'", text[at-1]) >= 0 {
			continue
		}
		f.hint = fmt.Sprintf("A name with spaces or signs is written in quotes: %s.", s.d.quoteIdent(clip(c.Name)))
		f.suggestions = []string{c.Name}
		break
	}
	return f
}

// isPlainName reports whether a name needs no quotes, apart from reserved words.
func isPlainName(name string) bool {
	for i := range len(name) {
		if !isWordByte(name[i]) && name[i] < 0x80 {
			return false
		}
	}
	return name != ""
}

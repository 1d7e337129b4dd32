package predicate

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// Schema lists the columns of a relation and their types. It is immutable and can
// be shared.
type Schema struct {
	d       *Traits
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
	s := &Schema{d: d.Traits(), columns: make([]Field, 0, len(cols))}
	for _, c := range cols {
		if strings.IndexByte(c.Name, 0) >= 0 || c.Name == "" {
			return nil, &api.Error{Code: api.CodeSource, Kind: api.KindBadColumn, Message: "a column of the table has a name that no query can hold"}
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
		name = syntax.Lower(name)
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

// unquoted changes the hint of a fault whose place is within the name of a column
// that was written without the quotes that it needs.
func (s *Schema) unquoted(err error, text string) {
	var f *syntax.Fault
	if !errors.As(err, &f) || f.At < 0 || aboutValues[f.Kind] {
		return
	}
	longest, at := "", placeIn(text, f.At)
	for _, c := range s.columns {
		if len(c.Name) > len(longest) && !s.d.IsWord(c.Name) && at.within(c.Name) {
			longest = c.Name
		}
	}
	if longest != "" {
		f.Hint = fmt.Sprintf("A name with spaces or signs is written in quotes: %s.", s.d.QuoteIdent(syntax.Clip(longest)))
		f.Suggestions = []string{longest}
	}
}

// aboutValues are the faults of texts whose names were all understood.
var aboutValues = map[string]bool{
	api.KindTooLong: true, api.KindTooDeep: true, api.KindTypeMismatch: true, api.KindNotBoolean: true, api.KindWrongArity: true,
	api.KindBadCast: true, api.KindBadLiteral: true, api.KindBytesLiteralRaw: true, api.KindNotPortable: true,
}

// place is where a text was not understood.
type place struct {
	text   string // in lower case
	at     int
	before int    // where the text before at ends, without the space behind it
	quoted []bool // the bytes up to at that are within quotes
}

func placeIn(text string, at int) place {
	at = min(at, len(text))
	p := place{syntax.Lower(text), at, len(strings.TrimRight(text[:at], " \t\r\n")), make([]bool, at+1)}
	var quote byte
	for i := range min(at+1, len(text)) {
		p.quoted[i] = quote != 0
		switch c := text[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"' || c == '`'):
			quote = c
		}
	}
	return p
}

// within reports whether the place is in the name or directly behind it.
func (p place) within(name string) bool {
	name = syntax.Lower(name)
	starts := func(from, to int) bool {
		for i := max(from, 0); i <= to; i++ {
			end := i + len(name)
			if strings.HasPrefix(p.text[i:], name) && !p.quoted[i] && !(i > 0 && joined(p.text[i-1], p.text[i])) &&
				!(end < len(p.text) && joined(p.text[end-1], p.text[end])) {
				return true
			}
		}
		return false
	}
	return name != "" && (starts(p.before-len(name), p.before) || starts(p.at-len(name), p.at))
}

// joined reports whether two bytes belong to one word.
func joined(a, b byte) bool {
	inWord := func(c byte) bool { return syntax.IsWordByte(c) || c >= utf8.RuneSelf }
	return inWord(a) && inWord(b)
}

// written is a name as it has to be written in the dialect: in quotes where it
// would be read as something else without them.
func (d *Traits) written(name string) string {
	if d.IsWord(name) && !d.Reserved[syntax.Lower(name)] && (!d.lowerNames || name == syntax.Lower(name)) {
		return name
	}
	return d.QuoteIdent(name)
}

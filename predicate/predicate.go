package predicate

import (
	"fmt"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// Parse parses a predicate in the dialect and checks it against the schema.
// Errors are *api.Error with CodeRejected and one of the reject kinds.
func Parse(d Dialect, text string, s *Schema) (Expr, error) {
	if err := checkDialect(d, s); err != nil {
		return nil, err
	}
	var e Expr
	err := syntax.Parse(s.d.Dialect, text, s.d.missing, func(n *syntax.Node) (err error) {
		c := &checker{d: s.d, s: s, src: text}
		e, err = c.condition(n, "")
		return err
	})
	if err != nil {
		return nil, s.rejected(err, text)
	}
	return e, nil
}

// checkDialect rejects dialects that cannot be parsed.
func checkDialect(d Dialect, s *Schema) error {
	if !d.Traits().parsed {
		return &api.Error{Code: api.CodeRejected, Kind: api.KindNotPortable,
			Message: "predicates can't be written in the dialect " + syntax.Clip(string(d))}
	}
	if s == nil || s.d.Name != d {
		return &api.Error{Code: api.CodeInternal, Message: "the schema was read in another dialect"}
	}
	return nil
}

// rejected is the error of a text that was parsed with the schema.
func (s *Schema) rejected(err error, text string) error {
	s.unquoted(err, text)
	return syntax.Rejected(err, text)
}

// ParseColumn resolves an item of a select list to a column of the schema: first
// as an exact name, then as an identifier of the dialect, quoted or not.
func ParseColumn(d Dialect, item string, s *Schema) (string, error) {
	if err := checkDialect(d, s); err != nil {
		return "", err
	}
	for _, c := range s.Columns() {
		if c.Name == item {
			return c.Name, nil
		}
	}
	t, err := syntax.ParseColumn(s.d.Dialect, item, s.table)
	if err != nil {
		return "", s.rejected(err, item)
	}
	name, err := s.item(item, t, false)
	if err != nil {
		return "", s.rejected(err, item)
	}
	return name, nil
}

// item resolves a column of a list. Orders can use a pseudo-column, select lists
// cannot.
func (s *Schema) item(src string, t syntax.Token, pseudo bool) (string, error) {
	col := s.lookup(t.Text, t.Kind == syntax.TokenQuoted)
	if col != nil && !pseudo && s.isPseudo(col.Name) {
		return "", &syntax.Fault{Kind: api.KindUnknownColumn, At: t.At, Found: syntax.Clip(t.Text), Expected: "a column of this table",
			Name: t.Text,
			Msg:  fmt.Sprintf("%s can be filtered and ordered by, but not selected: a result cannot have a column of that name", col.Name),
			Hint: "Leave it out of the columns; a predicate on it chooses partitions."}
	}
	if col == nil {
		c := &checker{d: s.d, s: s, src: src}
		return "", c.unknownColumn(t)
	}
	return col.Name, nil
}

func (s *Schema) isPseudo(name string) bool {
	return slices.ContainsFunc(s.columns[len(s.columns)-s.pseudo:], func(c Field) bool { return c.Name == name })
}

// ParseOrder parses "column [ASC|DESC] [NULLS FIRST|LAST]". If NULLs are not
// mentioned, the result has the dialect's default.
func ParseOrder(d Dialect, item string, s *Schema) (Order, error) {
	if err := checkDialect(d, s); err != nil {
		return Order{}, err
	}
	if name, err := ParseColumn(d, item, s); err == nil {
		return s.checkOrder(Order{Column: name, NullsFirst: d.Traits().nullsFirst(false)}, item)
	}
	term, err := syntax.ParseOrder(s.d.Dialect, item, s.table)
	if err != nil {
		return Order{}, s.rejected(err, item)
	}
	o := Order{Desc: term.Desc, NullsFirst: term.Nulls == "first" || term.Nulls == "" && s.d.nullsFirst(term.Desc)}
	if o.Column, err = s.item(item, term.Column, true); err != nil {
		return o, s.rejected(err, item)
	}
	return s.checkOrder(o, item)
}

// checkOrder rejects columns that have no order.
func (s *Schema) checkOrder(o Order, item string) (Order, error) {
	for _, c := range s.columns {
		if c.Name == o.Column && !c.Type.ordered() {
			return Order{}, (&syntax.Fault{Kind: api.KindTypeMismatch, At: 0, Found: c.Type.String(), Expected: "a column of simple values",
				Name: c.Name, Msg: "rows can't be ordered by " + syntax.Clip(c.Name) + ": it is " + c.Type.describe()}).Reject(item)
		}
	}
	return o, nil
}

// And combines two predicates; nil means all rows.
func And(a, b Expr) Expr {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var terms []Expr
	for _, e := range []Expr{a, b} {
		if l, ok := e.(*Logic); ok && l.Op == OpAnd {
			terms = append(terms, l.Terms...)
		} else {
			terms = append(terms, e)
		}
	}
	return &Logic{Op: OpAnd, Terms: terms}
}

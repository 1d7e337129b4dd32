package predicate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// Parse parses a predicate in the dialect and checks it against the schema.
// Errors are *api.Error with CodeRejected and one of the reject kinds.
func Parse(d Dialect, text string, s *Schema) (Expr, error) {
	if err := known(d, s); err != nil {
		return nil, err
	}
	p, err := newParser(s.d, text)
	if err != nil {
		return nil, s.rejected(err, text)
	}
	defer p.release()
	n, err := p.predicate()
	if err != nil {
		return nil, s.rejected(err, text)
	}
	c := &checker{d: s.d, s: s, src: text}
	e, err := c.condition(n, "")
	if err != nil {
		return nil, s.rejected(err, text)
	}
	return e, nil
}

// known rejects dialects that cannot be parsed.
func known(d Dialect, s *Schema) error {
	if !d.traits().parsed {
		return &api.Error{Code: api.CodeRejected, Kind: api.KindNotPortable, Message: "predicates can't be written in the dialect " + clip(string(d))}
	}
	if s == nil || s.d.name != d {
		return &api.Error{Code: api.CodeInternal, Message: "the schema was read in another dialect"}
	}
	return nil
}

func rejected(err error, text string) error {
	var f *fault
	if errors.As(err, &f) {
		return f.reject(text)
	}
	return &api.Error{Code: api.CodeInternal, Message: "the predicate could not be checked", Err: err}
}

// rejected is the error of a text that was parsed with the schema.
func (s *Schema) rejected(err error, text string) error {
	s.unquoted(err, text)
	return rejected(err, text)
}

// ParseColumn resolves an item of a select list to a column of the schema: first
// as an exact name, then as an identifier of the dialect, quoted or not.
func ParseColumn(d Dialect, item string, s *Schema) (string, error) {
	if err := known(d, s); err != nil {
		return "", err
	}
	for _, c := range s.Columns() {
		if c.Name == item {
			return c.Name, nil
		}
	}
	p, err := newParser(d.traits(), item)
	if err != nil {
		return "", s.rejected(err, item)
	}
	defer p.release()
	name, err := p.columnItem(s, false)
	if err == nil && p.cur().kind != tokEOF {
		err = p.unexpected("the end of the column's name")
	}
	if err != nil {
		return "", s.rejected(err, item)
	}
	return name, nil
}

// columnItem parses one column of the schema, optionally qualified by the table.
// Orders can use a pseudo-column, select lists cannot.
func (p *parser) columnItem(s *Schema, pseudo bool) (string, error) {
	t := p.cur()
	if t.op("*") {
		return "", star(t.at, pseudo)
	}
	if t.kind == tokString && t.double {
		return "", &fault{kind: api.KindSyntaxError, at: t.at, found: "a text", expected: "a column", msg: "double quotes make text in " + p.d.title,
			hint: "A column is written " + p.d.quoteIdent(clip(t.text)) + "."}
	}
	if t.kind != tokWord && t.kind != tokQuoted {
		return "", p.unexpected("the name of a column")
	}
	p.at++
	if p.isOp(".") && s.table != "" && strings.EqualFold(t.text, s.table) {
		p.at++
		if t = p.cur(); t.op("*") {
			return "", star(t.at, pseudo)
		}
		p.at++
	}
	if p.isOp("(") || p.isOp(".") {
		return "", p.unexpected("the end of the column's name")
	}
	col := s.lookup(t.text, t.kind == tokQuoted)
	if col != nil && !pseudo && s.isPseudo(col.Name) {
		return "", &fault{kind: api.KindUnknownColumn, at: t.at, found: clip(t.text), expected: "a column of this table", name: t.text,
			msg:  fmt.Sprintf("%s can be filtered and ordered by, but not selected: a result cannot have a column of that name", col.Name),
			hint: "Leave it out of the columns; a predicate on it chooses partitions."}
	}
	if col == nil {
		c := &checker{d: p.d, s: s, src: p.src}
		return "", c.unknownColumn(*t)
	}
	return col.Name, nil
}

// star refuses a star in a list of columns.
func star(at int, order bool) error {
	f := &fault{kind: api.KindWildcardExpansion, at: at, found: "*", expected: "the name of a column", msg: "'*' is not a column name",
		hint: "Name the columns that you want, or none to get all of them."}
	if order {
		f.hint = "Name the columns to order by."
	}
	return f
}

func (s *Schema) isPseudo(name string) bool {
	for _, c := range s.columns[len(s.columns)-s.pseudo:] {
		if c.Name == name {
			return true
		}
	}
	return false
}

// ParseOrder parses "column [ASC|DESC] [NULLS FIRST|LAST]". If NULLs are not
// mentioned, the result has the dialect's default.
func ParseOrder(d Dialect, item string, s *Schema) (Order, error) {
	if err := known(d, s); err != nil {
		return Order{}, err
	}
	if name, err := ParseColumn(d, item, s); err == nil {
		return s.checkOrder(Order{Column: name, NullsFirst: d.traits().nullsFirst(false)}, item)
	}
	p, err := newParser(d.traits(), item)
	if err != nil {
		return Order{}, s.rejected(err, item)
	}
	defer p.release()
	var o Order
	if o.Column, err = p.columnItem(s, true); err != nil {
		return o, s.rejected(err, item)
	}
	if !p.eatWord("asc") {
		o.Desc = p.eatWord("desc")
	}
	o.NullsFirst = p.d.nullsFirst(o.Desc)
	if p.eatWord("nulls") {
		o.NullsFirst = p.eatWord("first")
		if !o.NullsFirst && !p.eatWord("last") {
			return o, s.rejected(p.unexpected("FIRST or LAST"), item)
		}
	}
	if p.cur().kind != tokEOF {
		return o, s.rejected(p.unexpected("ASC, DESC, NULLS FIRST or NULLS LAST"), item)
	}
	return s.checkOrder(o, item)
}

// checkOrder rejects columns that have no order.
func (s *Schema) checkOrder(o Order, item string) (Order, error) {
	for _, c := range s.columns {
		if c.Name == o.Column && !c.Type.ordered() {
			return Order{}, (&fault{kind: api.KindTypeMismatch, at: 0, found: c.Type.String(), expected: "a column of simple values", name: c.Name,
				msg: "rows can't be ordered by " + clip(c.Name) + ": it is " + c.Type.describe()}).reject(item)
		}
	}
	return o, nil
}

// PrintOrder returns the terms of an ORDER BY, without these words. Each column
// is qualified by table, which is written unchanged, unless table is empty.
func PrintOrder(d Dialect, table string, o []Order) string {
	dialect := d.traits()
	terms := make([]string, 0, len(o))
	for _, t := range o {
		column, desc := dialect.quoteIdent(t.Column), ""
		if table != "" {
			column = table + "." + column
		}
		if t.Desc {
			desc = " DESC"
		}
		switch {
		case !dialect.nullsOrder && t.NullsFirst:
			terms = append(terms, column+" IS NULL DESC", column+desc)
		case !dialect.nullsOrder:
			terms = append(terms, column+" IS NULL", column+desc)
		case t.NullsFirst:
			terms = append(terms, column+desc+" NULLS FIRST")
		default:
			terms = append(terms, column+desc+" NULLS LAST")
		}
	}
	return strings.Join(terms, ", ")
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

package predicate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// path checks a column and the fields and elements behind it.
func (c *checker) path(n *node) (Expr, error) {
	switch n.kind {
	case nName:
		return c.name(n)
	case nField:
		x, err := c.expr(n.args[0])
		if err != nil {
			return nil, err
		}
		return c.field(x, n.text, n.end-len(n.text))
	}
	x, err := c.expr(n.args[0])
	if err != nil {
		return nil, err
	}
	return c.element(x, n)
}

// within says how a part of a value is tested that has neither elements nor fields.
func within(t Type) string {
	switch t.Kind {
	case KindString:
		return "Write substr(x, 1, 1) for the first letter."
	case KindMap, KindJSON:
		return "Fetch the column, and look into it in a query over the snapshot."
	}
	return ""
}

// name resolves a dotted name: a column first, then the relation itself.
func (c *checker) name(n *node) (Expr, error) {
	first := n.names[0]
	rest := n.names[1:]
	if c.d.clocksHideColumns && len(rest) == 0 && first.kind == tokWord && c.d.clockWords[asciiLower(first.text)] {
		// There the function hides a column of its name.
		return c.call(n, asciiLower(first.text), nil)
	}
	col := c.s.lookup(first.text, first.kind == tokQuoted)
	if col == nil && len(rest) > 0 && c.s.table != "" && strings.EqualFold(first.text, c.s.table) {
		first, rest = rest[0], rest[1:]
		col = c.s.lookup(first.text, first.kind == tokQuoted)
	} else if col == nil && len(rest) > 0 {
		return nil, &fault{kind: api.KindCrossTableRef, at: first.at, found: clip(first.text), expected: "a column of this table",
			name: first.text, suggestions: c.s.near(first.text),
			msg:  fmt.Sprintf("%s is neither a column nor the name of this table", clip(first.text)),
			hint: didYouMean(c.d.writtenAll(c.s.near(first.text)), "A predicate sees the columns of one table; write them without a prefix.")}
	}
	if col == nil {
		if first.kind == tokWord && len(n.names) == 1 && c.d.clockWords[asciiLower(first.text)] {
			return c.call(n, asciiLower(first.text), nil)
		}
		return nil, c.unknownColumn(first)
	}
	var e Expr = col
	var err error
	for _, f := range rest {
		if e, err = c.field(e, f.text, f.at); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (c *checker) unknownColumn(t token) error {
	near := c.s.near(t.text)
	f := &fault{kind: api.KindUnknownColumn, at: t.at, found: clip(t.text), expected: "a column of this table", name: t.text, suggestions: near,
		msg: fmt.Sprintf("there is no column %s", clip(t.text)), hint: didYouMean(c.d.writtenAll(near), "")}
	if c.d.lowerNames && t.kind == tokWord && len(near) > 0 && strings.EqualFold(near[0], t.text) {
		f.hint = fmt.Sprintf("Names without quotes are read in lower case: write %s.", c.d.quoteIdent(near[0]))
	}
	if t.kind == tokWord && f.hint == "" {
		f.hint = cmp.Or(c.notFinite(t.text), c.hasColumns())
	}
	if t.kind == tokQuoted && !c.d.backtickNames {
		f.hint = didYouMean(c.d.writtenAll(near), fmt.Sprintf("Double quotes name a column here; a text is written '%s'.", clip(t.text)))
	}
	return f
}

// hasColumns names the columns of a table that has few.
func (c *checker) hasColumns() string {
	const few = 20
	columns := c.s.Columns()
	if len(columns) == 0 || len(columns) > few {
		return "A text is written in single quotes, as in 'abc'."
	}
	names := make([]string, len(columns))
	for i, col := range columns {
		names[i] = col.Name
	}
	return "The columns are " + strings.Join(c.d.writtenAll(names), ", ") + "; a text is written in single quotes."
}

// writtenAll writes names for a hint.
func (d *traits) writtenAll(list []string) []string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = d.written(name)
	}
	return out
}

// DidYouMean offers an engine's names as its statements write them; it is empty
// without names. A name with a dot is a table and its column, unless it is one of
// the columns.
func DidYouMean(d Dialect, names, columns []string) string {
	near, w := make([]string, len(names)), d.traits()
	for i, name := range names {
		table, column, dotted := strings.Cut(name, ".")
		if near[i] = w.written(name); dotted && !slices.Contains(columns, name) {
			near[i] = w.written(table) + "." + w.written(column)
		}
	}
	return didYouMean(near, "")
}

func didYouMean(near []string, other string) string {
	if len(near) == 0 {
		return other
	}
	return strings.TrimSpace(fmt.Sprintf("Did you mean %s? %s", strings.Join(near, " or "), other))
}

// field steps into a struct.
func (c *checker) field(x Expr, name string, at int) (Expr, error) {
	t := x.Type()
	col, ok := x.(*Column)
	if !ok || t.Kind != KindStruct {
		return nil, &fault{kind: api.KindUnknownField, at: at, found: clip(name), name: name,
			msg: fmt.Sprintf("%s can't be looked up here: the dot follows %s", clip(name), t.describe()), hint: within(t)}
	}
	for exact := 1; exact >= 0; exact-- {
		for _, f := range t.Fields {
			if f.Name == name || exact == 0 && !c.d.lowerNames && strings.EqualFold(f.Name, name) {
				path := append(append([]Step(nil), col.Path...), Step{Field: f.Name})
				return &Column{Name: col.Name, Path: path, T: f.Type, As: c.d.valueSense(f.Type)}, nil
			}
		}
	}
	names := make([]string, 0, len(t.Fields))
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	near := suggest.Near(name, names)
	return nil, &fault{kind: api.KindUnknownField, at: at, found: clip(name), expected: "a field of " + clip(col.Name), name: name, suggestions: near,
		msg: fmt.Sprintf("%s has no field %s", clip(col.Name), clip(name)), hint: didYouMean(c.d.writtenAll(near), "It has "+clip(strings.Join(names, ", "))+".")}
}

// element steps into a list, by a number that is written out.
func (c *checker) element(x Expr, n *node) (Expr, error) {
	col, ok := x.(*Column)
	t := x.Type()
	index := n.args[1]
	if ok && t.Kind == KindStruct && index.kind == nString && c.d.fieldSubscript {
		return c.field(x, index.text, index.at)
	}
	if !ok || t.Kind != KindList || t.Elem == nil {
		return nil, &fault{kind: api.KindBadSubscript, at: n.at, found: t.String(), expected: "a list",
			msg: fmt.Sprintf("only a column of lists has elements, this is %s", t.describe()), hint: within(t)}
	}
	step, err := c.subscript(index)
	if err != nil {
		return nil, err
	}
	path := append(append([]Step(nil), col.Path...), step)
	return &Column{Name: col.Name, Path: path, T: *t.Elem, As: c.d.valueSense(*t.Elem)}, nil
}

func (c *checker) subscript(index *node) (Step, error) {
	mode, at := c.d.subscript, index
	if named, ok := c.d.subscriptFunctions[index.text]; ok && index.kind == nCall && len(index.args) == 1 {
		mode, index = named, index.args[0]
	}
	if index.kind != nNumber && !(index.kind == nUnary && index.args[0].kind == nNumber) {
		return Step{}, badSubscript(c.d, at.at, c.snippet(at))
	}
	e, err := c.expr(index)
	if err != nil {
		return Step{}, err
	}
	i, ok := e.(*Literal).Value.(int64)
	if !ok || i > 1<<31-1 || i < -(1<<31) {
		return Step{}, badSubscript(c.d, at.at, c.snippet(at))
	}
	return Step{Index: i, Mode: mode}, nil
}

// near suggests columns for an unknown name. The schema has only names that the
// caller can see.
func (s *Schema) near(name string) []string {
	names := make([]string, 0, len(s.columns))
	for _, c := range s.Columns() {
		names = append(names, c.Name)
	}
	return suggest.Near(name, names)
}

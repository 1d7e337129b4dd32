package predicate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate/syntax"
)

// path checks a column and the fields and elements behind it.
func (c *checker) path(n *syntax.Node) (Expr, error) {
	switch n.Kind {
	case syntax.Name:
		return c.name(n)
	case syntax.Field:
		x, err := c.expr(n.Args[0])
		if err != nil {
			return nil, err
		}
		return c.field(x, n.Text, n.End-len(n.Text))
	}
	x, err := c.expr(n.Args[0])
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
func (c *checker) name(n *syntax.Node) (Expr, error) {
	first := n.Names[0]
	rest := n.Names[1:]
	if c.d.clocksHideColumns && len(rest) == 0 && first.Kind == syntax.TokenWord && c.d.ClockWords[syntax.Lower(first.Text)] {
		// There the function hides a column of its name.
		return c.call(n, syntax.Lower(first.Text), nil)
	}
	col := c.s.lookup(first.Text, first.Kind == syntax.TokenQuoted)
	if col == nil && len(rest) > 0 && c.s.table != "" && strings.EqualFold(first.Text, c.s.table) {
		first, rest = rest[0], rest[1:]
		col = c.s.lookup(first.Text, first.Kind == syntax.TokenQuoted)
	} else if col == nil && len(rest) > 0 {
		return nil, &syntax.Fault{Kind: api.KindCrossTableRef, At: first.At, Found: syntax.Clip(first.Text), Expected: "a column of this table",
			Name: first.Text, Suggestions: c.s.near(first.Text),
			Msg:  fmt.Sprintf("%s is neither a column nor the name of this table", syntax.Clip(first.Text)),
			Hint: didYouMean(c.d.writtenAll(c.s.near(first.Text)), "A predicate sees the columns of one table; write them without a prefix.")}
	}
	if col == nil {
		if first.Kind == syntax.TokenWord && len(n.Names) == 1 && c.d.ClockWords[syntax.Lower(first.Text)] {
			return c.call(n, syntax.Lower(first.Text), nil)
		}
		return nil, c.unknownColumn(first)
	}
	var e Expr = col
	var err error
	for _, f := range rest {
		if e, err = c.field(e, f.Text, f.At); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (c *checker) unknownColumn(t syntax.Token) error {
	near := c.s.near(t.Text)
	f := &syntax.Fault{Kind: api.KindUnknownColumn, At: t.At, Found: syntax.Clip(t.Text), Expected: "a column of this table", Name: t.Text,
		Suggestions: near, Msg: fmt.Sprintf("there is no column %s", syntax.Clip(t.Text)), Hint: didYouMean(c.d.writtenAll(near), "")}
	if c.d.lowerNames && t.Kind == syntax.TokenWord && len(near) > 0 && strings.EqualFold(near[0], t.Text) {
		f.Hint = fmt.Sprintf("Names without quotes are read in lower case: write %s.", c.d.QuoteIdent(near[0]))
	}
	if t.Kind == syntax.TokenWord && f.Hint == "" {
		f.Hint = cmp.Or(c.notFinite(t.Text), c.hasColumns())
	}
	if t.Kind == syntax.TokenQuoted && !c.d.BacktickNames {
		f.Hint = didYouMean(c.d.writtenAll(near), fmt.Sprintf("Double quotes name a column here; a text is written '%s'.", syntax.Clip(t.Text)))
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
func (d *Traits) writtenAll(list []string) []string {
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
	near, w := make([]string, len(names)), d.Traits()
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
		return nil, &syntax.Fault{Kind: api.KindUnknownField, At: at, Found: syntax.Clip(name), Name: name,
			Msg: fmt.Sprintf("%s can't be looked up here: the dot follows %s", syntax.Clip(name), t.describe()), Hint: within(t)}
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
	return nil, &syntax.Fault{Kind: api.KindUnknownField, At: at, Found: syntax.Clip(name), Expected: "a field of " + syntax.Clip(col.Name),
		Name: name, Suggestions: near,
		Msg:  fmt.Sprintf("%s has no field %s", syntax.Clip(col.Name), syntax.Clip(name)),
		Hint: didYouMean(c.d.writtenAll(near), "It has "+syntax.Clip(strings.Join(names, ", "))+".")}
}

// element steps into a list, by a number that is written out.
func (c *checker) element(x Expr, n *syntax.Node) (Expr, error) {
	col, ok := x.(*Column)
	t := x.Type()
	index := n.Args[1]
	if ok && t.Kind == KindStruct && index.Kind == syntax.String && c.d.fieldSubscript {
		return c.field(x, index.Text, index.At)
	}
	if !ok || t.Kind != KindList || t.Elem == nil {
		return nil, &syntax.Fault{Kind: api.KindBadSubscript, At: n.At, Found: t.String(), Expected: "a list",
			Msg: fmt.Sprintf("only a column of lists has elements, this is %s", t.describe()), Hint: within(t)}
	}
	step, err := c.subscript(index)
	if err != nil {
		return nil, err
	}
	path := append(append([]Step(nil), col.Path...), step)
	return &Column{Name: col.Name, Path: path, T: *t.Elem, As: c.d.valueSense(*t.Elem)}, nil
}

func (c *checker) subscript(index *syntax.Node) (Step, error) {
	mode, at := c.d.subscript, index
	if named, ok := c.d.subscriptFunctions[index.Text]; ok && index.Kind == syntax.Call && len(index.Args) == 1 {
		mode, index = named, index.Args[0]
	}
	if index.Kind != syntax.Number && !(index.Kind == syntax.Unary && index.Args[0].Kind == syntax.Number) {
		return Step{}, c.d.BadSubscript(at.At, c.snippet(at))
	}
	e, err := c.expr(index)
	if err != nil {
		return Step{}, err
	}
	i, ok := e.(*Literal).Value.(int64)
	if !ok || i > 1<<31-1 || i < -(1<<31) {
		return Step{}, c.d.BadSubscript(at.At, c.snippet(at))
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

package predicate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/growth"
	"github.com/agnes-data/da/predicate/syntax"
)

// grown lists the operations whose text size internal/guard/growth knows under a
// function name that differs from the operation's.
var grown = []string{"regexp_replace", "replace", "regexp"}

// bounded rejects a call that may build a long text for each row, because no
// engine's memory limit covers such texts. It caches sizes, so that nothing is
// computed twice.
func (c *checker) bounded(n *syntax.Node, name string, call *Call) error {
	if k := call.T.Kind; k != KindString && k != KindBytes && !strings.HasPrefix(call.Op.ID, "regexp") {
		return nil
	}
	args := make([]growth.Arg, len(call.Args))
	for i, a := range call.Args {
		args[i] = growth.Arg{Size: growth.Size{Text: c.textOf(a)}}
		if l, ok := a.(*Literal); ok {
			args[i].Literal = true
			args[i].Written, _ = l.Value.(string)
		}
	}
	text := growth.Call(name, args).Text
	if i := slices.IndexFunc(grown, func(g string) bool { return strings.HasPrefix(call.Op.ID, g) }); i >= 0 {
		text = growth.Call(grown[i], args).Text
	}
	if text > growth.MaxText {
		f := &syntax.Fault{Kind: api.KindTooLong, At: n.At, Found: fmt.Sprintf("a text of more than %d MiB for each row", growth.MaxText>>20),
			Expected: "texts with a small bound", Function: strings.ToUpper(name),
			Msg:  fmt.Sprintf("%s may make a very long text of each row", strings.ToUpper(name)),
			Hint: "Nest fewer functions that make texts longer; fetch the column and do this in a local query."}
		if strings.HasPrefix(call.Op.ID, "regexp") {
			f.Msg, f.Expected = fmt.Sprintf("%s works on a text that is too long here", strings.ToUpper(name)),
				fmt.Sprintf("a text of at most %d bytes beside the columns", growth.PatternText)
			f.Hint = "Apply it to the column itself."
		}
		return f
	}
	if text > growth.ColumnText {
		if c.texts == nil {
			c.texts = map[Expr]int64{}
		}
		c.texts[call] = text
	}
	return nil
}

// textOf returns an upper bound for the bytes of an expression's text.
func (c *checker) textOf(e Expr) int64 {
	switch e := e.(type) {
	case *Literal:
		if s, ok := e.Value.(string); ok {
			return int64(len(s))
		}
	case *Column:
		return growth.ColumnText
	case *Call:
		if k := e.T.Kind; k != KindString && k != KindBytes {
			return growth.ValueText
		}
		if text, ok := c.texts[e]; ok {
			return text
		}
		return growth.ColumnText
	case *Cast:
		return max(growth.ColumnText, c.textOf(e.X))
	case *Case:
		text := int64(growth.ValueText)
		for _, a := range e.Arms {
			text = max(text, c.textOf(a.Then))
		}
		if e.Else != nil {
			text = max(text, c.textOf(e.Else))
		}
		return text
	}
	return growth.ValueText
}

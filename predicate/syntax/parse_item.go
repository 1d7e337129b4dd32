package syntax

import (
	"strings"

	"github.com/agnes-data/da/api"
)

// Term is one term of an ORDER BY.
type Term struct {
	Column Token
	Desc   bool
	Nulls  string // "first", "last", or "" where it does not say
}

// ParseColumn reads the name of a column, which the name of its table can precede.
func ParseColumn(d *Dialect, text, table string) (column Token, err error) {
	err = parsing(d, text, func(p *parser) error {
		if column, err = p.column(table, false); err != nil {
			return err
		}
		return p.needEnd("the end of the column's name")
	})
	return column, err
}

// ParseOrder reads "column [ASC|DESC] [NULLS FIRST|LAST]".
func ParseOrder(d *Dialect, text, table string) (o Term, err error) {
	err = parsing(d, text, func(p *parser) error {
		if o.Column, err = p.column(table, true); err != nil {
			return err
		}
		if !p.eatWord("asc") {
			o.Desc = p.eatWord("desc")
		}
		if p.eatWord("nulls") {
			o.Nulls = Lower(p.cur().Text)
			if !p.eatWord("first") && !p.eatWord("last") {
				return p.unexpected("FIRST or LAST")
			}
		}
		return p.needEnd("ASC, DESC, NULLS FIRST or NULLS LAST")
	})
	return o, err
}

// column reads a column of a list.
func (p *parser) column(table string, order bool) (Token, error) {
	t := p.cur()
	if t.op("*") {
		return Token{}, star(t.At, order)
	}
	if t.Kind == TokenString && t.double {
		return Token{}, &Fault{Kind: api.KindSyntaxError, At: t.At, Found: "a text", Expected: "a column",
			Msg: "double quotes make text in " + p.d.Title, Hint: "A column is written " + p.d.QuoteIdent(Clip(t.Text)) + "."}
	}
	if t.Kind != TokenWord && t.Kind != TokenQuoted {
		return Token{}, p.unexpected("the name of a column")
	}
	p.at++
	if p.isOp(".") && table != "" && strings.EqualFold(t.Text, table) {
		p.at++
		if t = p.cur(); t.op("*") {
			return Token{}, star(t.At, order)
		}
		p.at++
	}
	if p.isOp("(") && !order {
		return Token{}, &Fault{Kind: api.KindSyntaxError, At: t.At, Found: Clip(t.Text),
			Msg:  Clip(t.Text) + "(…) is an expression; a fetch selects columns only",
			Hint: "Fetch the columns and compute in a query, or compute at the source.",
			Next: []api.Step{api.Do(api.ActionQuery, "compute with a snapshot"), api.Do(api.ActionQueryRemote, "compute at the source")}}
	}
	if p.isOp("(") || p.isOp(".") {
		return Token{}, p.unexpected("the end of the column's name")
	}
	return *t, nil
}

// star refuses a star in a list of columns.
func star(at int, order bool) error {
	f := &Fault{Kind: api.KindWildcardExpansion, At: at, Found: "*", Expected: "the name of a column", Msg: "'*' is not a column name",
		Hint: "Name the columns that you want, or none to get all of them."}
	if order {
		f.Hint = "Name the columns to order by."
	}
	return f
}

package reports

import (
	"bytes"
	"context"
	"errors"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/plot"
)

// Answers are those to all placeholders of a template, in their order: a Source for a
// process that runs no statements.
type Answers []Answer

// Answer is that to one placeholder: rows or a picture.
type Answer struct {
	Rows    *Rows
	Drawing *Drawing
}

// Drawing is a plot of the rows of a statement.
type Drawing struct {
	PNG     []byte
	Drawn   []figures.Drawn // what it shows
	Asked   figures.Asked
	Caveats []api.Caveat
}

// Draw draws a chart of the rows of a statement.
func Draw(c *plot.Chart) (*Drawing, error) {
	var b bytes.Buffer
	notes, err := c.PNG(&b)
	if err != nil {
		return nil, err
	}
	out := &Drawing{PNG: b.Bytes(), Caveats: append(c.Caveats, notes...)}
	left := figures.MostDrawn
	for _, s := range c.Shown() {
		if left -= len(s.Values); left >= 0 {
			out.Drawn = append(out.Drawn, figures.Drawn{Name: s.Name, Values: s.Values})
		}
	}
	return out, nil
}

// Noted describes the plot for a receipt.
func (d *Drawing) Noted(statement string) figures.Answer {
	if d == nil {
		return figures.Answer{Statement: statement}
	}
	return figures.Answer{Statement: statement, Asked: d.Asked, Caveats: d.Caveats, Drawn: d.Drawn}
}

func (d *Drawing) png() []byte {
	if d == nil {
		return nil
	}
	return d.PNG
}

// told are the caveats of an answer.
func told(rows *Rows, drawing *Drawing) []api.Caveat {
	switch {
	case rows != nil:
		return rows.Caveats
	case drawing != nil:
		return drawing.Caveats
	}
	return nil
}

// Ask answers all placeholders of a template.
func Ask(ctx context.Context, format string, all []Placeholder, from Source) (Answers, error) {
	out := Answers{}
	for _, p := range all {
		rows, drawing, err := ask(ctx, p, from, Most(format))
		if err != nil {
			return nil, p.about(err)
		}
		out = append(out, Answer{rows, drawing})
	}
	return out, nil
}

// next takes the first answer.
func (a *Answers) next() (Answer, error) {
	if len(*a) == 0 {
		return Answer{}, errors.New("the template has more placeholders than were answered")
	}
	first := (*a)[0]
	*a = (*a)[1:]
	return first, nil
}

// Rows implements Source.
func (a *Answers) Rows(context.Context, string, int) (*Rows, error) {
	next, err := a.next()
	return next.Rows, err
}

// Plot implements Source.
func (a *Answers) Plot(context.Context, plot.Kind, string) (*Drawing, error) {
	next, err := a.next()
	return next.Drawing, err
}

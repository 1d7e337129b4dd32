package reports

import (
	"context"
	"errors"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/plot"
)

// Answers are those to all placeholders of a template, in their order: a Source for a
// process that runs no statements.
type Answers []Answer

// Answer is that to one placeholder: rows or a picture.
type Answer struct {
	Rows    *Rows
	Picture []byte
	Caveats []api.Caveat // of the picture
}

// Ask answers all placeholders of a template.
func Ask(ctx context.Context, format string, all []Placeholder, from Source) (Answers, error) {
	out := Answers{}
	for _, p := range all {
		rows, picture, caveats, err := ask(ctx, p, from, Most(format))
		if err != nil {
			return nil, p.about(err)
		}
		if rows != nil {
			caveats = nil // they are with the rows
		}
		out = append(out, Answer{rows, picture, caveats})
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
func (a *Answers) Plot(context.Context, plot.Kind, string) ([]byte, []api.Caveat, error) {
	next, err := a.next()
	return next.Picture, next.Caveats, err
}

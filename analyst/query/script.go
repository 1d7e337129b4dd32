package query

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/params"
)

// Script is a text of several statements that run one after the other.
type Script struct {
	Text   string
	Pieces []statement.Piece
	steps  map[int]statement.Definition // by the index of the piece
	whole  string                       // why several statements stay one; empty: they do not
	filled []*params.Filled
}

// NewScript splits a text into statements, for the local engine or for a source.
// It rejects a text that only defines steps and returns nothing.
func NewScript(text string, atSource bool) (*Script, error) {
	s := &Script{Text: text, steps: map[int]statement.Definition{}}
	s.takeApart(atSource)
	for i, p := range s.Pieces {
		d, ok, err := statement.Defines(p.Text)
		if err != nil {
			return nil, s.About(i, err)
		}
		if ok {
			s.steps[i] = d
		}
	}
	if s.Answers() == 0 {
		return nil, s.About(len(s.Pieces)-1, &api.Error{Code: api.CodeStatement, Kind: api.KindNotSelect,
			Message: "no statement is answered: each one only names a step",
			Hint:    "Add a SELECT that reads the steps; they are gone at the end of the call. To keep rows, fetch or import them as a snapshot, or write them to a file."})
	}
	return s, nil
}

// takeApart splits a text into statements. A text for a source stays in one piece
// if dialects disagree on where its quotes or comments end.
func (s *Script) takeApart(atSource bool) {
	s.Pieces = statement.Split(s.Text)
	for _, sign := range []string{`\'`, `\"`, "#"} {
		if atSource && s.whole == "" && len(s.Pieces) > 1 && strings.Contains(s.Text, sign) {
			s.whole = sign
		}
	}
	if len(s.Pieces) < 2 || s.whole != "" {
		s.Pieces = []statement.Piece{{Text: s.Text, Line: 1, Column: 1}} // unchanged: the gate says what is wrong with it
	}
}

// NoStep rejects naming a step where statements do not share an engine. where is
// a phrase such as "at the source".
func NoStep(where string) error {
	return &api.Error{Code: api.CodeUsage, Message: "a step cannot be named " + where,
		Hint: "Name it in a WITH clause of the statement that reads it."}
}

// Answers returns how many statements have a result.
func (s *Script) Answers() int { return len(s.Pieces) - len(s.steps) }

// Step returns the step that statement i defines; false if the statement has a
// result.
func (s *Script) Step(i int) (statement.Definition, bool) {
	d, ok := s.steps[i]
	return d, ok
}

// Fill fills in the parameters of all statements before any is run. flavor
// returns the dialect of a statement; it is called only for statements that may
// have parameters.
func (s *Script) Fill(values *params.Filler, flavor func(text string) (string, error)) error {
	for i, p := range s.Pieces {
		dialect := ""
		if params.Mentions(p.Text) {
			var err error
			if dialect, err = flavor(p.Text); err != nil {
				return s.About(i, err)
			}
		}
		filled, err := values.Fill(p.Text, dialect)
		if err != nil {
			return s.About(i, err)
		}
		s.filled = append(s.filled, filled)
		if _, ok := s.steps[i]; !ok {
			continue
		}
		if s.steps[i], _, err = statement.Defines(filled.Text); err != nil {
			return s.Explain(i, err)
		}
	}
	return values.Done()
}

// SQL returns statement i with its parameters filled in.
func (s *Script) SQL(i int) string { return s.filled[i].Text }

// Explain is About for an error of the filled statement i: it also maps the error
// to the parameters.
func (s *Script) Explain(i int, err error) error { return s.About(i, s.filled[i].Explain(err)) }

// About adds to an error which statement it belongs to, and where in the whole
// text.
func (s *Script) About(i int, err error) error {
	p := s.Pieces[i]
	err = statement.Behind(s.Text[:p.At], err)
	var e *api.Error
	if len(s.Pieces) == 1 && s.whole == "" || !errors.As(err, &e) || e.Code == api.CodeInterrupted {
		return err
	}
	said := *e
	if s.whole != "" {
		said.Hint = strings.TrimSpace(said.Hint + " The text is sent as one statement: databases read " + s.whole +
			" in different ways, so where a statement ends is not certain.")
		said.Err = err
		return &said
	}
	said.Message = fmt.Sprintf("statement %d (line %d): %s", i+1, p.Line, e.Message)
	said.Details = map[string]any{"line": p.Line, "column": p.Column}
	maps.Copy(said.Details, e.Details)
	said.Details["statement"] = i + 1
	said.Err = err
	return &said
}

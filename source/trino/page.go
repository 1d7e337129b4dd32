package trino

import (
	"errors"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// page is an answer of the engine.
type page struct {
	id      string // of the statement
	next    string // the address of the next one; empty: this is the last
	columns []outColumn
	rows    *scanner // before the rows that have not been read; nil: there are none
	// segments have the rows where encoding asked for them.
	segments []segment
	failed   *Exception
}

// outColumn is a column of a result.
type outColumn struct{ name, typ string }

// Exception is an error of the engine.
type Exception struct {
	Status        int // of HTTP; 0 if the engine itself says what is wrong
	Name, Message string
	Kind          string // USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL
}

func (e *Exception) Error() string { return e.Name + ": " + e.Message }

// readPage reads a page. rows reads the rows in it; nil: they are passed over.
func readPage(body []byte, rows func(*scanner) error) (p page, err error) {
	if !utf8.Valid(body) {
		return p, errors.New("the answer is not valid UTF-8")
	}
	s := newScanner(body)
	seen := false
	err = s.fields(func(key []byte) (err error) {
		switch string(key) {
		case "id":
			seen = true
			p.id, err = s.string()
			return err
		case "nextUri":
			p.next, err = s.string()
			return err
		case "columns":
			if s.word("null") {
				return nil
			}
			p.columns = []outColumn{}
			return s.each(func(int) error {
				var c outColumn
				err := s.texts(map[string]*string{"name": &c.name, "type": &c.typ})
				p.columns = append(p.columns, c)
				return err
			})
		case "data":
			switch {
			case s.word("null"):
				return nil
			case s.peek() == '{':
				p.segments, err = segments(s)
				return err
			case rows != nil:
				return rows(s)
			}
			p.rows = &scanner{b: s.b, i: s.i}
			return s.skip()
		case "error":
			if s.word("null") {
				return nil
			}
			p.failed = &Exception{}
			err = s.texts(map[string]*string{"message": &p.failed.Message, "errorName": &p.failed.Name, "errorType": &p.failed.Kind})
			p.failed.Message = api.Clip(p.failed.Message, 300)
			return err
		}
		return s.skip()
	})
	if err == nil && (!seen || s.peek() != 0 || s.i != len(s.b)-1) {
		err = errJSON
	}
	return p, err
}

func (s *scanner) string() (string, error) {
	text, err := s.text()
	return string(text), err
}

// texts reads some fields of an object, which are texts.
func (s *scanner) texts(to map[string]*string) error {
	return s.fields(func(key []byte) (err error) {
		if at := to[string(key)]; at != nil && s.peek() == '"' {
			*at, err = s.string()
			return err
		}
		return s.skip()
	})
}

// texts adds the rows of a page, whose values are texts or numbers.
func texts(rows [][]*string, p page) ([][]*string, error) {
	s := p.rows
	switch {
	case p.segments != nil:
		return nil, errors.New("the rows come in segments, which were not asked for")
	case s == nil:
		return rows, nil
	}
	err := s.each(func(int) error {
		var row []*string
		err := s.each(func(int) (err error) {
			var text string
			switch {
			case s.word("null"):
				row = append(row, nil)
				return nil
			case s.peek() == '"':
				text, err = s.string()
			default:
				text = string(s.number())
			}
			row = append(row, &text)
			return err
		})
		rows = append(rows, row)
		return err
	})
	return rows, err
}

package text

import (
	"errors"
	"fmt"
	"io"

	"github.com/agnes-data/da/api"
)

// Replace writes a copy of a text in which content replaces the lines from start
// to end (inclusive, counting from 1); empty content removes the lines. It
// returns the new number of lines. A range outside of the text is a
// CodeValidation of kind range.
func Replace(r io.ReaderAt, size int64, w io.Writer, start, end int64, content string) (total int64, err error) {
	if start < 1 || end < start {
		return 0, outside(fmt.Sprintf("lines %d to %d are not a range", start, end), 0)
	}
	return splice(r, size, w, start-1, end-start+1, content)
}

// Insert writes a copy of a text with content inserted after a line; 0 inserts
// before the first line.
func Insert(r io.ReaderAt, size int64, w io.Writer, after int64, content string) (total int64, err error) {
	if after < 0 {
		return 0, outside(fmt.Sprintf("there is no line %d", after), 0)
	}
	return splice(r, size, w, after, 0, content)
}

// Write replaces an old text with a new one, in the encoding and with the line
// ends of the old text. old is nil for a new file.
func Write(old io.ReaderAt, w io.Writer, content string) error {
	f := Default()
	if old != nil {
		var err error
		if f, err = Detect(old); err != nil {
			return err
		}
		if f.Guessed { // nothing of the old text remains, so UTF-8 is the better choice
			f = Format{Encoding: "utf-8", LineEnd: f.LineEnd}
		}
	}
	text, err := f.take(content)
	if err != nil {
		return err
	}
	return f.write(w, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}

// write calls fill with a writer that encodes the text in the format.
func (f Format) write(w io.Writer, fill func(io.Writer) error) error {
	out, err := f.writer(w)
	if err != nil {
		return err
	}
	return errors.Join(fill(out), out.Close())
}

// splice drops some lines behind a line, and puts content there.
func splice(r io.ReaderAt, size int64, w io.Writer, after, drop int64, content string) (total int64, err error) {
	f, err := Detect(r)
	if err != nil {
		return 0, err
	}
	text, err := f.take(content)
	if err != nil {
		return 0, err
	}
	s := splicer{after: after, last: after + drop, text: text, end: []byte(f.LineEnd)}
	err = f.write(w, func(out io.Writer) error {
		s.out = out
		lines, err := each(f.reader(io.NewSectionReader(r, 0, size)), s.part)
		if err != nil {
			return err
		}
		if after+drop > lines {
			return outside(fmt.Sprintf("the text has %d lines, and no line %d", lines, after+drop), lines)
		}
		total = lines - drop
		return s.finish()
	})
	if added, countErr := each(&s.written, func(int64, []byte, bool) error { return nil }); countErr == nil {
		total += added
	}
	return total, err
}

// splicer copies lines and inserts a text between them.
type splicer struct {
	out         io.Writer
	after, last int64 // lines in between are dropped
	text, end   []byte
	open        bool // the last copied line has no line end
	cut         bool // the last line of the text was dropped, and had no line end
	done        bool
	written     counted
}

// part takes a part of a line.
func (s *splicer) part(n int64, part []byte, end bool) error {
	if n > s.after && n <= s.last {
		s.cut = !end
		return nil
	}
	if n > s.last && !s.done {
		if err := s.put(true); err != nil {
			return err
		}
	}
	s.open = !end
	_, err := s.out.Write(part)
	return err
}

// finish completes the text.
func (s *splicer) finish() error {
	if s.done {
		return nil
	}
	if s.open && len(s.text) > 0 {
		if _, err := s.out.Write(s.end); err != nil {
			return err
		}
	}
	return s.put(!s.cut && !s.open)
}

// put writes the new lines; closed: the last of them gets an end.
func (s *splicer) put(closed bool) error {
	s.done = true
	if n := len(s.text); closed && n > 0 && s.text[n-1] != '\n' {
		s.text = append(s.text, s.end...)
	}
	s.written = counted{s.text}
	_, err := s.out.Write(s.text)
	return err
}

// counted is read to count lines.
type counted struct{ rest []byte }

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// outside is the error of lines that are not there.
func outside(message string, lines int64) error {
	return &api.Error{Code: api.CodeValidation, Kind: "range", Message: message, Hint: "Nothing was changed. Lines are counted from 1.", Details: map[string]any{"total_lines": lines}}
}

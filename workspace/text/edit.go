package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/transform"

	"github.com/agnes-data/da/api"
)

// New is a text that a change brings.
type New struct {
	Content string // UTF-8
	// Encoding is that of the file; "": detected, and UTF-8 for a new file.
	Encoding string
}

// Replace writes a copy of a text in which text replaces the lines from start to
// end (inclusive, counting from 1); empty content removes the lines. It returns
// the new number of lines. A range outside of the text is a CodeValidation of
// kind range.
func Replace(r io.ReaderAt, size int64, w io.Writer, start, end int64, text New) (total int64, err error) {
	if start < 1 || end < start {
		return 0, outside(fmt.Sprintf("lines %d to %d are not a range", start, end), 0)
	}
	return splice(r, size, w, start-1, end-start+1, text)
}

// Insert writes a copy of a text with lines inserted after a line; 0 inserts
// before the first line.
func Insert(r io.ReaderAt, size int64, w io.Writer, after int64, text New) (total int64, err error) {
	if after < 0 {
		return 0, outside(fmt.Sprintf("there is no line %d", after), 0)
	}
	return splice(r, size, w, after, 0, text)
}

// Write replaces an old text with a new one, in the encoding and with the line
// ends of the old text. old is nil for a new file.
func Write(old io.ReaderAt, w io.Writer, text New) error {
	f, err := formatFor(old, text)
	if err != nil {
		return err
	}
	content, err := f.take(text.Content)
	if err != nil {
		return err
	}
	return f.write(w, func(out io.Writer) error {
		_, err := out.Write(content)
		return err
	})
}

// formatFor is the format of a text that is written as a whole.
func formatFor(old io.ReaderAt, text New) (Format, error) {
	switch {
	case old != nil:
		f, err := Detect(old, text.Encoding)
		if f.unsure { // nothing of the old text remains, so UTF-8 is the better choice
			f = Format{Encoding: "utf-8", LineEnd: f.LineEnd}
		}
		return f, err
	case text.Encoding != "":
		f, err := named(text.Encoding)
		if f.wide == nil {
			f.mark = nil
		}
		return f, err
	}
	return Default(), nil
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
func splice(r io.ReaderAt, size int64, w io.Writer, after, drop int64, added New) (total int64, err error) {
	f, err := Detect(r, added.Encoding)
	if err != nil {
		return 0, err
	}
	text, err := f.take(added.Content)
	if err != nil {
		return 0, err
	}
	if err := f.lossless(r, size); err != nil {
		return 0, err
	}
	s := splicer{after: after, last: after + drop, text: text, end: []byte(f.LineEnd)}
	err = f.write(w, func(out io.Writer) error {
		s.out = out
		lines, err := eachPart(f.reader(io.NewSectionReader(r, 0, size)), s.part)
		if err != nil {
			return err
		}
		if after+drop > lines {
			return outside(fmt.Sprintf("the text has %d lines, and no line %d", lines, after+drop), lines)
		}
		total = lines - drop
		return s.finish()
	})
	if lines, countErr := eachPart(&s.written, func(int64, []byte, bool) error { return nil }); countErr == nil {
		total += lines
	}
	return total, err
}

// lossless refuses a text of UTF-16 or UTF-32 that would not come out of a change as
// it was, since it holds half letters: it is decoded and encoded again as a whole.
func (f Format) lossless(r io.ReaderAt, size int64) error {
	if f.wide == nil {
		return nil
	}
	raw := io.NewSectionReader(r, int64(len(f.mark)), size-int64(len(f.mark)))
	out := transform.NewWriter(&comparing{raw: raw}, f.wide.NewEncoder())
	_, err := io.Copy(out, f.reader(io.NewSectionReader(r, 0, size)))
	if err = errors.Join(err, out.Close()); err == nil {
		var rest [1]byte
		if n, _ := raw.Read(rest[:]); n > 0 {
			err = errDiffers
		}
	}
	if errors.Is(err, errDiffers) {
		return &api.Error{Code: api.CodeValidation, Kind: api.KindEncoding,
			Message: "the text has bytes that " + f.Encoding + " does not define, and would lose them",
			Hint:    "Nothing was changed. Write the whole text into a new file, or name the encoding that it is in."}
	}
	return err
}

var errDiffers = errors.New("the bytes differ")

// comparing is written what raw is expected to hold.
type comparing struct {
	raw io.Reader
	buf []byte
}

// Write implements io.Writer; errDiffers is what it returns for other bytes.
func (c *comparing) Write(p []byte) (int, error) {
	c.buf = append(c.buf[:0], p...)
	if _, err := io.ReadFull(c.raw, c.buf); err != nil || !bytes.Equal(c.buf, p) {
		return 0, errDiffers
	}
	return len(p), nil
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
	return &api.Error{Code: api.CodeValidation, Kind: api.KindRange, Message: message, Hint: "Nothing was changed. Lines are counted from 1.",
		Details: map[string]any{"total_lines": lines}}
}

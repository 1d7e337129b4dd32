package text

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// eachPart calls f with each part of a text, in order. A part is a line, or a piece
// of a line that is longer than the buffer. n is the line's number, from 1; end
// reports that the part is the last piece of its line.
func eachPart(r io.Reader, f func(n int64, part []byte, end bool) error) (lines int64, err error) {
	b := bufio.NewReaderSize(r, 256<<10)
	open := false
	for {
		part, err := b.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return lines, err
		}
		if len(part) > 0 {
			if !open {
				lines++
			}
			end := part[len(part)-1] == '\n'
			open = !end
			if err := f(lines, part, end); err != nil {
				return lines, err
			}
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
	}
}

// Count returns the number of lines. Text after the last line end counts as a
// line unless it is empty.
func Count(r io.ReaderAt, size int64) (int64, error) {
	f, err := Detect(r, "")
	if err != nil {
		return 0, err
	}
	return eachPart(f.reader(io.NewSectionReader(r, 0, size)), func(int64, []byte, bool) error { return nil })
}

// DefaultMaxBytes bounds the content of one answer.
const DefaultMaxBytes = 100_000

// ReadOptions say which lines to read.
type ReadOptions struct {
	Start, End int64  // from 1, inclusive; 0: the first, the last
	MaxBytes   int    // of the content; 0: DefaultMaxBytes
	Encoding   string // "": detected
}

// Part is a range of lines of a text.
type Part struct {
	Content    string `json:"content,omitempty"`
	StartLine  int64  `json:"start_line"`
	EndLine    int64  `json:"end_line"` // 0 if the range contains no lines
	TotalLines int64  `json:"total_lines"`
	// Truncated reports that not all lines fit; the last line may be incomplete.
	Truncated bool `json:"truncated"`
	Format
}

// Read returns lines as they are, with their line ends, and counts all of them.
func Read(r io.ReaderAt, size int64, o ReadOptions) (*Part, error) {
	f, err := Detect(r, o.Encoding)
	if err != nil {
		return nil, err
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	o.Start = max(o.Start, 1)
	p := &Part{StartLine: o.Start, Format: f}
	var content []byte
	cut := false // within a line, and maybe within a letter
	p.TotalLines, err = eachPart(f.reader(io.NewSectionReader(r, 0, size)), func(n int64, part []byte, _ bool) error {
		if n < o.Start || o.End > 0 && n > o.End || p.Truncated {
			return nil
		}
		if room := o.MaxBytes - len(content); len(part) > room {
			p.Truncated = true
			if len(content) > 0 { // keep whole lines; cut a line only if it is the first
				return nil
			}
			part, cut = part[:room], true
		}
		content, p.EndLine = append(content, part...), n
		return nil
	})
	p.Content = f.show(content)
	if cut {
		p.Content = strings.TrimSuffix(p.Content, "\uFFFD")
	}
	return p, err
}

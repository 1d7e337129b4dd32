package sheet

import (
	"io"
	"strings"
	"testing"
)

// counted counts how often it is read.
type counted struct {
	io.Reader
	reads int
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads++
	return c.Reader.Read(p)
}

// TestLongRowsAreLookedAtAFewTimes: each time more of a row is read, it is looked at
// from its beginning. So it must double each time, or the time grows with the square
// of its length.
func TestLongRowsAreLookedAtAFewTimes(t *testing.T) {
	const size, most = 32 << 20, 10
	r := &counted{Reader: strings.NewReader(`<worksheet><sheetData><row r="1">` + strings.Repeat("<c/>", size/4) + `</row></sheetData></worksheet>`)}
	s := newRowStream("x", r)
	if _, _, err := s.head(); err != nil {
		t.Fatal(err)
	}
	raw, ok := s.next()
	if !ok || len(raw) < size {
		t.Fatalf("%d bytes, %v", len(raw), s.err)
	}
	if r.reads > most {
		t.Errorf("a row of %d MB is looked at %d times, more than %d", size>>20, r.reads, most)
	}
}

// TestRowsOfTooManyCellsEndThere: what follows the last cell that a row may have is not
// looked at, so the error is about the number and not about what is broken behind it.
func TestRowsOfTooManyCellsEndThere(t *testing.T) {
	r := row{number: 7, raw: []byte(`<row r="7">` + strings.Repeat("<c/>", 16_385) + `<c`)}
	_, cells, err := r.split("x")
	if err == nil || !strings.Contains(err.Error(), "row 7 has more than 16384 cells") || cells != nil {
		t.Errorf("%d cells, %v", len(cells), err)
	}
}

package dialect

import (
	"bytes"
	"fmt"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

// TooWide means that records have more fields than a table can have columns.
type TooWide struct {
	Line   int64 // of the first of them
	Fields int
}

// Error implements error.
func (e *TooWide) Error() string {
	return fmt.Sprintf("line %d has %d fields; a table has at most %d columns", e.Line, e.Fields, MaxColumns)
}

// Options are what the caller already knows.
type Options struct {
	Delimiter string // empty: guess it
	Header    *bool  // nil: guess it
	// HeaderLine is the physical line, from 1, that names the columns; 0: guess it.
	HeaderLine int
	// Hint is a delimiter that the file's name suggests; it wins a tie.
	Hint string
	// Escapes are those of the whole text; nil: judge by the sample.
	Escapes *Escapes
}

// Result is a guess.
type Result struct {
	delimited.Dialect
	Header bool
	// HeaderRows is the number of records that together are the header.
	HeaderRows int
	// Names are the cells of the header, as written, those of several records
	// put together; without a header nil.
	Names    []string
	Preamble []string // the text of the lines before the table, 50 at most
	Before   int      // how many there are
	// Guessed says that the text is aligned with blanks, and that its columns may be
	// others.
	Guessed bool
	// Unsplit is a usual delimiter that almost every record of a single column has, the
	// first among them; empty: none.
	Unsplit string
	Line    int64 // physical line on which the table starts, from 1
	// Rival is another line that could name the columns just as well; 0: none could.
	Rival int64
	// Doubt says that the first record may be data if it is the header, or else names.
	Doubt bool
	// Confidence is between 0 and 1.
	Confidence float64
}

// reading is the sample as one dialect reads it.
type reading struct {
	d       delimited.Dialect
	rows    []record
	n       int // the usual number of fields
	score   float64
	mended  int
	hinted  bool  // the file's name suggests the delimiter
	guessed bool  // the columns of an aligned text may be others
	header  int64 // line of the header, if it and not the records determines n; else 0
}

// record is one row of a reading.
type record struct {
	cells  []cell // at most MaxColumns and one more
	line   int64
	fields int  // how many the record has
	odd    bool // broken quoting was repaired, so this is weak evidence
}

type cell struct {
	text   []byte
	quoted bool
}

// read fills the rows of a reading.
func read(sample []byte, d delimited.Dialect) *reading {
	r := delimited.NewReader(bytes.NewReader(sample), d, len(sample)+1)
	out := &reading{d: d}
	for kept := 0; ; {
		b := &delimited.Batch{} // kept, because the cells refer to it
		if err := r.Next(b); err != nil {
			return out // the end, or a record too long to be one
		}
		for i := range b.Len() {
			if len(out.rows) == maxRows || kept > maxCells && len(out.rows) > 2 {
				return out
			}
			rec := b.Record(i)
			cells := make([]cell, min(len(rec), MaxColumns+1))
			kept += len(cells)
			for j, f := range rec[:len(cells)] {
				cells[j] = cell{b.Bytes(f), f.Quoted()}
			}
			out.rows = append(out.rows, record{cells, b.Line(i), len(rec), b.Mended(i)})
			if b.Mended(i) {
				out.mended++
			}
		}
	}
}

func filled(rec record) int {
	n := 0
	for _, c := range rec.cells {
		if len(bytes.TrimSpace(c.text)) > 0 {
			n++
		}
	}
	return n
}

func hasTyped(rec record) bool {
	for _, c := range rec.cells {
		if l := infer.LookAt(c.text); l == infer.LooksNumber || l == infer.LooksDate || l == infer.LooksBool {
			return true
		}
	}
	return false
}

func (r *reading) commentLike(rec record) bool {
	c := rec.cells[0]
	return !c.quoted && len(c.text) > 0 && c.text[0] == '#' && (len(rec.cells) == 1 || len(c.text) > 1 && c.text[1] == ' ')
}

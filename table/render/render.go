// Package render writes the rows of a result as delimited text or JSON lines, for
// other programs.
//
// Values are written completely and unchanged, however a program may interpret
// them. Values that look like formulas are counted, and escaped only on request.
// The package must not open files.
package render

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/fields"
)

// Format is a way to write rows as text.
type Format string

// The formats. CSV follows RFC 4180 with LF as line end: NULL is empty and the
// empty text is "". TSV has escapes instead of quotes, and \N for NULL.
const (
	CSV       Format = "csv"
	TSV       Format = "tsv"
	JSONLines Format = "jsonl"
)

// Options say how to write.
type Options struct {
	Format Format
	BOM    bool // start with a byte order mark, as Excel likes it
	// EscapeFormulas puts an apostrophe before texts that spreadsheets would
	// interpret as formulas.
	EscapeFormulas bool
	// Names are written in CSV and TSV in place of those of the rows, without a line
	// of names if all are empty; nil: those of the rows.
	Names []string
}

// Written describes what was written.
type Written struct {
	Rows    int64
	Caveats []api.Caveat // those of the rows, and of what the format changes
}

// Write writes all rows of rdr to w. The caller still owns both.
func Write(ctx context.Context, w io.Writer, rdr api.Rows, o Options) (Written, error) {
	out := bufio.NewWriterSize(w, 256<<10)
	e := &encoder{Options: o, names: arrowjson.Names(rdr.Schema())}
	var done Written
	if o.Format == JSONLines {
		e.objects = arrowjson.NewObjects(rdr.Schema())
		if e.objects.Renamed {
			done.Caveats = append(done.Caveats, api.NewCaveat(api.CaveatRenamed,
				"columns of the same name were numbered, since an object has each key once"))
		}
	}
	if _, err := out.Write(e.head(nil)); err != nil {
		return done, err
	}
	var line []byte
	for rdr.Next() {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		rec := rdr.RecordBatch()
		columns := arrowjson.BindBatch(rec)
		for i := range int(rec.NumRows()) {
			line = e.row(line[:0], columns, i)
			if _, err := out.Write(line); err != nil {
				return done, err
			}
		}
		done.Rows += rec.NumRows()
	}
	if err := rdr.Err(); err != nil {
		return done, err
	}
	if e.formulas > 0 && !o.EscapeFormulas {
		done.Caveats = append(done.Caveats, api.NewCaveat(api.CaveatOther,
			"%d texts start like a formula (= + - @): spreadsheets may run them when they open the file", e.formulas))
	}
	if e.formulas > 0 && o.EscapeFormulas {
		done.Caveats = append(done.Caveats, api.NewCaveat(api.CaveatNarrowed, "%d texts that start like a formula were given an apostrophe",
			e.formulas))
	}
	done.Caveats = api.Arranged(append(done.Caveats, rdr.Caveats()...))
	return done, out.Flush()
}

// encoder writes rows of one schema.
type encoder struct {
	Options
	names    []string
	objects  *arrowjson.Objects
	text     []byte
	formulas int64
}

func (e *encoder) head(dst []byte) []byte {
	if e.Format == JSONLines {
		return dst
	}
	if e.BOM {
		dst = append(dst, "\ufeff"...)
	}
	names := e.names
	if e.Names != nil {
		names = e.Names
		if strings.Join(names, "") == "" {
			return dst
		}
	}
	for j, name := range names {
		if j > 0 {
			dst = append(dst, e.separator())
		}
		dst = e.field(dst, []byte(name))
	}
	return append(dst, '\n')
}

func (e *encoder) separator() byte {
	if e.Format == TSV {
		return '\t'
	}
	return ','
}

func (e *encoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	if e.objects != nil {
		return append(e.objects.Append(dst, columns, i), '\n')
	}
	var kind arrowjson.Kind
	for j, c := range columns {
		if j > 0 {
			dst = append(dst, e.separator())
		}
		e.text, kind = c.AppendText(e.text[:0], i)
		switch kind {
		case arrowjson.Null:
			if e.Format == TSV {
				dst = append(dst, `\N`...)
			}
		case arrowjson.Bool, arrowjson.Number, arrowjson.BigNumber:
			dst = append(dst, e.text...)
		default:
			if formula(e.text) {
				e.formulas++
				if e.EscapeFormulas {
					e.text = append([]byte{'\''}, e.text...)
				}
			}
			dst = e.field(dst, e.text)
		}
	}
	return append(dst, '\n')
}

// formula reports whether a spreadsheet would evaluate the text.
func formula(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	switch s[0] {
	case '=', '@', '\t', '\r':
		return true
	case '+', '-':
		return len(s) > 1
	}
	return false
}

// field appends a text with the quotes or escapes that it needs.
func (e *encoder) field(dst, text []byte) []byte {
	if e.Format == TSV {
		return fields.AppendTSV(dst, text)
	}
	return fields.AppendCSV(dst, text, len(e.names) == 1)
}

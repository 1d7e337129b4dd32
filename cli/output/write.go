package output

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/iostreams"
	"github.com/agnes-data/da/internal/words/printable"
)

// Options say how to write. The zero value is right for a pipe.
type Options struct {
	// MaxRows is the maximum number of rows to write; 0 means all.
	MaxRows int64
	// Width is the terminal's number of columns; 0 means no limit.
	Width int
	// Records shows each row of a table as a list of its columns.
	Records bool
	// Terminal says that the output goes to a terminal.
	Terminal bool
	// Color allows escape sequences for colour.
	Color bool
	// ASCII allows only ASCII for lines and symbols.
	ASCII bool
	// WriteParquet writes all rows of rdr to the file at path, which may exist,
	// and returns how many there were. Needed for Parquet only.
	WriteParquet func(ctx context.Context, path string, rdr array.RecordReader) (rows int64, err error)
	// WriteWorkbook writes all rows of rdr to w and returns the caveats that the
	// workbook itself cannot contain. It returns an error of rdr, w or ctx
	// unchanged or wrapped. Needed for XLSX only.
	WriteWorkbook func(ctx context.Context, w io.Writer, rdr api.Rows) ([]api.Caveat, error)
	// TempDir is where a parquet file for a stream is written, in a folder of its
	// own; empty means the system's folder for temporary files.
	TempDir string

	arrowFile bool // Arrow is written as a file, not as a stream
}

// For returns the options that fit a run's standard output.
func For(s *iostreams.Streams) Options {
	return Options{Width: s.OutWidth, Terminal: s.OutTerminal, Color: s.OutColor, ASCII: s.ASCII}
}

// Summary is what the output itself cannot show.
type Summary struct {
	// Rows is the number of rows written.
	Rows int64
	// Truncated says that MaxRows cut the result: it had at least one more row.
	Truncated bool
	// Clipped is the number of table cells that were cut, to fit the terminal or
	// because they exceed the maximum length.
	Clipped int
	// LeftOut names the spare columns of a list that did not fit the terminal.
	LeftOut []string
	// Caveats are those of the rows and of what the format changes.
	Caveats []api.Caveat
}

// Write writes the rows of rdr, which the caller still owns, to w. An error of
// rdr or ctx is returned unchanged; the output is then visibly incomplete if the
// format allows it: no closing bracket, no Arrow end mark. Other errors are
// *api.Error.
func Write(ctx context.Context, w io.Writer, rdr api.Rows, f Format, o Options) (Summary, error) {
	if f.Binary() && o.Terminal {
		return Summary{}, &api.Error{Code: api.CodeUsage, Message: string(f) + " is not written to a terminal",
			Hint: "Write it to a file with --out FILE, or redirect the output."}
	}
	rows := newLimited(ctx, rdr, o.MaxRows)
	defer rows.Release()
	var summary Summary
	var more []api.Caveat
	var err error
	switch f {
	case Table:
		summary.Clipped, err = writeTable(w, rows, o)
	case JSON, NDJSON, CSV, TSV, Markdown:
		var warnings []string
		warnings, err = writeText(w, rows, f, o)
		more = api.CaveatsOf(api.CaveatRenamed, warnings...)
	case Arrow:
		err = writeArrow(w, rows, o.arrowFile)
	case Parquet:
		more, err = streamParquet(ctx, w, rows, o)
	case XLSX:
		more, err = writeWorkbook(ctx, w, rows, o)
	default:
		err = &api.Error{Code: api.CodeUsage, Message: "unknown output format '" + printable.Line(string(f)) + "'"}
	}
	summary.Rows, summary.Truncated = rows.rows.Load(), rows.truncated.Load()
	summary.Caveats = api.Arranged(append(rdr.Caveats(), more...))
	return summary, err
}

// Into passes at most that many rows of rdr, 0 for all, to the caller's writer,
// and returns a summary.
func Into(ctx context.Context, rdr api.Rows, most int64, write func(api.Rows) ([]api.Caveat, error)) (Summary, error) {
	rows := newLimited(ctx, rdr, most)
	defer rows.Release()
	more, err := write(rows)
	if err == nil {
		err = rows.Err()
	}
	return Summary{Rows: rows.rows.Load(), Truncated: rows.truncated.Load(), Caveats: api.Arranged(append(rdr.Caveats(), more...))}, err
}

// sink is the destination of the output. It turns write errors into *api.Error,
// which distinguishes them from errors of the rows.
type sink struct{ w io.Writer }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, explainWrite("write the result", err)
}

// explainWrite returns the error for a failed write.
func explainWrite(doing string, err error) error {
	err = atomicfile.Explain(doing, err)
	var e *api.Error
	if errors.As(err, &e) && e.Code == api.CodeNotWritable && e.Err != nil {
		e.Hint = "Check the permissions of the folder, or choose another file with --out."
	}
	return err
}

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"golang.org/x/sync/errgroup"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
)

// Codec is how the pages of a parquet file are compressed.
type Codec string

// The codecs. Files on disk use Snappy. Zstd files are a sixth smaller and take
// an eighth longer.
const (
	Snappy Codec = "snappy"
	Zstd   Codec = "zstd"
)

// WriteParquet streams all rows of rdr, in order, into a parquet file, which it makes
// or empties, and returns how many there are. It does so by our own writer if all
// types are flat: that takes a fraction of the work of the engine's. The caller still
// owns rdr.
func (c *Conn) WriteParquet(ctx context.Context, path string, rdr array.RecordReader) (rows int64, err error) {
	if !parquetwriter.Takes(rdr.Schema()) {
		if err := c.importTo(ctx, path, rdr, Snappy); err != nil {
			return 0, err
		}
		return c.ParquetRows(ctx, path)
	}
	f, err := create(path)
	if err != nil {
		return 0, err
	}
	counted := &counting{RecordReader: rdr}
	err = errors.Join(parquetwriter.Write(ctx, f, counted, written), f.Close())
	return counted.rows, err
}

// create makes or empties a file that only the user can access.
func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// counting counts the rows that are read.
type counting struct {
	array.RecordReader
	rows int64
}

func (c *counting) Next() bool {
	more := c.RecordReader.Next()
	if more {
		c.rows += c.RecordBatch().NumRows()
	}
	return more
}

// CopyParquet writes the rows of a SELECT to a parquet file, as WriteParquet does.
// Only with ordered, rows keep their order.
func (c *Conn) CopyParquet(ctx context.Context, sql, path string, ordered bool) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	write := c.copyUnordered
	if ordered {
		write = c.copyOrdered
	}
	err = errors.Join(write(ctx, sql, f), f.Close())
	if !errors.Is(err, errNotFlat) {
		return err
	}
	cols, err := c.Describe(ctx, sql)
	if err != nil {
		return err
	}
	return c.Exec(ctx, "COPY ("+sql+")"+ToParquet(path, cols))
}

// copyOrdered writes the rows as they come; errNotFlat: a type is not flat.
func (c *Conn) copyOrdered(ctx context.Context, sql string, w io.Writer) error {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Release()
	if !parquetwriter.Takes(rows.Schema()) {
		return errNotFlat
	}
	return parquetwriter.Write(ctx, w, rows, written)
}

// copyUnordered has each thread of the engine write its rows.
func (c *Conn) copyUnordered(ctx context.Context, sql string, w io.Writer) error {
	var file *parquetwriter.Unordered
	var parts []*parquetwriter.Part
	err := c.scatter(ctx, sql, func(schema *arrow.Schema) (err error) {
		if !parquetwriter.Takes(schema) {
			return errNotFlat
		}
		file, err = parquetwriter.NewUnordered(w, schema, written)
		return err
	}, func() taker {
		parts = append(parts, file.Part())
		return parts[len(parts)-1].Add
	})
	if err != nil {
		return err
	}
	var flushed errgroup.Group
	for _, p := range parts {
		flushed.Go(p.Flush)
	}
	if err := flushed.Wait(); err != nil {
		return err
	}
	return file.Close()
}

// written is how files are written that stay on this machine.
var written = parquetwriter.Options{Codec: parquetwriter.Snappy}

// importTo writes the rows of a reader to a path of the engine's.
func (c *Conn) importTo(ctx context.Context, path string, rdr array.RecordReader, codec Codec) error {
	if err := fewLists(rdr.Schema()); err != nil {
		return err
	}
	rows := newSized(rdr)
	options := encodings(holds(rdr.Schema().Fields(), arrow.UINT32, arrow.INT32, arrow.DATE32),
		holds(rdr.Schema().Fields(), arrow.FLOAT64, arrow.FLOAT32))
	return c.Import(ctx, "incoming", rows, "COPY (SELECT * FROM incoming)"+toParquet(path, options, codec, rows.groups()))
}

// ToParquet returns what follows a SELECT of these columns, in parentheses, in a
// COPY to a parquet file that any reader accepts.
func ToParquet(path string, cols []Column) string {
	named := func(words ...string) bool {
		return slices.ContainsFunc(cols, func(col Column) bool {
			return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(col.Type, word) })
		})
	}
	return toParquet(path, encodings(named("INTEGER", "DATE"), named("DOUBLE", "FLOAT")), Snappy, "")
}

// encodings are the options for the kinds of columns that a file has. Encodings of
// version 2 make typical warehouse data half as large. But the engine writes
// differences of 32-bit integers and dates wider than other readers accept, so files
// with such columns use version 1. And it looks values up in its dictionaries by
// their equality, which makes 0.0 of -0.0, so files with floats have none.
func encodings(int32s, floats bool) string {
	options := "PARQUET_VERSION V2"
	if int32s {
		options = "PARQUET_VERSION V1"
	}
	if floats {
		options += ", DICTIONARY_SIZE_LIMIT 0"
	}
	return options
}

// toParquet ends a COPY. There are no Bloom filters: those of the engine tell 0.0
// from -0.0, which are equal, so it would not find all rows of a condition. more are
// further options.
func toParquet(path, options string, codec Codec, more string) string {
	return " TO " + Literal(path) + " (FORMAT parquet, " + options + ", WRITE_BLOOM_FILTER false, COMPRESSION " + string(codec) + more + ")"
}

// holds reports whether fields have one of the types, also inside others.
func holds(fields []arrow.Field, types ...arrow.Type) bool {
	return slices.ContainsFunc(fields, func(f arrow.Field) bool {
		if nested, ok := f.Type.(arrow.NestedType); ok && holds(nested.Fields(), types...) {
			return true
		}
		return slices.Contains(types, f.Type.ID())
	})
}

// ErrWideDecimal is the error of ReadsDecimal.
var ErrWideDecimal = errors.New("decimals of more than 38 digits are not read")

// WideDecimalHint is the next step for what ReadsDecimal refuses.
const WideDecimalHint = "Write the column with at most 38 digits, or as text."

// ReadsDecimal refuses a parquet column of decimals of more than 38 digits: the
// engine reads them as floats, most of them wrong ones.
func ReadsDecimal(name string, precision, scale int64) error {
	if precision <= 38 {
		return nil
	}
	return fmt.Errorf("column %q is DECIMAL(%d,%d), and %w", name, precision, scale, ErrWideDecimal)
}

// CutsNanos reports whether the engine reads only the microseconds of values that
// a parquet file stores as nanoseconds. Times and timestamps without a zone keep them.
func CutsNanos(stored, logical string) bool {
	return stored == "INT96" || strings.Contains(logical, "NANOS=NanoSeconds") && strings.Contains(logical, "isAdjustedToUTC=1")
}

// ArrowCutsNanos is CutsNanos for Arrow.
func ArrowCutsNanos(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Nanosecond && t.TimeZone != ""
	case *arrow.DurationType:
		return t.Unit == arrow.Nanosecond
	case *arrow.DictionaryType:
		return ArrowCutsNanos(t.ValueType)
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return ArrowCutsNanos(f.Type) })
	}
	return false
}

// NanosCut is the caveat about a column whose nanoseconds are cut.
func NanosCut(name string) api.Caveat {
	return api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{name}},
		Text: fmt.Sprintf("column %q is read to the microsecond: nanoseconds in the file are cut off, and an INT96 before 4713 BC or beyond the year 287000 is another time", name)}
}

// StoredColumn is a column as a parquet file stores it.
type StoredColumn struct {
	Name string
	Cut  bool // CutsNanos is true for it, or inside of it
	// Again are the fields in it whose name another field has in another case.
	Again []string
}

// StoredColumns returns the columns of a parquet file, in its order.
func (c *Conn) StoredColumns(ctx context.Context, path string) (all []StoredColumn, err error) {
	rows, err := c.Query(ctx, "SELECT coalesce(num_children, 0), coalesce(type, ''), coalesce(logical_type, ''), coalesce(name, '') FROM parquet_schema("+
		PathLiteral(path)+") WHERE column_id > 0 ORDER BY column_id")
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	var nested Nesting
	for rows.Next() {
		b := rows.RecordBatch()
		children, stored := b.Column(0).(*array.Int64), b.Column(1).(*array.String)
		logical, name := b.Column(2).(*array.String), b.Column(3).(*array.String)
		for i := range int(b.NumRows()) {
			top, again := nested.Next(name.Value(i), children.Value(i))
			if top {
				all = append(all, StoredColumn{Name: strings.Clone(name.Value(i))})
			}
			if last := &all[len(all)-1]; again {
				last.Again = append(last.Again, strings.Clone(name.Value(i)))
			}
			if CutsNanos(stored.Value(i), logical.Value(i)) {
				all[len(all)-1].Cut = true
			}
		}
	}
	return all, rows.Err()
}

// ReadsDecimals is ReadsDecimal for all columns of a parquet file.
func (c *Conn) ReadsDecimals(ctx context.Context, path string) error {
	var name string
	var precision, scale int64
	err := c.QueryRow(ctx, "SELECT coalesce(first(name), ''), coalesce(first(precision), 0), coalesce(first(scale), 0) FROM parquet_schema("+
		PathLiteral(path)+") WHERE precision > 38", nil, &name, &precision, &scale)
	if err != nil {
		return err
	}
	return ReadsDecimal(name, precision, scale)
}

// ParquetRows returns the rows of a parquet file, as its footer says.
func (c *Conn) ParquetRows(ctx context.Context, path string) (rows int64, err error) {
	err = c.QueryRow(ctx, "SELECT coalesce(sum(num_rows), 0)::BIGINT FROM parquet_file_metadata("+PathLiteral(path)+")", nil, &rows)
	return rows, err
}

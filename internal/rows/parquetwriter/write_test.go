package parquetwriter_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// types are all that are written, each with what makes a value of it.
var types = []struct {
	is    arrow.DataType
	value func(r *rand.Rand, n uint64) any // n says which: equal for equal n
}{
	{arrow.PrimitiveTypes.Int8, func(_ *rand.Rand, n uint64) any { return int8(n) }},
	{arrow.PrimitiveTypes.Int16, func(_ *rand.Rand, n uint64) any { return int16(n) }},
	{arrow.PrimitiveTypes.Int32, func(_ *rand.Rand, n uint64) any { return int32(n) }},
	{arrow.PrimitiveTypes.Int64, func(_ *rand.Rand, n uint64) any { return int64(n) }},
	{arrow.PrimitiveTypes.Uint8, func(_ *rand.Rand, n uint64) any { return uint8(n) }},
	{arrow.PrimitiveTypes.Uint16, func(_ *rand.Rand, n uint64) any { return uint16(n) }},
	{arrow.PrimitiveTypes.Uint32, func(_ *rand.Rand, n uint64) any { return uint32(n) }},
	{arrow.PrimitiveTypes.Uint64, func(_ *rand.Rand, n uint64) any { return n }},
	{arrow.PrimitiveTypes.Float32, func(r *rand.Rand, n uint64) any { return float32(oddFloat(r, n)) }},
	{arrow.PrimitiveTypes.Float64, func(r *rand.Rand, n uint64) any { return oddFloat(r, n) }},
	{arrow.FixedWidthTypes.Boolean, func(_ *rand.Rand, n uint64) any { return n%2 == 0 }},
	{arrow.FixedWidthTypes.Date32, func(_ *rand.Rand, n uint64) any { return arrow.Date32(int32(n % 2e6)) }},
	{arrow.FixedWidthTypes.Time64us, func(_ *rand.Rand, n uint64) any { return arrow.Time64(n % 86_400_000_000) }},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, func(_ *rand.Rand, n uint64) any { return arrow.Timestamp(n % 4e15) }},
	{arrow.FixedWidthTypes.Timestamp_us, func(_ *rand.Rand, n uint64) any { return arrow.Timestamp(n % 4e15) }},
	{&arrow.TimestampType{Unit: arrow.Nanosecond}, func(_ *rand.Rand, n uint64) any { return arrow.Timestamp(n % 4e18) }},
	{&arrow.Decimal128Type{Precision: 4, Scale: 1}, func(_ *rand.Rand, n uint64) any { return decimal128.FromI64(int64(n) % 10_000) }},
	{&arrow.Decimal128Type{Precision: 9, Scale: 0}, func(_ *rand.Rand, n uint64) any { return decimal128.FromI64(int64(n) % 1_000_000_000) }},
	{&arrow.Decimal128Type{Precision: 18, Scale: 3}, func(_ *rand.Rand, n uint64) any { return decimal128.FromI64(int64(n) % 1e18) }},
	{&arrow.Decimal128Type{Precision: 38, Scale: 10}, func(_ *rand.Rand, n uint64) any {
		return decimal128.New(int64(n)%5_000_000_000_000_000_000, n*0x9e3779b97f4a7c15)
	}},
	{arrow.BinaryTypes.String, func(_ *rand.Rand, n uint64) any { return oddText(n) }},
	{arrow.BinaryTypes.Binary, func(_ *rand.Rand, n uint64) any { return []byte{byte(n), 0, byte(n >> 8), 0xff, byte(n >> 16)} }},
}

func oddFloat(r *rand.Rand, n uint64) float64 {
	switch r.IntN(2000) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return math.Inf(-1)
	case 3:
		return math.Copysign(0, -1)
	}
	return float64(int64(n)) / 100
}

func oddText(n uint64) string {
	switch n % 11 {
	case 0:
		return ""
	case 1:
		return strings.Repeat("ž€𝄞", int(n%150))
	case 2:
		return "\x00 nul"
	}
	return fmt.Sprint("text ", n)
}

// shape is how the values of a column are spread: 0 where there is none.
type shape func(r *rand.Rand, row int) (n uint64, valid bool)

var shapes = map[string]shape{
	"few":        func(r *rand.Rand, _ int) (uint64, bool) { return r.Uint64N(40), true },
	"many":       func(r *rand.Rand, _ int) (uint64, bool) { return r.Uint64(), true },
	"far apart":  func(r *rand.Rand, _ int) (uint64, bool) { return r.Uint64N(300) << 55, true },
	"rising":     func(_ *rand.Rand, row int) (uint64, bool) { return uint64(row / 3), true },
	"falling":    func(_ *rand.Rand, row int) (uint64, bool) { return -uint64(row), true },
	"constant":   func(*rand.Rand, int) (uint64, bool) { return 7, true },
	"in runs":    func(_ *rand.Rand, row int) (uint64, bool) { return uint64(row / 1000), true },
	"none":       func(*rand.Rand, int) (uint64, bool) { return 0, false },
	"some NULLs": func(r *rand.Rand, _ int) (uint64, bool) { return r.Uint64N(5000), r.IntN(3) > 0 },
	"one value":  func(_ *rand.Rand, row int) (uint64, bool) { return 3, row == 5 },
	"NULL runs":  func(r *rand.Rand, row int) (uint64, bool) { return r.Uint64(), row/777%2 == 0 },
}

func appendTo(b array.Builder, v any) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(v.(int8))
	case *array.Int16Builder:
		b.Append(v.(int16))
	case *array.Int32Builder:
		b.Append(v.(int32))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Uint8Builder:
		b.Append(v.(uint8))
	case *array.Uint16Builder:
		b.Append(v.(uint16))
	case *array.Uint32Builder:
		b.Append(v.(uint32))
	case *array.Uint64Builder:
		b.Append(v.(uint64))
	case *array.Float32Builder:
		b.Append(v.(float32))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Date32Builder:
		b.Append(v.(arrow.Date32))
	case *array.Time64Builder:
		b.Append(v.(arrow.Time64))
	case *array.TimestampBuilder:
		b.Append(v.(arrow.Timestamp))
	case *array.Decimal128Builder:
		b.Append(v.(decimal128.Num))
	case *array.StringBuilder:
		b.Append(v.(string))
	case *array.BinaryBuilder:
		b.Append(v.([]byte))
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

// table makes a batch with a column of each type in one shape.
func table(seed uint64, rows int, as shape) arrow.RecordBatch {
	var fields []arrow.Field
	for i, t := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: t.is, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	for i, t := range types {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		for row := range rows {
			if n, valid := as(r, row); valid {
				appendTo(b.Field(i), t.value(r, n))
			} else {
				b.Field(i).AppendNull()
			}
		}
	}
	return b.NewRecordBatch()
}

// cut makes batches of random sizes of a table, as slices of it.
func cut(r *rand.Rand, b arrow.RecordBatch, most int) (all []arrow.RecordBatch) {
	for at := int64(0); at < b.NumRows(); {
		n := min(r.Int64N(int64(most)+1), b.NumRows()-at)
		all = append(all, b.NewSlice(at, at+n))
		at += n
	}
	return all
}

func reader(t *testing.T, schema *arrow.Schema, batches ...arrow.RecordBatch) array.RecordReader {
	t.Helper()
	r, err := array.NewRecordReader(schema, batches)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, o parquetwriter.Options, schema *arrow.Schema, batches ...arrow.RecordBatch) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquetwriter.Write(t.Context(), &b, reader(t, schema, batches...), o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReadersReadWhatWasWritten writes tables of all types in all shapes, and
// reads them with the engine and with Arrow's own reader: each value is the same.
func TestReadersReadWhatWasWritten(t *testing.T) {
	conn := enginetest.Conn(t)
	// Each file has hundreds of short statements, which need no second thread and
	// would parse its footer each time.
	if err := conn.Exec(t.Context(), "SET parquet_metadata_cache = true; SET threads = 1"); err != nil {
		t.Fatal(err)
	}
	for name, as := range shapes {
		for i, rows := range []int{0, 1, 8, 9, 2500} {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			whole := table(uint64(rows), rows, as)
			o := parquetwriter.Options{Codec: []parquetwriter.Codec{parquetwriter.Snappy, parquetwriter.Zstd}[i%2]}
			written := write(t, o, whole.Schema(), cut(r, whole, 1+rows/4)...)
			what := fmt.Sprintf("%s, %d rows", name, rows)
			if err := parquetfile.Check(bytes.NewReader(written), int64(len(written)), parquetfile.Expected{Schema: whole.Schema(), Rows: int64(rows)}); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			sameInEngine(t, what, conn, written, whole)
			if rows == 2500 || rows == 1 { // the others differ in how values are packed
				sameBounds(t, what, conn, written, whole)
			}
			sameInArrow(t, what, written, whole)
			again := write(t, o, whole.Schema(), cut(r, whole, 1+rows/7)...)
			if !bytes.Equal(written, again) {
				t.Fatalf("%s: other batches of the same rows make another file", what)
			}
		}
	}
}

// sameInEngine compares a file with a table, row by row, and its types with those
// of the file that the engine writes itself.
func sameInEngine(t *testing.T, what string, conn *duckdb.Conn, written []byte, whole arrow.RecordBatch) {
	t.Helper()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "ours.parquet"), filepath.Join(dir, "other.parquet")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	sql := "COPY (SELECT * FROM incoming) TO " + duckdb.Literal(other) + " (FORMAT parquet)"
	if err := conn.Import(t.Context(), "incoming", reader(t, whole.Schema(), whole), sql); err != nil {
		t.Fatal(err)
	}
	types := func(path string) string {
		cols, err := conn.Describe(t.Context(), "SELECT * FROM "+duckdb.Literal(path))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(cols)
	}
	if ours, theirs := types(path), types(other); ours != theirs {
		t.Fatalf("%s: types\n%s are\n%s in the engine's file", what, ours, theirs)
	}
	rows, err := conn.Query(t.Context(), "SELECT * FROM "+duckdb.Literal(path))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, what+", in the engine", rows, whole)
	rows.Release()
}

// sameBounds asks for what statistics can answer, or can prove to be nowhere: the
// file says the same as a table in memory.
func sameBounds(t *testing.T, what string, conn *duckdb.Conn, written []byte, whole arrow.RecordBatch) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ours.parquet")
	if err := os.WriteFile(path, written, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := conn.Import(t.Context(), "incoming", reader(t, whole.Schema(), whole), "CREATE OR REPLACE TABLE whole AS SELECT * FROM incoming"); err != nil {
		t.Fatal(err)
	}
	for i := range types {
		var said [2]string
		for k, from := range []string{duckdb.Literal(path), "whole"} {
			sql := fmt.Sprintf(`SELECT concat_ws('|', min(c), max(c), count(c), count(*), (SELECT count(*) FROM %[1]s WHERE c%[2]d = (SELECT min(c%[2]d) FROM whole)),
				(SELECT count(*) FROM %[1]s WHERE c%[2]d >= (SELECT max(c%[2]d) FROM whole)), (SELECT count(*) FROM %[1]s WHERE c%[2]d IS NULL)) FROM (SELECT c%[2]d AS c FROM %[1]s)`,
				from, i)
			if err := conn.QueryRow(t.Context(), sql, nil, &said[k]); err != nil {
				t.Fatal(err)
			}
		}
		if said[0] != said[1] {
			t.Fatalf("%s: the file says of %s %s, and it is %s", what, types[i].is, said[0], said[1])
		}
	}
}

func sameInArrow(t *testing.T, what string, written []byte, whole arrow.RecordBatch) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(written))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 10_000}, memory.NewGoAllocator())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	rows, err := r.GetRecordReader(t.Context(), nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer rows.Release()
	compare(t, what+", in Arrow", rows, whole)
}

// compare compares rows value by value.
func compare(t *testing.T, what string, rows array.RecordReader, whole arrow.RecordBatch) {
	t.Helper()
	at := 0
	for rows.Next() {
		b := rows.RecordBatch()
		for i, col := range b.Columns() {
			want := whole.Column(i)
			if at+col.Len() > want.Len() {
				t.Fatalf("%s: more than %d rows", what, want.Len())
			}
			for row := range col.Len() {
				if got, want := col.ValueStr(row), want.ValueStr(at+row); got != want {
					t.Fatalf("%s: row %d of %s was %s and is %s", what, at+row, types[i].is, want, got)
				}
			}
		}
		at += int(b.NumRows())
	}
	if rows.Err() != nil || at != int(whole.NumRows()) {
		t.Fatalf("%s: %d of %d rows: %v", what, at, whole.NumRows(), rows.Err())
	}
}

package parquetwriter_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/agnes-data/da/internal/rows/parquetwriter"
)

func schemaOf(types ...arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, t := range types {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: t, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// texts makes a batch of one column.
func texts(values ...string) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schemaOf(arrow.BinaryTypes.String))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues(values, nil)
	return b.NewRecordBatch()
}

func open(t *testing.T, written []byte) *file.Reader {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestGroupsAreBounded: a group ends at 122,880 rows, and at some megabytes with
// the row that reaches them, whatever the batches are.
func TestGroupsAreBounded(t *testing.T) {
	narrow := make([]string, 300_000)
	wide := make([]string, 300)
	for i := range wide {
		wide[i] = strings.Repeat(string(rune('a'+i%26)), 100_000)
	}
	for _, c := range []struct {
		values []string
		groups []int64
	}{
		{narrow, []int64{122_880, 122_880, 54_240}},
		{wide, []int64{32, 32, 32, 32, 32, 32, 32, 32, 32, 12}},
	} {
		whole := texts(c.values...)
		for _, most := range []int{10, len(c.values)} {
			meta := open(t, write(t, parquetwriter.Options{}, whole.Schema(), cut(rand.New(rand.NewPCG(1, 1)), whole, most)...)).MetaData()
			var groups []int64
			for i := range meta.NumRowGroups() {
				groups = append(groups, meta.RowGroup(i).NumRows())
			}
			if len(groups) != len(c.groups) {
				t.Fatalf("groups of %d rows", groups)
			}
			for i := range groups {
				if groups[i] != c.groups[i] {
					t.Fatalf("groups of %d rows", groups)
				}
			}
		}
	}
}

// TestManyGroupsKeepTheOrder writes more groups than are in memory at a time.
func TestManyGroupsKeepTheOrder(t *testing.T) {
	n := 1_000_000
	b := array.NewInt64Builder(memory.NewGoAllocator())
	for i := range n {
		b.Append(int64(i))
	}
	schema := schemaOf(arrow.PrimitiveTypes.Int64)
	whole := array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(n))
	f := open(t, write(t, parquetwriter.Options{Codec: parquetwriter.Snappy}, schema, cut(rand.New(rand.NewPCG(1, 1)), whole, 50_000)...))
	if groups := f.NumRowGroups(); groups != 9 {
		t.Errorf("%d groups", groups)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, chunk := range got.Column(0).Data().Chunks() {
		for _, v := range chunk.(*array.Int64).Int64Values() {
			if v != at {
				t.Fatalf("row %d is %d", at, v)
			}
			at++
		}
	}
	if at != int64(n) {
		t.Errorf("%d rows", at)
	}
}

// TestNothingUnderNULLsIsWritten puts a secret where there is no value.
func TestNothingUnderNULLsIsWritten(t *testing.T) {
	const secret = "sekretní!"
	valid := memory.NewBufferBytes([]byte{0b101})
	ends := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, int32(1 + len(secret)), int32(2 + len(secret))}))
	text := array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{valid, ends, memory.NewBufferBytes([]byte("x" + secret + "y"))}, nil, 1, 0)
	number := array.NewData(arrow.PrimitiveTypes.Int64, 3, []*memory.Buffer{valid, memory.NewBufferBytes([]byte("87654321" + secret[:8] + "12345678"))}, nil, 1, 0)
	schema := schemaOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)
	written := write(t, parquetwriter.Options{}, schema, array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(text), array.MakeFromData(number)}, 3))
	if bytes.Contains(written, []byte(secret[:6])) {
		t.Error("bytes under a NULL are in the file")
	}
	if !bytes.Contains(written, []byte("87654321")) {
		t.Error("the test does not see what is written")
	}
}

// TestLongTextsHaveNoBounds: a bound that is cut short would be no value of the
// column.
func TestLongTextsHaveNoBounds(t *testing.T) {
	for n, want := range map[int]bool{256: true, 257: false} {
		chunk, err := open(t, write(t, parquetwriter.Options{}, texts("a").Schema(), texts("a", strings.Repeat("ž", n/2)+strings.Repeat("x", n%2)))).MetaData().RowGroup(0).ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := chunk.Statistics()
		if err != nil || s == nil || s.HasMinMax() != want {
			t.Errorf("%d bytes: bounds %v, %v", n, s, err)
		}
	}
}

// TestOnlyWhatIsKnownIsTaken: all else is for the engine's writer.
func TestOnlyWhatIsKnownIsTaken(t *testing.T) {
	known := arrow.PrimitiveTypes.Int64
	for _, odd := range []arrow.DataType{
		arrow.ListOf(known), arrow.StructOf(arrow.Field{Name: "x", Type: known}), arrow.MapOf(known, known), arrow.FixedSizeListOf(2, known),
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, extensions.NewUUIDType(), arrow.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.Duration_us,
		&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Millisecond}, arrow.FixedWidthTypes.Timestamp_ns,
		arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Float16, arrow.Null,
		&arrow.Decimal256Type{Precision: 40}, &arrow.Decimal128Type{Precision: 5, Scale: -2}, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	} {
		schema := schemaOf(known, odd)
		if parquetwriter.Takes(schema) {
			t.Errorf("%s is taken", odd)
		}
		if err := parquetwriter.Write(t.Context(), &bytes.Buffer{}, reader(t, schema), parquetwriter.Options{}); !errors.Is(err, parquetwriter.ErrSchema) {
			t.Errorf("%s: %v", odd, err)
		}
	}
	json := arrow.Field{Name: "j", Type: arrow.BinaryTypes.String, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrow.json"})}
	twice := []arrow.Field{{Name: "x", Type: known}, {Name: "X", Type: known}}
	for _, fields := range [][]arrow.Field{{json}, twice, {{Name: "", Type: known}}, nil} {
		if parquetwriter.Takes(arrow.NewSchema(fields, nil)) {
			t.Errorf("%v are taken", fields)
		}
	}
}

// failing is a reader that does something odd after some batches.
type failing struct {
	array.RecordReader
	batch arrow.RecordBatch
	left  int
	then  func() error
	err   error
}

func (f *failing) Next() bool {
	if f.left--; f.left < 0 {
		f.err = f.then()
		return false
	}
	return true
}
func (f *failing) RecordBatch() arrow.RecordBatch { return f.batch }
func (f *failing) Err() error                     { return f.err }

// limited is a writer that fails once it has so many bytes.
type limited struct{ left int }

var errFull = errors.New("full")

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWhatStopsAWriteIsReturned(t *testing.T) {
	whole := table(1, 20_000, shapes["many"])
	rows := func(then func() error) *failing {
		return &failing{RecordReader: reader(t, whole.Schema()), batch: whole, left: 20, then: then}
	}
	errSource := errors.New("source")
	if err := parquetwriter.Write(t.Context(), &limited{1 << 40}, rows(func() error { return errSource }), parquetwriter.Options{}); !errors.Is(err, errSource) {
		t.Errorf("a source that fails: %v", err)
	}
	for _, left := range []int{0, 10, 1 << 20, 8 << 20} {
		if err := parquetwriter.Write(t.Context(), &limited{left}, rows(func() error { return nil }), parquetwriter.Options{}); !errors.Is(err, errFull) {
			t.Errorf("a full disk: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := parquetwriter.Write(ctx, &limited{1 << 40}, rows(func() error { cancel(); return nil }), parquetwriter.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("who goes away: %v", err)
	}
	if err := parquetwriter.Write(t.Context(), &limited{1 << 40}, rows(func() error { return nil }), parquetwriter.Options{MaxGroup: 100_000}); !errors.Is(err, parquetwriter.ErrLarge) {
		t.Errorf("too large a group: %v", err)
	}
	large := &arrow.Decimal128Type{Precision: 4}
	b := array.NewDecimal128Builder(memory.NewGoAllocator(), &arrow.Decimal128Type{Precision: 38})
	if err := b.AppendValueFromString("12345678901234567890"); err != nil {
		t.Fatal(err)
	}
	data := b.NewArray().Data()
	wrong := array.MakeFromData(array.NewData(large, 1, data.Buffers(), nil, 0, 0))
	schema := schemaOf(large)
	if err := parquetwriter.Write(t.Context(), &limited{1 << 40}, reader(t, schema, array.NewRecordBatch(schema, []arrow.Array{wrong}, 1)), parquetwriter.Options{}); err == nil {
		t.Error("a decimal is cut")
	}
}

// TestPanicsReachTheCaller: those of the source, and those of who takes the file.
func TestPanicsReachTheCaller(t *testing.T) {
	whole := table(1, 20_000, shapes["many"])
	for what, to := range map[string]*panics{"source": {}, "sink": {at: 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the panic of the %s is lost", what)
				}
			}()
			rows := &failing{RecordReader: reader(t, whole.Schema()), batch: whole, left: 20, then: func() error { panic("source") }}
			_ = parquetwriter.Write(t.Context(), to, rows, parquetwriter.Options{})
		}()
	}
}

type panics struct{ at, n int }

func (p *panics) Write(b []byte) (int, error) {
	if p.n++; p.n == p.at {
		panic("sink")
	}
	return len(b), nil
}

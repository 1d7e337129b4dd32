package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

// manySchema has one column of each kind of layout that a source may send.
func manySchema() *arrow.Schema {
	field := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	return arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"note"}, []string{"the key"})},
		field("flag", arrow.FixedWidthTypes.Boolean),
		field("tiny", arrow.PrimitiveTypes.Uint8),
		field("ratio", arrow.PrimitiveTypes.Float64),
		field("name", arrow.BinaryTypes.String),
		field("blob", arrow.BinaryTypes.Binary),
		field("long", arrow.BinaryTypes.LargeString),
		field("view", arrow.BinaryTypes.StringView),
		field("price", &arrow.Decimal128Type{Precision: 18, Scale: 3}),
		field("small", &arrow.Decimal64Type{Precision: 9, Scale: 2}),
		field("day", arrow.FixedWidthTypes.Date32),
		field("clock", arrow.FixedWidthTypes.Time64us),
		field("at", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
		field("span", arrow.FixedWidthTypes.MonthDayNanoInterval),
		field("uuid", &arrow.FixedSizeBinaryType{ByteWidth: 4}),
		field("nothing", arrow.Null),
		field("list", arrow.ListOf(arrow.BinaryTypes.String)),
		field("pair", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32)),
		field("rec", arrow.StructOf(field("a", arrow.PrimitiveTypes.Int32), field("b", arrow.ListOf(arrow.PrimitiveTypes.Int16)))),
		field("map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
		field("enum", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}),
		field("none", arrow.ListOf(arrow.Null)),
		field("far", arrow.LargeListOf(arrow.PrimitiveTypes.Uint16)),
		field("either", arrow.SparseUnionOf([]arrow.Field{field("n", arrow.PrimitiveTypes.Int32), field("s", arrow.BinaryTypes.String)}, []arrow.UnionTypeCode{0, 1})),
		field("or", arrow.DenseUnionOf([]arrow.Field{field("n", arrow.PrimitiveTypes.Int32), field("s", arrow.BinaryTypes.String)}, []arrow.UnionTypeCode{5, 7})),
	}, nil)
}

// manyRows makes n rows of manySchema, starting at number from.
func manyRows(t testing.TB, mem memory.Allocator, from, n int) arrow.RecordBatch {
	t.Helper()
	var b strings.Builder
	b.WriteByte('[')
	for i := from; i < from+n; i++ {
		if i > from {
			b.WriteByte(',')
		}
		if i%4 == 3 {
			fmt.Fprintf(&b, `{"id":%d}`, i)
			continue
		}
		fmt.Fprintf(&b, `{"id":%d,"flag":%t,"tiny":%d,"ratio":%d.5,"name":"row %d é","blob":"AAEC","long":"l%d",
			"view":"a string that is too long to lie inline %d","price":"%d.125","small":"%d.25","day":"2024-02-%02d","clock":"12:34:56.%06d",
			"at":"2024-02-29T12:00:%02dZ","span":{"months":1,"days":%d,"nanoseconds":5},"uuid":"AAECAw==","nothing":null,
			"list":["x",null,"%d"],"pair":[%d,2],"rec":{"a":%d,"b":[1,2]},"map":[{"key":"k","value":%d}],"enum":"e%d",
			"none":[null,null],"far":[1,%d],"either":[%d,%s],"or":[%d,%s]}`,
			i, i%2 == 0, i%200, i, i, i, i, i, i, i%28+1, i, i%60, i, i, i, i, i, i%3,
			i, i%2, []string{"7", `"x"`}[i%2], 5+i%2*2, []string{"8", `"y"`}[i%2])
	}
	b.WriteByte(']')
	rec, _, err := array.RecordFromJSON(mem, manySchema(), strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// streamOf makes a stream of batches with a truthful end record.
func streamOf(t testing.TB, schema *arrow.Schema, recs ...arrow.RecordBatch) *api.Stream {
	t.Helper()
	rdr, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	end := api.End{Bytes: 12345, Truncated: true, Cap: "max_limit"}
	for _, r := range recs {
		end.Rows += r.NumRows()
	}
	return &api.Stream{Batches: rdr, End: func() api.End { return end }, CloseFunc: rdr.Release}
}

func encode(t testing.TB, s *api.Stream) []byte { return encodeAs(t, s, Plain) }

func encodeAs(t testing.TB, s *api.Stream, codec Codec) []byte {
	t.Helper()
	defer s.Close()
	var b bytes.Buffer
	if _, err := Encode(&b, func() {}, s, codec); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func manyBody(t testing.TB, batches, rows int) []byte { return manyBodyAs(t, batches, rows, Plain) }

func manyBodyAs(t testing.TB, batches, rows int, codec Codec) []byte {
	t.Helper()
	var recs []arrow.RecordBatch
	for i := range batches {
		recs = append(recs, manyRows(t, memory.DefaultAllocator, i*rows, rows))
	}
	return encodeAs(t, streamOf(t, manySchema(), recs...), codec)
}

// drain reads a body to its end and returns its batches' text and the error.
func drain(r io.Reader) (rows int64, end api.End, err error) {
	s, err := Decode(r)
	if err != nil {
		return 0, api.End{}, err
	}
	defer s.Close()
	for s.Batches.Next() {
		rows += s.Batches.RecordBatch().NumRows()
	}
	return rows, s.End(), s.Batches.Err()
}

// withoutUnions drops the last two columns of manySchema, which the Arrow
// library cannot write from the middle of a batch.
func withoutUnions(rec arrow.RecordBatch) arrow.RecordBatch {
	n := int(rec.NumCols()) - 2
	schema := arrow.NewSchema(rec.Schema().Fields()[:n], nil)
	return array.NewRecordBatch(schema, rec.Columns()[:n], rec.NumRows())
}

func TestRoundTripKeepsEveryTypeAndFreesEverything(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	all := manyRows(t, mem, 0, 40)
	defer all.Release()
	empty := manyRows(t, mem, 0, 0)
	defer empty.Release()
	front := all.NewSlice(0, 11)
	defer front.Release()
	roundTrip(t, all, empty, front)

	part := withoutUnions(all)
	defer part.Release()
	slices := []arrow.RecordBatch{part.NewSlice(0, 7), part.NewSlice(7, 30), part.NewSlice(30, 30), part.NewSlice(30, 40)}
	roundTrip(t, slices...)
	for _, s := range slices {
		s.Release()
	}
}

// roundTrip sends batches of one schema and compares what arrives.
func roundTrip(t *testing.T, sent ...arrow.RecordBatch) {
	t.Helper()
	for _, codec := range []Codec{Plain, Zstd} {
		roundTripAs(t, codec, sent...)
	}
}

func roundTripAs(t *testing.T, codec Codec, sent ...arrow.RecordBatch) {
	t.Helper()
	s, err := Decode(bytes.NewReader(encodeAs(t, streamOf(t, sent[0].Schema(), sent...), codec)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Batches.Schema().Equal(sent[0].Schema()) {
		t.Errorf("schema: %v", s.Batches.Schema())
	}
	var rows int64
	for _, want := range sent {
		if want.NumRows() == 0 {
			continue // it does not arrive
		}
		if !s.Batches.Next() {
			t.Fatalf("the stream ended: %v", s.Batches.Err())
		}
		if got := s.Batches.RecordBatch(); !array.RecordEqual(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
		rows += want.NumRows()
	}
	if s.Batches.Next() || s.Batches.Err() != nil {
		t.Fatalf("the stream goes on, or %v", s.Batches.Err())
	}
	end := s.End()
	if end.Rows != rows || end.Bytes != 12345 || !end.Truncated || end.Cap != "max_limit" {
		t.Errorf("sent %d rows, end record %+v", rows, end)
	}
}

func TestDictionariesOfViewsTravelBesideViews(t *testing.T) {
	mem := memory.DefaultAllocator
	views := array.NewStringViewBuilder(mem)
	views.AppendValues([]string{"a name that is too long to lie inline", "short"}, nil)
	dict := views.NewArray()
	views.AppendValues([]string{"x", "another name that is too long to lie inline", "z"}, nil)
	plain := views.NewArray()
	index := array.NewInt32Builder(mem)
	index.AppendValues([]int32{1, 0, 9}, []bool{true, true, false})
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.StringView}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt, Nullable: true}, {Name: "v", Type: arrow.BinaryTypes.StringView}}, nil)
	want := array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(dt, index.NewArray(), dict), plain}, 3)
	roundTrip(t, want, want)
}

func TestAnEmptyResultKeepsItsTypes(t *testing.T) {
	s, err := Decode(bytes.NewReader(encode(t, streamOf(t, manySchema()))))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Batches.Next() {
		t.Error("there is a batch")
	}
	if err := s.Batches.Err(); err != nil {
		t.Error(err)
	}
	if !s.Batches.Schema().Equal(manySchema()) {
		t.Errorf("schema: %v", s.Batches.Schema())
	}
}

func TestAnArrowReaderStopsAtTheMark(t *testing.T) {
	for _, codec := range []Codec{Plain, Zstd} {
		rdr, err := ipc.NewReader(bytes.NewReader(manyBodyAs(t, 2, 500, codec)))
		if err != nil {
			t.Fatal(err)
		}
		defer rdr.Release()
		var rows int64
		for ; rdr.Next(); rows += rdr.RecordBatch().NumRows() {
			if want := manyRows(t, memory.DefaultAllocator, int(rows), 500); !array.RecordEqual(rdr.RecordBatch(), want) {
				t.Errorf("%q: got %v", codec, rdr.RecordBatch())
			}
		}
		if rdr.Err() != nil || rows != 1000 {
			t.Errorf("%q: a plain Arrow reader got %d rows, %v", codec, rows, rdr.Err())
		}
	}
}

func TestHowBytesArriveDoesNotMatter(t *testing.T) {
	body := manyBody(t, 3, 5)
	for name, r := range map[string]io.Reader{
		"one byte a time":     iotest.OneByteReader(bytes.NewReader(body)),
		"half":                iotest.HalfReader(bytes.NewReader(body)),
		"end with the data":   iotest.DataErrReader(bytes.NewReader(body)),
		"whole, end together": iotest.DataErrReader(bytes.NewBuffer(body)),
	} {
		rows, _, err := drain(r)
		if err != nil || rows != 15 {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
	}
}

// damaging calls try for places in a body: for each of a small one, for some of
// one with every type.
func damaging(t *testing.T, try func(body []byte, at int)) {
	t.Helper()
	for _, codec := range []Codec{Plain, Zstd} {
		small := encodeAs(t, streamOf(t, numbers(0).Schema(), numbers(3), numbers(20)), codec)
		for at := range small {
			try(small, at)
		}
		rows, step := 5, 7
		if codec == Zstd {
			rows, step = 40, 29 // fewer rows are not compressed
		}
		many := manyBodyAs(t, 2, rows, codec)
		for at := 0; at < len(many); at += step {
			try(many, at)
		}
	}
}

func TestACutAnywhereIsSeen(t *testing.T) {
	damaging(t, func(body []byte, at int) {
		_, _, err := drain(bytes.NewReader(body[:at]))
		if !api.CodeStreamCut.Is(err) {
			t.Fatalf("cut at %d of %d: %v", at, len(body), err)
		}
	})
}

func TestAFlippedBitAnywhereIsSeen(t *testing.T) {
	damaging(t, func(body []byte, at int) {
		for _, mask := range []byte{0x01, 0x80} {
			damaged := bytes.Clone(body)
			damaged[at] ^= mask
			_, _, err := drain(bytes.NewReader(damaged))
			if !api.CodeStreamCut.Is(err) {
				t.Fatalf("byte %d of %d ^ %#x: %v", at, len(body), mask, err)
			}
		}
	})
}

// TestTheEndRecordHasCaveats holds that what came up while rows were read arrives after
// them, as much of it as a record may have.
func TestTheEndRecordHasCaveats(t *testing.T) {
	sent := make([]api.Caveat, 2000)
	for i := range sent {
		sent[i] = api.NewCaveat(api.CaveatUnread, "%d: %s", i, strings.Repeat("x", 1000))
	}
	for n, most := range map[int]int{0: 0, 1: 1, 100: 100, len(sent): 251} { // 1 MB of them is more than a record has
		line, err := formatEnd(api.End{Rows: 1, BodyXXH3: "x", Caveats: sent[:n]})
		if err != nil {
			t.Fatal(err)
		}
		end, err := readEnd(bytes.NewReader(line), "x")
		if err != nil || len(end.Caveats) != most {
			t.Fatalf("of %d caveats %d arrive: %v", n, len(end.Caveats), err)
		}
		for i, c := range end.Caveats[:max(0, min(n, len(end.Caveats))-1)] {
			if c.Text != sent[i].Text || c.Kind != api.CaveatUnread {
				t.Errorf("%+v", c)
			}
		}
	}
}

func TestTheEndRecordIsTheLastLine(t *testing.T) {
	body := manyBody(t, 1, 3)
	mark := bytes.LastIndex(body, eosMark[:]) + len(eosMark)
	rows, record := body[:mark], string(body[mark:])
	if !strings.HasPrefix(record, `{"rows":3,"bytes":12345,"truncated":true,"cap":"max_limit","body_xxh3":"`) ||
		!strings.HasSuffix(record, "\"}\n") || strings.Count(record, "\n") != 1 {
		t.Errorf("end record %q", record)
	}
	seal := func(text string) string { return text + sealHead + recordHash([]byte(text)) + sealTail }
	hash := record[strings.Index(record, `"body_xxh3":"`)+13:][:32]
	for what, tail := range map[string]string{
		"nothing":            "",
		"a line feed":        "\n",
		"no line feed":       strings.TrimSuffix(record, "\n"),
		"carriage return":    strings.TrimSuffix(record, "\n") + "\r\n",
		"a second line feed": record + "\n",
		"a second record":    record + record,
		"junk behind":        record + "x",
		"junk before":        " " + record,
		"an error as JSON":   `{"error":"internal","message":"internal error"}` + "\n",
		"much":               strings.Repeat(" ", 1<<20) + record,
		"other rows":         seal(`{"rows":2,"bytes":1,"truncated":false,"body_xxh3":"` + hash + `"`),
		"no rows":            seal(`{"bytes":1,"truncated":false,"body_xxh3":"` + hash + `"`),
		"no truncated":       seal(`{"rows":3,"bytes":1,"body_xxh3":"` + hash + `"`),
		"no bytes":           seal(`{"rows":3,"truncated":false,"body_xxh3":"` + hash + `"`),
		"no hash":            seal(`{"rows":3,"bytes":1,"truncated":false`),
		"another hash":       seal(`{"rows":3,"bytes":1,"truncated":false,"body_xxh3":"` + strings.Repeat("0", 32) + `"`),
		"not JSON":           seal(`{"rows":`),
	} {
		_, _, err := drain(io.MultiReader(bytes.NewReader(rows), strings.NewReader(tail)))
		if !api.CodeStreamCut.Is(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	later := seal(`{"rows":3,"bytes":1,"truncated":false,"body_xxh3":"` + hash + `","added_later":[1]`)
	if _, _, err := drain(strings.NewReader(string(rows) + later)); err != nil {
		t.Errorf("a field of a later version: %v", err)
	}
}

func TestEmptyBatchesOnlyShowLife(t *testing.T) {
	empty := manyRows(t, memory.DefaultAllocator, 0, 0)
	some := manyRows(t, memory.DefaultAllocator, 0, 2)
	s, err := Decode(bytes.NewReader(encode(t, streamOf(t, manySchema(), empty, some, empty, empty, some, empty))))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for s.Batches.Next() {
		if s.Batches.RecordBatch().NumRows() == 0 {
			t.Error("an empty batch came through")
		}
		n++
	}
	if n != 2 || s.Batches.Err() != nil {
		t.Errorf("%d batches, %v", n, s.Batches.Err())
	}
}

// failing is a reader of batches that breaks off.
type failing struct {
	array.RecordReader
	err error
}

func (f failing) Err() error { return f.err }

func TestAFailingSourceLeavesACut(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rec := manyRows(t, mem, 0, 5)
	defer rec.Release()
	s := streamOf(t, manySchema(), rec)
	broken := errors.New("the disk is gone")
	s.Batches = failing{s.Batches, broken}
	var b bytes.Buffer
	_, err := Encode(&b, func() {}, s, Plain)
	s.Close()
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if bytes.Contains(b.Bytes(), eosMark[:]) {
		t.Error("Arrow's mark was written all the same")
	}
	if _, _, err := drain(bytes.NewReader(b.Bytes())); !api.CodeStreamCut.Is(err) {
		t.Errorf("the reader saw %v", err)
	}
}

func TestAnEndRecordThatLiesIsNotSent(t *testing.T) {
	s := streamOf(t, manySchema(), manyRows(t, memory.DefaultAllocator, 0, 5))
	s.End = func() api.End { return api.End{Rows: 6} }
	var b bytes.Buffer
	if _, err := Encode(&b, func() {}, s, Plain); err == nil {
		t.Error("no error")
	}
	if _, _, err := drain(bytes.NewReader(b.Bytes())); !api.CodeStreamCut.Is(err) {
		t.Errorf("the reader saw %v", err)
	}
}

// fullAfter takes n bytes and then fails.
type fullAfter struct{ n int }

var errFull = errors.New("full")

func (f *fullAfter) Write(p []byte) (int, error) {
	if len(p) > f.n {
		n := f.n
		f.n = 0
		return n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

func TestAWriterThatFailsAnywhereIsReported(t *testing.T) {
	rec := manyRows(t, memory.DefaultAllocator, 0, 5)
	for n := range len(encode(t, streamOf(t, manySchema(), rec))) {
		if _, err := Encode(&fullAfter{n}, func() {}, streamOf(t, manySchema(), rec), Zstd); !errors.Is(err, errFull) {
			t.Fatalf("failing at byte %d: %v", n, err)
		}
	}
}

func TestTheReadersOwnErrorIsKept(t *testing.T) {
	body := manyBody(t, 2, 5)
	stalled := &api.Error{Code: api.CodeStalled, Message: "silence"}
	for _, n := range []int{0, 3, 8, 100, len(body) / 2, len(body) - 50, len(body)} {
		_, _, err := drain(io.MultiReader(bytes.NewReader(body[:n]), iotest.ErrReader(stalled)))
		if err != error(stalled) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestClosingEarlyIsNoEnd(t *testing.T) {
	s, err := Decode(bytes.NewReader(manyBody(t, 2, 5)))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Batches.Next() {
		t.Fatal("no batch")
	}
	s.Close()
	s.Close()
	if s.Batches.Next() || s.Batches.Err() == nil {
		t.Error("a closed stream looks whole")
	}
}

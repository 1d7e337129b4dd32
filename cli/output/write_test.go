package output

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

var textFormats = []Format{JSON, NDJSON, CSV, TSV, Markdown}

func TestTextFormats(t *testing.T) {
	for name, build := range map[string]func(testing.TB) api.Rows{"flights": flights, "unusual": unusual, "hostile": hostile, "empty": empty} {
		for _, f := range textFormats {
			got, _ := render(t, build(t), f, Options{})
			golden(t, name+"."+string(f), got)
		}
	}
}

// On a terminal, data for machines is made harmless too.
func TestHostileTextOnATerminal(t *testing.T) {
	for _, f := range textFormats {
		got, _ := render(t, hostile(t), f, Options{Terminal: true})
		if f == TSV {
			got = strings.ReplaceAll(got, "\t", " ")
		}
		checkShape(t, got, 0)
	}
	got, _ := render(t, hostile(t), CSV, Options{})
	if !strings.Contains(got, "\x1b[2J") {
		t.Error("a pipe does not get the data as it is")
	}
}

func TestJSONReadsBack(t *testing.T) {
	got, _ := render(t, hostile(t), JSON, Options{})
	var rows []map[string]string
	if err := json.Unmarshal([]byte(got), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || rows[1]["a\x1b[31m|b"] != "line\nfeed\r\nand | pipe" || rows[1]["x"] != "abc\u202ecba" {
		t.Errorf("got %q", rows)
	}
}

func TestNumbersThatJSONCannotHold(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}, nil)
	schema := arrow.NewSchema([]arrow.Field{field("x", f64)}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 3)
	for f, want := range map[Format]string{
		JSON:     "[\n{\"x\":\"NaN\"},\n{\"x\":\"Infinity\"},\n{\"x\":\"-Infinity\"}\n]\n",
		NDJSON:   "{\"x\":\"NaN\"}\n{\"x\":\"Infinity\"}\n{\"x\":\"-Infinity\"}\n",
		CSV:      "x\nNaN\nInfinity\n-Infinity\n",
		TSV:      "x\nNaN\nInfinity\n-Infinity\n",
		Markdown: "| x |\n| ---: |\n| NaN |\n| Infinity |\n| -Infinity |\n",
	} {
		rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{batch})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := render(t, rdr, f, Options{}); got != want {
			t.Errorf("%s: got %q, want %q", f, got, want)
		}
	}
}

func twins(t testing.TB) api.Rows {
	return result(t, []arrow.Field{field("a", i64), field("a", text), field("A", i64), field("a_1", i64)}, row("1", `"x"`, "2", "3"))
}

func TestNamesThatOccurTwice(t *testing.T) {
	got, summary := render(t, twins(t), NDJSON, Options{})
	if want := `{"a":1,"a_2":"x","A":2,"a_1":3}` + "\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []string{"column names that occur more than once were made unique: 'a' is 'a_2'"}
	if fmt.Sprint(summary.Caveats) != fmt.Sprint(want) {
		t.Errorf("got %q", summary.Caveats)
	}
	got, summary = render(t, twins(t), CSV, Options{})
	if want := "a,a,A,a_1\n1,x,2,3\n"; got != want || len(summary.Caveats) > 0 {
		t.Errorf("got %s, %v", got, summary.Caveats)
	}
	many := make([]string, 20)
	if w := arrowjson.Renamed(many, many); strings.Contains(w, "more more") || strings.Contains(w, "'' is") {
		t.Errorf("names that did not change are told: %s", w)
	}
	others := strings.Split(strings.Repeat("b", 20), "")
	if w := arrowjson.Renamed(many, others); !strings.HasSuffix(w, "'' is 'b', 15 more") {
		t.Errorf("got %s", w)
	}
}

func TestCSVReadsBack(t *testing.T) {
	cells := []string{"", "plain", "a,b", `say "hi"`, `""`, "two\nlines", "cr\rlf\r\n", " spaces ", "日本", ",", `"`}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(cells, nil)
	schema := arrow.NewSchema([]arrow.Field{field("a,\"b\"", text), field("", text)}, nil)
	arr := b.NewArray()
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{arr, arr}, int64(len(cells)))})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := render(t, rdr, CSV, Options{})
	records, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if records[0][0] != `a,"b"` {
		t.Errorf("header %q", records[0])
	}
	for i, c := range cells {
		want := strings.ReplaceAll(c, "\r\n", "\n") // encoding/csv's own doing
		if records[i+1][0] != want || records[i+1][1] != want {
			t.Errorf("%q reads back as %q", c, records[i+1])
		}
	}
	if !strings.Contains(got, "\n\"\",\"\"\n") {
		t.Errorf("the empty text does not differ from NULL:\n%s", got)
	}
}

func TestTSVReadsBack(t *testing.T) {
	got, _ := render(t, result(t, []arrow.Field{field("a\tb", text), field("c", i64)},
		row(`"tab\t line\n cr\r back\\ \\t"`, "null"), row(`""`, "1"), row(`"\\N"`, "2")), TSV, Options{})
	want := `a\tb` + "\tc\n" + `tab\t line\n cr\r back\\ \\t` + "\t" + `\N` + "\n\t1\n" + `\\N` + "\t2\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestArrowHidesWhatIsUnderNulls: a file is handed on, and what the memory held
// before is not.
func TestArrowHidesWhatIsUnderNulls(t *testing.T) {
	values := memory.NewBufferBytes([]byte("12345678LEAKLEAK"))
	data := array.NewData(i64, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{0xFD}), values}, nil, 1, 0)
	schema := arrow.NewSchema([]arrow.Field{field("n", i64)}, nil)
	rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(data)}, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := render(t, rdr, Arrow, Options{}); strings.Contains(got, "LEAK") || !strings.Contains(got, "12345678") {
		t.Errorf("%q", got)
	}
}

func TestArrowReadsBack(t *testing.T) {
	var b bytes.Buffer
	uuid := arrow.Field{Name: "id", Type: &arrow.FixedSizeBinaryType{ByteWidth: 2}, Nullable: true,
		Metadata: arrow.MetadataFrom(map[string]string{"ARROW:extension:name": "some.extension"})}
	fields := []arrow.Field{uuid, field("a", text), field("a", i64)}
	summary, err := Write(context.Background(), &b, result(t, fields, row(`"qgE="`, `"x"`, "1"), row("null", "null", "2")), Arrow, Options{})
	if err != nil || summary.Rows != 2 || len(summary.Caveats) > 0 {
		t.Fatalf("%+v, %v", summary, err)
	}
	rdr, err := ipc.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer rdr.Release()
	if want := arrow.NewSchema(fields, nil); !rdr.Schema().Equal(want) {
		t.Errorf("got the schema %v", rdr.Schema())
	}
	if !rdr.Next() || rdr.RecordBatch().NumRows() != 2 || rdr.Next() || rdr.Err() != nil {
		t.Errorf("the rows do not read back: %v", rdr.Err())
	}

	b.Reset()
	if _, err := Write(context.Background(), &b, empty(t), Arrow, Options{}); err != nil {
		t.Fatal(err)
	}
	if rdr, err = ipc.NewReader(&b); err != nil || rdr.Schema().NumFields() != 2 || rdr.Next() {
		t.Errorf("an empty result lost its types: %v", err)
	}
}

func TestBinaryFormatsAreKeptFromTerminals(t *testing.T) {
	for _, f := range []Format{Parquet, Arrow} {
		var b bytes.Buffer
		_, err := Write(context.Background(), &b, flights(t), f, Options{Terminal: true})
		if !api.CodeUsage.Is(err) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", f, err, b.Len())
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := Write(context.Background(), io.Discard, flights(t), "yaml", Options{}); !api.CodeUsage.Is(err) {
		t.Errorf("got %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.csv": CSV, "a.CSV": CSV, "x/b.jsonl": NDJSON, "a.ndjson": NDJSON, "a.json": JSON, "a.tsv": TSV, "a.md": Markdown, "a.parquet": Parquet, "a.arrow": Arrow} {
		if got, ok := FormatOf(path); got != want || !ok {
			t.Errorf("%s: got %s", path, got)
		}
	}
	for _, path := range []string{"a", "a.txt", "csv", ""} {
		if got, ok := FormatOf(path); ok {
			t.Errorf("%s: got %s", path, got)
		}
	}
}

func TestMaxRows(t *testing.T) {
	tests := []struct {
		sizes     []int
		most      int64
		rows      int64
		truncated bool
	}{
		{[]int{5}, 0, 5, false},
		{[]int{5}, 5, 5, false},
		{[]int{5}, 4, 4, true},
		{[]int{5}, 6, 5, false},
		{[]int{3, 2}, 5, 5, false},
		{[]int{3, 2}, 3, 3, true},
		{[]int{3, 2}, 4, 4, true},
		{[]int{3, 0, 0, 2}, 3, 3, true},
		{[]int{3, 0, 0}, 3, 3, false},
		{[]int{0, 0}, 1, 0, false},
		{nil, 1, 0, false},
	}
	for _, tt := range tests {
		for _, f := range []Format{Table, JSON, CSV, Arrow} {
			_, summary := render(t, counting(memory.DefaultAllocator, tt.sizes...), f, Options{MaxRows: tt.most})
			if summary.Rows != tt.rows || summary.Truncated != tt.truncated {
				t.Errorf("%s of %v with at most %d: got %d, %v", f, tt.sizes, tt.most, summary.Rows, summary.Truncated)
			}
		}
	}
	got, _ := render(t, counting(memory.DefaultAllocator, 2, 3), CSV, Options{MaxRows: 3})
	if want := "n\n0\n1\n2\n"; got != want {
		t.Errorf("got %q", got)
	}
}

// A million rows pass while no more than two batches are alive.
func TestStreamingHoldsOneBatch(t *testing.T) {
	const batches, rows = 100, 10_000
	sizes := make([]int, batches)
	for i := range sizes {
		sizes[i] = rows
	}
	for _, f := range []Format{JSON, NDJSON, CSV, TSV, Markdown, Arrow} {
		alloc := &peakAllocator{Allocator: memory.NewGoAllocator()}
		var written countingWriter
		summary, err := Write(context.Background(), &written, counting(alloc, sizes...), f, Options{})
		if err != nil || summary.Rows != batches*rows {
			t.Fatalf("%s: %d rows, %v", f, summary.Rows, err)
		}
		// Builders round their buffers up: 16,384 values and their validity.
		if limit := 2 * (16_384*8 + 16_384/8 + 1_024); alloc.peak > limit {
			t.Errorf("%s: %d bytes of batches were alive at once, a batch has %d", f, alloc.peak, limit/2)
		}
		if alloc.now != 0 {
			t.Errorf("%s: %d bytes were not released", f, alloc.now)
		}
		if written.largest > 10*rows*10 {
			t.Errorf("%s: %d bytes were written at once", f, written.largest)
		}
	}
}

type peakAllocator struct {
	memory.Allocator
	now, peak int
}

func (a *peakAllocator) Allocate(n int) []byte {
	a.add(n)
	return a.Allocator.Allocate(n)
}

func (a *peakAllocator) Reallocate(n int, b []byte) []byte {
	a.add(n - len(b))
	return a.Allocator.Reallocate(n, b)
}

func (a *peakAllocator) Free(b []byte) {
	a.add(-len(b))
	a.Allocator.Free(b)
}

func (a *peakAllocator) add(n int) {
	a.now += n
	a.peak = max(a.peak, a.now)
}

type countingWriter struct{ largest int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.largest = max(w.largest, len(p))
	return len(p), nil
}

func TestAnErrorOfTheSourceIsReturnedAndTheOutputCut(t *testing.T) {
	for _, f := range append([]Format{Table, Arrow}, textFormats...) {
		rdr := counting(memory.DefaultAllocator, 2)
		rdr.err = errSource
		var b bytes.Buffer
		if _, err := Write(context.Background(), &b, rdr, f, Options{}); !errors.Is(err, errSource) {
			t.Errorf("%s: got %v", f, err)
		}
		switch f {
		case JSON:
			if json.Valid(b.Bytes()) {
				t.Errorf("half a result looks whole: %s", b.String())
			}
		case Arrow:
			if bytes.HasSuffix(b.Bytes(), []byte("\xff\xff\xff\xff\x00\x00\x00\x00")) {
				t.Error("half a result has an end mark")
			}
		case Table:
			if b.Len() > 0 {
				t.Errorf("half a table was drawn: %s", b.String())
			}
		}
	}
}

func TestAFailedWriteIsToldByItsCode(t *testing.T) {
	for _, f := range append([]Format{Table, Arrow}, textFormats...) {
		for cause, code := range map[error]api.Code{
			syscall.ENOSPC: api.CodeDiskFull, syscall.EACCES: api.CodeNotWritable, syscall.EIO: api.CodeUnexpected,
		} {
			_, err := Write(context.Background(), &failingWriter{left: 10, err: cause}, flights(t), f, Options{})
			if !code.Is(err) || !errors.Is(err, cause) {
				t.Errorf("%s with %v: got %v", f, cause, err)
			}
		}
	}
}

func TestCancelling(t *testing.T) {
	for _, f := range append([]Format{Table, Arrow}, textFormats...) {
		ctx, cancel := context.WithCancelCause(context.Background())
		sizes := []int{1, 1, 1, 1}
		rdr := counting(memory.DefaultAllocator, sizes...)
		next := rdr.next
		rdr.next = func(n int) arrow.RecordBatch {
			if n == 2 {
				cancel(errSource)
			}
			return next(n)
		}
		if _, err := Write(ctx, io.Discard, rdr, f, Options{}); !errors.Is(err, errSource) {
			t.Errorf("%s: got %v", f, err)
		}
		if rdr.n == len(sizes)+1 {
			t.Errorf("%s: read to the end in spite of it", f)
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	sizes := make([]int, 10)
	for i := range sizes {
		sizes[i] = 100_000
	}
	for b.Loop() {
		if _, err := Write(context.Background(), io.Discard, counting(memory.DefaultAllocator, sizes...), CSV, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

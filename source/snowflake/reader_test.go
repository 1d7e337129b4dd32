package snowflake

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// stream is a part with one column, as Snowflake sends it.
func stream(t testing.TB, values arrow.Array, scale string) []byte {
	t.Helper()
	meta := arrow.NewMetadata([]string{"logicalType", "scale"}, []string{"FIXED", scale})
	schema := arrow.NewSchema([]arrow.Field{{Name: "da_0", Type: values.DataType(), Nullable: true, Metadata: meta}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{values}, int64(values.Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func narrow(_ testing.TB, values []int8) arrow.Array {
	b := array.NewInt8Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	b.AppendNull()
	a := b.NewArray()
	return array.NewSlice(a, 0, int64(len(values)))
}

func wide(_ testing.TB, values []int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	return b.NewArray()
}

func huge(text string) arrow.Array {
	n, err := decimal128.FromString(text, 38, 0)
	if err != nil {
		panic(err)
	}
	b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 38})
	b.Append(n)
	b.AppendNull()
	return b.NewArray()
}

// moments are times as seconds and nanoseconds; NULL may be in the fields alone.
func moments(pairs ...int64) arrow.Array {
	b := array.NewStructBuilder(memory.DefaultAllocator, arrow.StructOf(arrow.Field{Name: "epoch", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "fraction", Type: arrow.PrimitiveTypes.Int32, Nullable: true}))
	for i := 0; i < len(pairs); i += 2 {
		b.Append(true)
		b.FieldBuilder(0).(*array.Int64Builder).Append(pairs[i])
		b.FieldBuilder(1).(*array.Int32Builder).Append(int32(pairs[i+1]))
	}
	b.Append(true)
	b.FieldBuilder(0).AppendNull()
	b.FieldBuilder(1).AppendNull()
	return b.NewArray()
}

// TestReader gives values of all widths the column's type, or says why not.
func TestReader(t *testing.T) {
	type part struct {
		values arrow.Array
		scale  string
	}
	for name, test := range map[string]struct {
		typ   string
		parts []part
		less  int64 // rows that are missing
		want  string
		fails string
	}{
		"whole numbers":   {typ: "NUMBER(38,0)", parts: []part{{narrow(t, []int8{-3}), "0"}, {wide(t, []int64{1 << 62}), "0"}, {huge("9223372036854775807"), "0"}}, want: "-3; 4611686018427387904; 9223372036854775807; (null)"},
		"too large":       {typ: "NUMBER(38,0)", parts: []part{{huge("9223372036854775808"), "0"}}, fails: "more digits than 64 bits"},
		"decimals":        {typ: "NUMBER(10,2)", parts: []part{{narrow(t, []int8{-3}), "2"}, {huge("12345"), "2"}}, want: "-0.03; 123.45; (null)"},
		"too many digits": {typ: "NUMBER(4,2)", parts: []part{{wide(t, []int64{12345}), "2"}}, fails: "more digits than its type"},
		"times":           {typ: "TIMESTAMP_NTZ(9)", parts: []part{{moments(1, 5000, -62135596800, 0, 253402300799, 999999000), "9"}, {wide(t, []int64{1500}), "3"}}, want: "1970-01-01T00:00:01.000005; 0001-01-01T00:00:00; 9999-12-31T23:59:59.999999; (null); 1970-01-01T00:00:01.5"},
		"nanoseconds":     {typ: "TIMESTAMP_LTZ(9)", parts: []part{{moments(1, 1), "9"}}, fails: "nanoseconds"},
		"missing rows":    {typ: "NUMBER(38,0)", parts: []part{{narrow(t, []int8{1}), "0"}}, less: 1, fails: "broke off"},
		"no number":       {typ: "BOOLEAN", parts: []part{{wide(t, []int64{1}), "0"}}, fails: "it is a number"},
	} {
		of := &result{done: func() {}}
		for _, p := range test.parts {
			data := stream(t, p.values, p.scale)
			rows := int64(p.values.Len())
			of.rows += rows
			of.batches = append(of.batches, batch{rows: rows + test.less, open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(data)), nil
			}})
		}
		rows, err := enginetest.Rows(newReader(t.Context(), of, []column{{Column: api.Column{Name: "C"}, codec: codecOf(test.typ)}}, true))
		switch {
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("%s: %q, %v", name, rows, err)
		case test.fails == "" && (err != nil || strings.Join(rows, "; ") != test.want):
			t.Errorf("%s: %q, %v; want %s", name, rows, err, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	s := &Snowflake{database: "db", schema: "s"}
	for name, want := range map[string]string{
		"orders": `"DB"."S"."ORDERS"`, "x.orders": `"DB"."X"."ORDERS"`, `"My.Db".s2."a""b"`: `"My.Db"."S2"."a""b"`,
		"": "", "a.b.c.d": "", `"open`: "", `"a"b`: "", "a..b": "", `a"b`: "", `""`: "", "a.": "",
	} {
		r, err := s.named(name)
		if err == nil && r.String() != want || (err != nil) != (want == "") {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

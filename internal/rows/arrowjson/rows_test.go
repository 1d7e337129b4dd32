package arrowjson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

func TestUnique(t *testing.T) {
	tests := []struct{ in, want []string }{
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a", "a", "a"}, []string{"a", "a_1", "a_2"}},
		{[]string{"a", "a", "a_1"}, []string{"a", "a_2", "a_1"}},
		{[]string{"a_1", "a", "a", "a_1"}, []string{"a_1", "a", "a_2", "a_1_1"}},
		{[]string{"", "", "_1"}, []string{"", "_2", "_1"}},
		{[]string{"a", "A"}, []string{"a", "A"}},
	}
	for _, tt := range tests {
		before := slices.Clone(tt.in)
		got, changed := Unique(tt.in, nil)
		if !slices.Equal(got, tt.want) || changed != !slices.Equal(tt.in, tt.want) {
			t.Errorf("%q: got %q, %v; want %q", tt.in, got, changed, tt.want)
		}
		if !slices.Equal(tt.in, before) {
			t.Errorf("the names given were changed: %q", tt.in)
		}
	}
	got, _ := Unique([]string{"a", "A", "a_1"}, strings.ToLower)
	if want := []string{"a", "A_2", "a_1"}; !slices.Equal(got, want) {
		t.Errorf("ignoring case: got %q, want %q", got, want)
	}
}

func sampleBatch(t *testing.T) arrow.RecordBatch {
	t.Helper()
	inner := arrow.StructOf(arrow.Field{Name: "z", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "n", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "o", Type: arrow.ListOf(inner), Nullable: true},
		extensionField("arrow.json", "", arrow.BinaryTypes.String),
	}, nil)
	columns := []arrow.Array{
		fromJSON(t, arrow.PrimitiveTypes.Int64, `[1,9007199254740993]`),
		fromJSON(t, arrow.BinaryTypes.String, `["a<b>&\u2028",null]`),
		fromJSON(t, arrow.FixedWidthTypes.Boolean, `[true,null]`),
		fromJSON(t, arrow.ListOf(inner), `[[{"z":1,"a":"x"},null],null]`),
		fromJSON(t, arrow.BinaryTypes.String, `["{\"b\":1.50,\"a\":[]}","broken"]`),
	}
	return array.NewRecordBatch(schema, columns, 2)
}

func TestRowsAreTheSameAfterAJourney(t *testing.T) {
	rows := Rows(sampleBatch(t))
	want := []api.Row{
		{Columns: []string{"n", "s", "n_1", "o", "x"}, Values: []any{
			json.Number("1"), "a<b>&\u2028", true,
			[]any{api.Row{Columns: []string{"z", "a"}, Values: []any{json.Number("1"), "x"}}, nil},
			api.Row{Columns: []string{"b", "a"}, Values: []any{json.Number("1.50"), []any{}}},
		}},
		{Columns: []string{"n", "s", "n_1", "o", "x"}, Values: []any{"9007199254740993", nil, nil, nil, "broken"}},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got  %#v\nwant %#v", rows, want)
	}
	body, err := json.Marshal(api.Sample{Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	var sent api.Sample
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(sent.Rows, want) {
		t.Errorf("after the journey: %#v", sent.Rows)
	}
}

func TestValue(t *testing.T) {
	dates := fromJSON(t, arrow.FixedWidthTypes.Date32, `["2026-01-31",null]`)
	if v := Value(arrow.Field{Type: arrow.FixedWidthTypes.Date32}, dates, 0); v != "2026-01-31" {
		t.Errorf("got %#v", v)
	}
	if v := Value(arrow.Field{Type: arrow.FixedWidthTypes.Date32}, dates, 1); v != nil {
		t.Errorf("NULL became %#v", v)
	}
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	if v := Value(extensionField("arrow.json", "", arrow.BinaryTypes.String), fromJSON(t, arrow.BinaryTypes.String, `["`+deep+`"]`), 0); v != deep {
		t.Errorf("JSON nested too deeply became %.40v", v)
	}
}

func TestStrings(t *testing.T) {
	tests := map[string]string{
		"":                     `""`,
		`a"b\c`:                `"a\"b\\c"`,
		"\x00\x1b[31m\a\n\r\t": `"\u0000\u001b[31m\u0007\n\r\t"`,
		"\u009b31m\x7f":        `"\u009b31m\u007f"`,
		"a\u202eb\u2066":       `"a\u202eb\u2066"`,
		"\U000E0041":           `"\udb40\udc41"`,
		"\xff\xfe!":            "\"\uFFFD\uFFFD!\"",
		"日本語 שלום é 👨\u200d👩":  "\"日本語 שלום é 👨\u200d👩\"",
		"<script>&":            `"<script>&"`,
	}
	for in, want := range tests {
		got := string(AppendString(nil, []byte(in)))
		if got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != strings.ToValidUTF8(strings.ReplaceAll(in, "\xff\xfe", "\uFFFD\uFFFD"), "") {
			t.Errorf("%q reads back as %q, %v", in, back, err)
		}
	}
}

func FuzzStrings(f *testing.F) {
	f.Add("a\x1b\u202e\xff\"\\")
	f.Fuzz(func(t *testing.T, in string) {
		var got, want string
		if err := json.Unmarshal(AppendString(nil, []byte(in)), &got); err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		standard, _ := json.Marshal(in)
		if err := json.Unmarshal(standard, &want); err != nil || got != want {
			t.Fatalf("%q reads back as %q, by the standard library as %q", in, got, want)
		}
	})
}

func BenchmarkObjects(b *testing.B) {
	n := array.NewInt64Builder(memory.DefaultAllocator)
	d := array.NewDate32Builder(memory.DefaultAllocator)
	s := array.NewStringBuilder(memory.DefaultAllocator)
	const rows = 100_000
	for i := range rows {
		n.Append(int64(i))
		d.Append(arrow.Date32(11_000 + i%365))
		s.Append("JFK")
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{n.NewArray(), d.NewArray(), s.NewArray()}, rows)
	var dst []byte
	for b.Loop() {
		objects, columns := NewObjects(schema), BindBatch(batch)
		dst = dst[:0]
		for i := range rows {
			dst = objects.Append(dst, columns, i)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

package arrowjson

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// fromJSON builds an array with arrow-go's own reader of JSON.
func fromJSON(t *testing.T, dt arrow.DataType, text string) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v from %s: %v", dt, text, err)
	}
	return arr
}

// check compares every value of arr as JSON and, where texts are given, as
// text; then again in slices that begin at each value, where offsets that are
// forgotten show.
func check(t *testing.T, field arrow.Field, arr arrow.Array, wantJSON []string, wantText []string) {
	t.Helper()
	if arr.Len() != len(wantJSON) {
		t.Fatalf("%v: %d values, %d expected", field.Type, arr.Len(), len(wantJSON))
	}
	for from := range arr.Len() {
		slice := array.NewSlice(arr, int64(from), int64(arr.Len()))
		column := Bind(field, slice)
		for i := range slice.Len() {
			got := string(column.AppendJSON([]byte("x"), i))
			if got != "x"+wantJSON[from+i] {
				t.Errorf("%v value %d (slice from %d): got %s, want %s", field.Type, from+i, from, got[1:], wantJSON[from+i])
			}
			if !json.Valid([]byte(got[1:])) {
				t.Errorf("%v value %d is no JSON: %s", field.Type, from+i, got[1:])
			}
			if wantText == nil {
				continue
			}
			if text, _ := column.AppendText(nil, i); string(text) != wantText[from+i] {
				t.Errorf("%v value %d as text: got %q, want %q", field.Type, from+i, text, wantText[from+i])
			}
		}
		slice.Release()
	}
}

// unquote makes the plain text that belongs to simple JSON values.
func unquote(values []string) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		if v != "null" {
			texts[i] = strings.Trim(v, `"`)
		}
	}
	return texts
}

func TestFlatTypes(t *testing.T) {
	dec := func(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }
	tests := []struct {
		name  string
		dt    arrow.DataType
		input string
		want  []string
	}{
		{"boolean", arrow.FixedWidthTypes.Boolean, `[true,null,false]`, []string{"true", "null", "false"}},
		{"int8", arrow.PrimitiveTypes.Int8, `[-128,null,127]`, []string{"-128", "null", "127"}},
		{"int16", arrow.PrimitiveTypes.Int16, `[-32768,32767]`, []string{"-32768", "32767"}},
		{"int32", arrow.PrimitiveTypes.Int32, `[-2147483648,2147483647]`, []string{"-2147483648", "2147483647"}},
		{"int64", arrow.PrimitiveTypes.Int64,
			`[9007199254740992,9007199254740993,-9007199254740992,-9007199254740993,-9223372036854775808,0]`,
			[]string{"9007199254740992", `"9007199254740993"`, "-9007199254740992", `"-9007199254740993"`, `"-9223372036854775808"`, "0"}},
		{"uint8", arrow.PrimitiveTypes.Uint8, `[255]`, []string{"255"}},
		{"uint16", arrow.PrimitiveTypes.Uint16, `[65535]`, []string{"65535"}},
		{"uint32", arrow.PrimitiveTypes.Uint32, `[4294967295]`, []string{"4294967295"}},
		{"uint64", arrow.PrimitiveTypes.Uint64, `[18446744073709551615,9007199254740992]`, []string{`"18446744073709551615"`, "9007199254740992"}},
		{"decimal32", &arrow.Decimal32Type{Precision: 9, Scale: 2}, `["1.50","-0.05",null]`, []string{"1.50", "-0.05", "null"}},
		{"decimal64", &arrow.Decimal64Type{Precision: 18, Scale: 3}, `["123456789012345.678","1.000"]`, []string{`"123456789012345.678"`, "1.000"}},
		{"decimal128", dec(38, 2), `["0.00","-0.01","12.30","9999999999999.99","99999999999999.99","170141183460469231731687303715884105.00"]`,
			[]string{"0.00", "-0.01", "12.30", "9999999999999.99", `"99999999999999.99"`, `"170141183460469231731687303715884105.00"`}},
		{"decimal128 padded", dec(38, 18), `["1.5","0.000000000000000001","123456789012345.6"]`,
			[]string{"1.500000000000000000", "0.000000000000000001", `"123456789012345.600000000000000000"`}},
		{"decimal256", &arrow.Decimal256Type{Precision: 60, Scale: 1}, `["12345678901234567890123456789012345678901234567890.5","-1.0"]`,
			[]string{`"12345678901234567890123456789012345678901234567890.5"`, "-1.0"}},
		{"string", arrow.BinaryTypes.String, `["","a",null]`, []string{`""`, `"a"`, "null"}},
		{"large string", arrow.BinaryTypes.LargeString, `["","a",null]`, []string{`""`, `"a"`, "null"}},
		{"string view", arrow.BinaryTypes.StringView, `["short","longer than twelve bytes",null]`, []string{`"short"`, `"longer than twelve bytes"`, "null"}},
		{"binary", arrow.BinaryTypes.Binary, `["qgE=",null,""]`, []string{`"qgE="`, "null", `""`}},
		{"large binary", arrow.BinaryTypes.LargeBinary, `["qgE=",null]`, []string{`"qgE="`, "null"}},
		{"binary view", arrow.BinaryTypes.BinaryView, `["qgE=",null]`, []string{`"qgE="`, "null"}},
		{"fixed binary", &arrow.FixedSizeBinaryType{ByteWidth: 2}, `["qgE=",null]`, []string{`"qgE="`, "null"}},
		{"date64", arrow.FixedWidthTypes.Date64, `["2026-01-31",null,"1969-12-31"]`, []string{`"2026-01-31"`, "null", `"1969-12-31"`}},
		{"time32 s", arrow.FixedWidthTypes.Time32s, `["00:00:00","23:59:59"]`, []string{`"00:00:00"`, `"23:59:59"`}},
		{"time32 ms", arrow.FixedWidthTypes.Time32ms, `["12:34:56.7"]`, []string{`"12:34:56.7"`}},
		{"time64 us", arrow.FixedWidthTypes.Time64us, `["12:34:56.000001",null]`, []string{`"12:34:56.000001"`, "null"}},
		{"time64 ns", arrow.FixedWidthTypes.Time64ns, `["12:34:56.123456789"]`, []string{`"12:34:56.123456789"`}},
		{"null", arrow.Null, `[null,null]`, []string{"null", "null"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, arrow.Field{Type: tt.dt}, fromJSON(t, tt.dt, tt.input), tt.want, unquote(tt.want))
		})
	}
}

func TestFloats(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues([]float64{1, -0.5, 0.1, math.Copysign(0, -1), 1e-6, 9.9e-7, 1e20, 1e21, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}, nil)
	want := []string{"1.0", "-0.5", "0.1", "-0.0", "0.000001", "9.9e-07", "100000000000000000000.0", "1e+21",
		"1.7976931348623157e+308", "5e-324", `"NaN"`, `"Infinity"`, `"-Infinity"`}
	check(t, arrow.Field{Type: arrow.PrimitiveTypes.Float64}, b.NewArray(), want, unquote(want))

	s := array.NewFloat32Builder(memory.DefaultAllocator)
	s.AppendValues([]float32{0.1, 16777216, float32(math.NaN())}, nil)
	want = []string{"0.1", "16777216.0", `"NaN"`}
	check(t, arrow.Field{Type: arrow.PrimitiveTypes.Float32}, s.NewArray(), want, unquote(want))

	h := array.NewFloat16Builder(memory.DefaultAllocator)
	h.AppendValues([]float16.Num{float16.New(1.5), float16.New(float32(math.Inf(-1)))}, nil)
	want = []string{"1.5", `"-Infinity"`}
	check(t, arrow.Field{Type: arrow.FixedWidthTypes.Float16}, h.NewArray(), want, unquote(want))
}

func TestBigIntegersOfEitherSignBecomeStringsAtTheSameBound(t *testing.T) {
	huge := func(low, high uint64) []byte {
		b := make([]byte, 16)
		for i := range 8 {
			b[i], b[8+i] = byte(low>>(8*i)), byte(high>>(8*i))
		}
		return b
	}
	signedCases := map[string][]byte{
		"0":                  huge(0, 0),
		"-1":                 huge(math.MaxUint64, math.MaxUint64),
		"9007199254740992":   huge(1<<53, 0),
		`"9007199254740993"`: huge(1<<53+1, 0),
		"-9007199254740992":  huge(-(1<<53)&math.MaxUint64, math.MaxUint64),
		`"170141183460469231731687303715884105727"`:  huge(math.MaxUint64, math.MaxInt64),
		`"-170141183460469231731687303715884105728"`: huge(0, 1<<63),
	}
	for want, bytes := range signedCases {
		check(t, opaqueField("hugeint", &arrow.FixedSizeBinaryType{ByteWidth: 16}), fixedBinary(16, bytes), []string{want}, unquote([]string{want}))
	}
	check(t, opaqueField("uhugeint", &arrow.FixedSizeBinaryType{ByteWidth: 16}),
		fixedBinary(16, huge(math.MaxUint64, math.MaxUint64), huge(7, 0)),
		[]string{`"340282366920938463463374607431768211455"`, "7"}, nil)
}

func fixedBinary(width int, values ...[]byte) arrow.Array {
	b := array.NewFixedSizeBinaryBuilder(memory.DefaultAllocator, &arrow.FixedSizeBinaryType{ByteWidth: width})
	for _, v := range values {
		b.Append(v)
	}
	return b.NewArray()
}

func binaries(values ...string) arrow.Array {
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	for _, v := range values {
		b.Append([]byte(v))
	}
	return b.NewArray()
}

// opaqueField is a field as DuckDB's lossless conversion sends it over the C
// interface: the extension exists in the metadata only.
func opaqueField(name string, storage arrow.DataType) arrow.Field {
	return extensionField("arrow.opaque", `{"type_name":"`+name+`","vendor_name":"DuckDB"}`, storage)
}

func extensionField(name, meta string, storage arrow.DataType) arrow.Field {
	return arrow.Field{Name: "x", Type: storage, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{
		"ARROW:extension:name": name, "ARROW:extension:metadata": meta})}
}

// The bytes of this test were sent by DuckDB for the values named.
func TestDuckDBExtensions(t *testing.T) {
	tests := []struct {
		field arrow.Field
		arr   arrow.Array
		want  []string
	}{
		{extensionField("arrow.bool8", "", arrow.PrimitiveTypes.Int8), fromJSON(t, arrow.PrimitiveTypes.Int8, `[1,0,null,5]`),
			[]string{"true", "false", "null", "true"}},
		{extensionField("arrow.uuid", "", &arrow.FixedSizeBinaryType{ByteWidth: 16}),
			fixedBinary(16, []byte("\xf8\x1d\x4f\xae\x7d\xec\x11\xd0\xa7\x65\x00\xa0\xc9\x1e\x6b\xf6")),
			[]string{`"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`}},
		{opaqueField("time_tz", &arrow.FixedSizeBinaryType{ByteWidth: 8}),
			fixedBinary(8, []byte("\xd7\xbd\x00\x00\x1c\xda\x8b\x0a"), []byte("\xfe\xc1\x01\x00\x1c\xda\x8b\x0a")),
			[]string{`"12:34:56+02:30"`, `"12:34:56-15:59:59"`}},
		{opaqueField("bignum", arrow.BinaryTypes.Binary),
			binaries("\x80\x00\x13\x05\x89\x36\xe5\x27\xad\x67\x9e\xc3\xaa\x92\xef\x5b\x7c\x74\xf1\xe2\xdf\x79",
				"\x7f\xff\xec\xfa\x76\xc9\x1a\xd8\x52\x98\x61\x3c\x55\x6d\x10\xa4\x83\x8b\x0e\x1d\x20\x86", "\x7f\xff\xfe\xfa", "\x80\x00\x01\x00"),
			[]string{`"123456789012345678901234567890123456789012345"`, `"-123456789012345678901234567890123456789012345"`, "-5", "0"}},
		{opaqueField("bit", arrow.BinaryTypes.Binary), binaries("\x03\xf5", "\x06\xfdU", "\x00\x81"),
			[]string{`"10101"`, `"0101010101"`, `"10000001"`}},
		{extensionField("geoarrow.wkb", "{}", arrow.BinaryTypes.Binary), binaries("\x01\x02"), []string{`"AQI="`}},
		{opaqueField("of a later release", arrow.BinaryTypes.Binary), binaries("\x01\x02"), []string{`"AQI="`}},
		{opaqueField("hugeint", &arrow.FixedSizeBinaryType{ByteWidth: 4}), fixedBinary(4, []byte("abcd")), []string{`"YWJjZA=="`}},
	}
	for _, tt := range tests {
		check(t, tt.field, tt.arr, tt.want, unquote(tt.want))
	}
}

// registered is an extension type that the process knows, as arrow-go's own
// are where their package is linked in.
type registered struct {
	arrow.ExtensionBase
	name, meta string
}

type registeredArray struct{ array.ExtensionArrayBase }

func (r *registered) ArrayType() reflect.Type { return reflect.TypeFor[registeredArray]() }
func (r *registered) ExtensionName() string   { return r.name }
func (r *registered) Serialize() string       { return r.meta }
func (r *registered) ExtensionEquals(other arrow.ExtensionType) bool {
	return r.name == other.ExtensionName() && r.meta == other.Serialize()
}
func (r *registered) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) { return r, nil }

func TestRegisteredExtensions(t *testing.T) {
	tests := []struct {
		name, meta string
		storage    arrow.Array
		want       []string
	}{
		{"arrow.uuid", "", fixedBinary(16, []byte("\xf8\x1d\x4f\xae\x7d\xec\x11\xd0\xa7\x65\x00\xa0\xc9\x1e\x6b\xf6")),
			[]string{`"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`}},
		{"arrow.bool8", "", fromJSON(t, arrow.PrimitiveTypes.Int8, `[0,1,null]`), []string{"false", "true", "null"}},
		{"arrow.opaque", `{"type_name":"bit","vendor_name":"DuckDB"}`, binaries("\x03\xf5"), []string{`"10101"`}},
		{"arrow.opaque", `{"type_name":"bit","vendor_name":"Someone else"}`, binaries("\x03\xf5"), []string{`"A/U="`}},
		{"unknown", "", fromJSON(t, arrow.ListOf(arrow.PrimitiveTypes.Int8), `[[1],null]`), []string{"[1]", "null"}},
	}
	for _, tt := range tests {
		dt := &registered{arrow.ExtensionBase{Storage: tt.storage.DataType()}, tt.name, tt.meta}
		check(t, arrow.Field{Type: dt}, array.NewExtensionArrayWithStorage(dt, tt.storage), tt.want, nil)
	}
}

func TestJSONColumnsAreValues(t *testing.T) {
	field := extensionField("arrow.json", "", arrow.BinaryTypes.String)
	arr := fromJSON(t, arrow.BinaryTypes.String,
		`["{\"a\": 1,\n \"b\": [true, null]}", "12345678901234567890", "\"\u202e\"", "not json", "", null]`)
	check(t, field, arr,
		[]string{`{"a":1,"b":[true,null]}`, "12345678901234567890", `"\u202e"`, `"not json"`, `""`, "null"},
		[]string{`{"a":1,"b":[true,null]}`, "12345678901234567890", `"\u202e"`, "not json", "", ""})
}

func TestNumeric(t *testing.T) {
	numeric := []arrow.Field{
		{Type: arrow.PrimitiveTypes.Int8}, {Type: arrow.PrimitiveTypes.Uint64}, {Type: arrow.PrimitiveTypes.Float32},
		{Type: &arrow.Decimal128Type{Precision: 9}}, opaqueField("hugeint", &arrow.FixedSizeBinaryType{ByteWidth: 16}),
		opaqueField("bignum", arrow.BinaryTypes.Binary),
	}
	for _, f := range numeric {
		if !Numeric(f) {
			t.Errorf("%v is not taken for a number", f)
		}
	}
	others := []arrow.Field{
		{Type: arrow.BinaryTypes.String}, {Type: arrow.FixedWidthTypes.Date32}, {Type: arrow.FixedWidthTypes.Boolean},
		extensionField("arrow.bool8", "", arrow.PrimitiveTypes.Int8), opaqueField("bit", arrow.BinaryTypes.Binary),
		{Type: &registered{arrow.ExtensionBase{Storage: arrow.PrimitiveTypes.Int8}, "arrow.bool8", ""}},
	}
	for _, f := range others {
		if Numeric(f) {
			t.Errorf("%v is taken for a number", f)
		}
	}
}

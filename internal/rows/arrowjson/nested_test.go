package arrowjson

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

func TestNestedTypes(t *testing.T) {
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	point := arrow.StructOf(arrow.Field{Name: "x", Type: i64, Nullable: true}, arrow.Field{Name: "tags", Type: arrow.ListOf(str), Nullable: true})
	tests := []struct {
		name  string
		dt    arrow.DataType
		input string
		want  []string
	}{
		{"list", arrow.ListOf(i64), `[[1,null],[],null,[9007199254740993]]`, []string{"[1,null]", "[]", "null", `["9007199254740993"]`}},
		{"large list", arrow.LargeListOf(str), `[["a"],null,["b","c"]]`, []string{`["a"]`, "null", `["b","c"]`}},
		{"list view", arrow.ListViewOf(i64), `[[1],null,[2,3]]`, []string{"[1]", "null", "[2,3]"}},
		{"large list view", arrow.LargeListViewOf(i64), `[[1],null,[2,3]]`, []string{"[1]", "null", "[2,3]"}},
		{"fixed list", arrow.FixedSizeListOf(2, i64), `[[1,2],null,[3,4]]`, []string{"[1,2]", "null", "[3,4]"}},
		{"struct", point, `[{"x":1,"tags":["a","b"]},null,{"x":null,"tags":null},{"x":4,"tags":[]}]`,
			[]string{`{"x":1,"tags":["a","b"]}`, "null", `{"x":null,"tags":null}`, `{"x":4,"tags":[]}`}},
		{"list of structs", arrow.ListOf(point), `[[{"x":1,"tags":[]}],[null]]`, []string{`[{"x":1,"tags":[]}]`, "[null]"}},
		{"map of text", arrow.MapOf(str, i64), `[[{"key":"a","value":1},{"key":"b","value":null}],null,[]]`,
			[]string{`{"a":1,"b":null}`, "null", "{}"}},
		{"map with a key twice", arrow.MapOf(str, i64), `[[{"key":"a","value":1},{"key":"a","value":2},{"key":"a_1","value":3}]]`,
			[]string{`{"a":1,"a_2":2,"a_1":3}`}},
		{"map of numbers", arrow.MapOf(i64, str), `[[{"key":1,"value":"x"}],[{"key":2,"value":null}],null]`,
			[]string{`[{"key":1,"value":"x"}]`, `[{"key":2,"value":null}]`, "null"}},
		{"dates in lists", arrow.ListOf(arrow.FixedWidthTypes.Date32), `[["2026-01-31"]]`, []string{`["2026-01-31"]`}},
		{"dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: str}, `["b",null,"a","b"]`,
			[]string{`"b"`, "null", `"a"`, `"b"`}},
		{"run ends", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, str), `["a","a",null,"b"]`, []string{`"a"`, `"a"`, "null", `"b"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, arrow.Field{Type: tt.dt}, fromJSON(t, tt.dt, tt.input), tt.want, nil)
		})
	}
}

func TestExtensionsInsideNestedTypes(t *testing.T) {
	id := extensionField("arrow.uuid", "", &arrow.FixedSizeBinaryType{ByteWidth: 16})
	list := arrow.ListOfField(id)
	const raw, text = `"+B1Prn3sEdCnZQCgyR5r9g=="`, `"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`
	check(t, arrow.Field{Type: list}, fromJSON(t, list, `[[`+raw+`,null]]`), []string{`[` + text + `,null]`}, nil)
	record := arrow.StructOf(id)
	check(t, arrow.Field{Type: record}, fromJSON(t, record, `[{"x":`+raw+`}]`), []string{`{"x":` + text + `}`}, nil)
}

func TestStructsWithoutNames(t *testing.T) {
	children := []arrow.Array{fromJSON(t, arrow.PrimitiveTypes.Int64, `[1,2]`), fromJSON(t, arrow.PrimitiveTypes.Int64, `[3,4]`)}
	arr, err := array.NewStructArray(children, []string{"", ""})
	if err != nil {
		t.Fatal(err)
	}
	check(t, arrow.Field{Type: arr.DataType()}, arr, []string{`{"":1,"_1":3}`, `{"":2,"_1":4}`}, nil)
}

func TestUnions(t *testing.T) {
	children := []arrow.Array{fromJSON(t, arrow.PrimitiveTypes.Int64, `[1,2,null]`), fromJSON(t, arrow.BinaryTypes.String, `["a","b","c"]`)}
	codes := fromJSON(t, arrow.PrimitiveTypes.Int8, `[0,1,0]`)
	sparse, err := array.NewSparseUnionFromArrays(codes, children)
	if err != nil {
		t.Fatal(err)
	}
	check(t, arrow.Field{Type: sparse.DataType()}, sparse, []string{"1", `"b"`, "null"}, nil)

	offsets := fromJSON(t, arrow.PrimitiveTypes.Int32, `[0,2,1]`)
	dense, err := array.NewDenseUnionFromArrays(codes, offsets, children)
	if err != nil {
		t.Fatal(err)
	}
	check(t, arrow.Field{Type: dense.DataType()}, dense, []string{"1", `"c"`, "2"}, nil)
}

func TestNullInADictionarysValues(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	arr := array.NewDictionaryArray(dt, fromJSON(t, arrow.PrimitiveTypes.Int8, `[0,1,null]`), fromJSON(t, arrow.BinaryTypes.String, `["a",null]`))
	check(t, arrow.Field{Type: dt}, arr, []string{`"a"`, "null", "null"}, nil)
}

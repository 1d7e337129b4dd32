package mask

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

func TestMasksReplaceValues(t *testing.T) {
	for _, c := range []struct {
		mask, json, want string
		typ              arrow.DataType
	}{
		{"null", `["a", null]`, "[null null]", arrow.BinaryTypes.String},
		{"null", `[[1], null]`, "[null null]", arrow.ListOf(arrow.PrimitiveTypes.Int64)},
		{"constant", `["a", null]`, `["****" "****"]`, arrow.BinaryTypes.String},
		{"constant:hidden: yes", `[1, null]`, `["hidden: yes" "hidden: yes"]`, arrow.PrimitiveTypes.Int8},
		{"hash", `["a", null, "a"]`, `["<a>" (null) "<a>"]`, arrow.BinaryTypes.LargeString},
		{"hash", `[7, null]`, `["<7>" (null)]`, arrow.PrimitiveTypes.Int16},
		{"hash", `[18446744073709551615]`, `["<18446744073709551615>"]`, arrow.PrimitiveTypes.Uint64},
		{"hash", `["17014118346046923173168730371588410572"]`, `["<17014118346046923173168730371588410572>"]`, &arrow.Decimal128Type{Precision: 38}},
		{"hash", `["a", null, "b", "a"]`, `["<a>" (null) "<b>" "<a>"]`, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}},
		{"hash", `["2026-02-03"]`, `["<2026-02-03>"]`, arrow.FixedWidthTypes.Date32},
		{"last4", `["4111111111111111", "1234567", "", null, "čššžžýýá"]`, `["****1111" "****" "****" (null) "****žýýá"]`, arrow.BinaryTypes.String},
		{"last4", `[123456789]`, `["****6789"]`, arrow.PrimitiveTypes.Int32},
		{"date:year", `["2026-12-31", null, "1969-12-31"]`, `[2026-01-01 (null) 1969-01-01]`, arrow.FixedWidthTypes.Date32},
		{"date:quarter", `["2026-12-31", "2026-03-31"]`, `[2026-10-01 2026-01-01]`, arrow.FixedWidthTypes.Date32},
		{"date:week", `["2026-11-29", "2026-11-23"]`, `[2026-11-23 2026-11-23]`, arrow.FixedWidthTypes.Date32},
		{"date:month", `["1969-12-31 23:59:59.999999"]`, `[-2678400000000]`, &arrow.TimestampType{Unit: arrow.Microsecond}},
		{"date:day", `["2026-11-29 23:59:59.999999"]`, `[1795910400000000000]`, &arrow.TimestampType{Unit: arrow.Nanosecond}},
		{"number:1000", `[1999, -1, null, 0]`, `[1000 -1000 (null) 0]`, arrow.PrimitiveTypes.Int64},
		{"number:1000", `[-9223372036854775808, 9223372036854775807]`, `[(null) 9223372036854775000]`, arrow.PrimitiveTypes.Int64},
		{"number:10", `[-128, 127]`, `[(null) 120]`, arrow.PrimitiveTypes.Int8},
		{"number:300", `[255, 7]`, `[0 0]`, arrow.PrimitiveTypes.Uint8},
		{"number:10", `[19.5, -0.5, 1e300]`, `[10 -10 (null)]`, arrow.PrimitiveTypes.Float64},
		{"number:100", `["1234.56", "-0.01"]`, `[1200 -100]`, &arrow.Decimal128Type{Precision: 10, Scale: 2}},
		{"number:100", `["-99.99"]`, `[(null)]`, &arrow.Decimal128Type{Precision: 4, Scale: 2}},
		{"last4", `[true]`, "error", arrow.FixedWidthTypes.Boolean},
		{"hash", `[1.5]`, "error", arrow.PrimitiveTypes.Float64},
		{"date:day", `["x"]`, "error", arrow.BinaryTypes.String},
		{"number:10", `["x"]`, "error", arrow.BinaryTypes.String},
	} {
		m, err := Parse(c.mask)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		got := "error"
		if out, err := m.replaced(in, in.Len(), func(s string) string { return "<" + s + ">" }); err == nil {
			if got = fmt.Sprint(out); out.DataType().ID() != m.shown(c.typ).ID() {
				t.Errorf("%s of %s has the type %s", c.mask, c.typ, out.DataType())
			}
		}
		if got = strings.ReplaceAll(got, "[null null]", "[(null) (null)]"); got != strings.ReplaceAll(c.want, "[null null]", "[(null) (null)]") {
			t.Errorf("%s of %s as %s: %s, not %s", c.mask, c.json, c.typ, got, c.want)
		}
	}
	for _, text := range []string{"", "nul", "null:1", "hash:x", "constant:", "constant:" + strings.Repeat("x", 101), "date", "date:hour", "number", "number:0", "number:1", "number:1.5", "number:-5", "number:9999999999999999"} {
		if _, err := Parse(text); !api.CodeBadRequest.Is(err) {
			t.Errorf("%q is a mask: %v", text, err)
		}
	}
}

// TestRowsAreMasked also where every column is replaced unread, and tells of each mask,
// and of nothing that was told of a masked column.
func TestRowsAreMasked(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	null, _ := Parse("null")
	hash, _ := Parse("hash")
	set := Set{"a": null, "b": hash}
	for _, c := range []struct {
		want []string
		rows string
	}{
		{[]string{"a", "b", "c"}, `[(null)] ["<1>"] [1] `}, {[]string{"a"}, `[(null)] `}, {[]string{"c", "a"}, `[1] [(null)] `},
	} {
		var fields []arrow.Field
		read := set.Read(c.want)
		if len(read) == 0 {
			read = c.want[:1] // for the number of rows
		}
		for _, name := range read {
			fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
		}
		schema := api.SchemaWith(fields, []api.Caveat{
			{Kind: api.CaveatUnread, Text: "b holds 'x'", About: api.Subject{Columns: []string{"b"}}}, {Kind: api.CaveatUnread, Text: "of all"}})
		b := array.NewRecordBuilder(mem, schema)
		for i := range fields {
			b.Field(i).(*array.Int64Builder).Append(1)
		}
		batch := b.NewRecordBatch()
		b.Release()
		rdr, err := array.NewRecordReader(schema, []arrow.RecordBatch{batch})
		batch.Release()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := set.Rows(rdr, read, c.want, func(s string) string { return "<" + s + ">" })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rows.Next() {
			for i, col := range rows.RecordBatch().Columns() {
				if got += fmt.Sprint(col) + " "; rows.Schema().Field(i).Name != c.want[i] {
					t.Errorf("%v: %s", c.want, rows.Schema())
				}
			}
		}
		if got != c.rows || rows.Err() != nil {
			t.Errorf("%v: %s, %v", c.want, got, rows.Err())
		}
		told := fmt.Sprint(api.Texts(api.SchemaCaveats(rows.Schema())))
		if strings.Contains(told, "holds") || !strings.Contains(told, "of all") || !strings.Contains(told, `"a" is masked (null)`) {
			t.Errorf("%v: told %s", c.want, told)
		}
		rows.Release()
	}
}

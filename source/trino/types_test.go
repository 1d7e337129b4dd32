package trino

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/testing/trinotest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// values are expressions of each type, the type in DuckDB, and the value as JSON.
var values = []struct{ expr, duck, json string }{
	{"CAST(-128 AS tinyint)", "TINYINT", `-128`},
	{"CAST(1.5 AS real)", "FLOAT", `1.5`},
	{"infinity()", "DOUBLE", `"Infinity"`},
	{"CAST('-12345678901234567890123456789.123456789' AS decimal(38,9))", "DECIMAL(38,9)", `"-12345678901234567890123456789.123456789"`},
	{`'é"\' || chr(10) || chr(128640)`, "VARCHAR", `"é\"\\\n🚀"`},
	{"CAST('ab' AS char(5))", "VARCHAR", `"ab"`},
	{"X'00FF'", "BLOB", `"AP8="`},
	{"DATE '-0044-03-15'", "DATE", `"-000044-03-15"`},
	{"TIME '12:34:56.123456'", "TIME", `"12:34:56.123456"`},
	{"TIME '12:34:56.123456789012'", "VARCHAR", `"12:34:56.123456789012"`},
	{"TIME '12:34:56 +02:00'", "VARCHAR", `"12:34:56+02:00"`},
	{"TIMESTAMP '1899-12-31 23:59:59.5'", "TIMESTAMP", `"1899-12-31T23:59:59.5"`},
	{"TIMESTAMP '2024-02-29 12:00:00.123456789'", "TIMESTAMP_NS", `"2024-02-29T12:00:00.123456789"`},
	{"TIMESTAMP '2024-02-29 12:00:00.123456789012'", "VARCHAR", `"2024-02-29 12:00:00.123456789012"`},
	{"TIMESTAMP '2024-02-29 12:00:00.123 Europe/Vienna'", "TIMESTAMP WITH TIME ZONE", `"2024-02-29T11:00:00.123Z"`},
	{"TIMESTAMP '2024-02-29 12:00:00.123456789 +02:00'", "TIMESTAMP_NS", `"2024-02-29T10:00:00.123456789"`},
	{"INTERVAL '3' DAY", "VARCHAR", `"3 00:00:00.000"`},
	{"UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'", "UUID", `"12151fd2-7586-11e9-8f9e-2a86e4085a59"`},
	{"IPADDRESS '::1'", "VARCHAR", `"::1"`},
	{`JSON '{"a": [1, "x"]}'`, "JSON", `{"a":[1,"x"]}`},
	{"ARRAY[ARRAY[DATE '2024-01-01', NULL], NULL, ARRAY[]]", "DATE[][]", `[["2024-01-01",null],null,[]]`},
	{"MAP(ARRAY[1, 2], ARRAY['a', NULL])", "MAP(INTEGER, VARCHAR)", `[{"key":1,"value":"a"},{"key":2,"value":null}]`},
	{"MAP(ARRAY[DATE '2024-01-01'], ARRAY[DECIMAL '1.50'])", "MAP(DATE, DECIMAL(3,2))", `[{"key":"2024-01-01","value":1.50}]`},
	{`CAST(ROW(1, X'FF', TIMESTAMP '2024-01-01 00:00:00.000') AS ROW(x bigint, "y z" varbinary, t timestamp(3)))`, `STRUCT("x" BIGINT, "y z" BLOB, "t" TIMESTAMP)`, `{"x":1,"y z":"/w==","t":"2024-01-01T00:00:00"}`},
	{"ARRAY[TIMESTAMP '2024-02-29 12:00:00.123 Europe/Vienna']", "VARCHAR[]", `["2024-02-29 12:00:00.123 Europe/Vienna"]`},
}

// oddView is a view of these values.
func oddView() string {
	var items []string
	for i, v := range values {
		items = append(items, v.expr+" AS "+string(rune('a'+i)))
	}
	return "CREATE OR REPLACE VIEW memory.shop.odd AS SELECT " + strings.Join(items, ", ") + ", approx_set(1) AS state"
}

func TestTypes(t *testing.T) {
	recorded, err := trinotest.Open(tape)
	if err != nil {
		t.Fatal(err)
	}
	player := httptest.NewServer(recorded.Player())
	defer player.Close()
	typesOf(t, open(t, "http://da@"+player.Listener.Addr().String()+"/memory/shop"))
}

// typesOf reads the view of a source.
func typesOf(t *testing.T, src *Trino) {
	t.Helper()
	schema, err := src.Schema(t.Context(), source.Relation{Name: "odd"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predicate.NewSchema(predicate.DuckDB, schema.Columns); err != nil {
		t.Fatal(err)
	}
	scan := source.Scan{Relation: source.Relation{Name: "odd"}}
	for i := range values {
		scan.Select = append(scan.Select, schema.Columns[i].Name)
	}
	r, err := src.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for i, v := range values {
		if got := schema.Columns[i].Type; got != v.duck {
			t.Errorf("%s is a %s, want %s", v.expr, got, v.duck)
		}
		if got := string(arrowjson.Bind(r.Schema().Field(i), r.RecordBatch().Column(i)).AppendJSON(nil, 0)); got != v.json {
			t.Errorf("%s: %s, want %s", v.expr, got, v.json)
		}
	}
	scan.Select = []string{"state"}
	if _, err := src.Scan(t.Context(), scan); !api.CodeQueryFailed.Is(err) || !strings.Contains(err.Error(), "'state'") {
		t.Errorf("a state of an aggregate: %v", err)
	}
}

// TestKeysOfMaps holds that maps whose keys lose something as texts are refused by name.
func TestKeysOfMaps(t *testing.T) {
	for typ, refused := range map[string]bool{"map(varchar, row(x bigint))": false, "map(row(x bigint), bigint)": true, "array(map(varbinary, bigint))": true, "map(array(bigint), bigint)": true} {
		if got := codecOf(typ).refused != ""; got != refused {
			t.Errorf("%s is refused: %t", typ, got)
		}
	}
}

package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// odd are values of types that have no equal, or hardly: as SQL, the Arrow type
// that they get, what comes, and whether a note says that something stays
// behind.
var odd = []struct {
	sql, arrow, value string
	noted             bool
}{
	{"'happy'::mood", "utf8", "happy", true},
	{"ARRAY['sad','happy']::mood[]", "list<l: utf8, nullable>", `["sad","happy"]`, true},
	{"5::positive", "int32", "5", false},
	{"ARRAY[5]::positive[]", "list<l: int32, nullable>", "[5]", false},
	{"ROW(1, 'x')::pair", "struct<a: int32 nullable, b: utf8 nullable>", `{"a":1,"b":"x"}`, false},
	{"ARRAY[ROW(1, 'x')::pair, NULL]", "list<l: struct<a: int32 nullable, b: utf8 nullable>, nullable>", `[{"a":1,"b":"x"},null]`, false},
	{"ROW(ROW(1, 'x'), ARRAY[1.5]::numeric(4,1)[])::nest", "struct<p: struct<a: int32 nullable, b: utf8 nullable> nullable, l: list<l: decimal(4, 1), nullable> nullable>",
		`{"l":["1.5"],"p":{"a":1,"b":"x"}}`, false},
	{"ROW('1.1.1.1', 2)::withnet", "utf8", "(1.1.1.1,2)", true},
	{"'1.2.3.4/24'::inet", "utf8", "1.2.3.4/24", true},
	{"ARRAY['1.2.3.4']::inet[]", "list<l: utf8, nullable>", `["1.2.3.4/32"]`, true},
	{"'[1,5)'::int4range", "utf8", "[1,5)", true},
	{"'12:34:56.5+02'::timetz", "utf8", "12:34:56.5+02", true},
	{"'$1,234.50'::money", "utf8", "$1,234.50", true},
	{"B'1010'::bit(4)", "utf8", "1010", true},
	{"'a b'::tsvector", "utf8", "'a' 'b'", true},
	{"'(1,2)'::point", "utf8", "(1,2)", true},
	{"'<a/>'::xml", "utf8", "<a/>", true},
	{"'pg_class'::regclass", "utf8", "pg_class", true},
	{`'x'::"char"`, "utf8", "x", true},
	{"'name'::name", "utf8", "name", false},
	{"'ab'::char(4)", "utf8", "ab  ", false},
	{"'ab'::varchar(4)", "utf8", "ab", false},
	{`'{"a":1}'::json`, "utf8", `{"a":1}`, false},
	{"1e-10::numeric", "utf8", "0.0000000001", true},
	{"'NaN'::numeric", "utf8", "NaN", true},
	{"'-Infinity'::numeric", "utf8", "-Infinity", true},
	{"12345678901234567890123456789012345678901234567890.5::numeric", "utf8", "12345678901234567890123456789012345678901234567890.5", true},
	{"100000::numeric", "utf8", "100000", true},
	{"-1234.0500::numeric", "utf8", "-1234.0500", true},
	{"1.5::numeric(50,2)", "utf8", "1.50", true},
	{"12345::numeric(5,-2)", "utf8", "12300", true},
	{"0.00012::numeric(3,5)", "utf8", "0.00012", true},
	{"'infinity'::date", "date32", "5881580-07-11", false},
	{"'4713-01-01 BC'::date", "date32", "-4712-01-01", false},
	{"'24:00'::time", "time64[us]", "", false},
	{"'-infinity'::timestamptz", "timestamp[us, tz=UTC]", "", false},
	{"'1 year 2 mons -3 days 04:05:06.7'::interval", "utf8", "1 year 2 months -3 days 04:05:06.700000", true},
	{"'{}'::int[]", "list<l: int32, nullable>", "[]", false},
	{"NULL::int[]", "list<l: int32, nullable>", "(null)", false},
}

func TestOddTypes(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE TYPE pair AS (a int, b text);
		CREATE TYPE nest AS (p pair, l numeric(4,1)[]); CREATE TYPE withnet AS (i inet, n int)`)
	var items []string
	var names []string
	for i, o := range odd {
		names = append(names, fmt.Sprintf("c%d", i))
		items = append(items, o.sql+" AS "+names[i])
	}
	d.exec(t, "CREATE TABLE odd AS SELECT "+strings.Join(items, ", "))
	r, err := d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "odd"}, Select: names})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	warnings := strings.Join(api.Texts(api.SchemaCaveats(r.Schema())), " ")
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for i, o := range odd {
		column := r.RecordBatch().Column(i)
		if got := column.DataType().String(); got != o.arrow {
			t.Errorf("%s: %s, want %s", o.sql, got, o.arrow)
		}
		if got := column.ValueStr(0); o.value != "" && got != o.value {
			t.Errorf("%s: %s, want %s", o.sql, got, o.value)
		}
		if noted := strings.Contains(warnings, `column "`+names[i]+`"`); noted != o.noted {
			t.Errorf("%s: noted %t", o.sql, noted)
		}
	}
	if r.Next() || r.Err() != nil {
		t.Errorf("more, or an error: %v", r.Err())
	}
}

// TestMisfits holds that a value without a place is an error, never another
// value.
func TestMisfits(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	for i, sql := range []string{"'NaN'::numeric(5,2)", "ARRAY[[1,2],[3,4]]", "'[0:1]={1,2}'::int[]", "'294276-12-31'::timestamp"} {
		name := fmt.Sprintf("misfit%d", i)
		d.exec(t, fmt.Sprintf("CREATE TABLE %s AS SELECT 1 AS id, %s AS v", name, sql))
		if sql[:5] == "ARRAY" { // what CREATE TABLE AS knows is not what most tables declare
			d.exec(t, fmt.Sprintf("UPDATE pg_attribute SET attndims = 1 WHERE attrelid = '%s'::regclass AND attname = 'v'", name))
		}
		_, err := enginetest.Text(d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"v"}}))
		if !api.CodeQueryFailed.Is(err) || !strings.Contains(err.Error(), "column v") {
			t.Errorf("%s: %v", sql, err)
		}
		if got, err := enginetest.Text(d.source.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"id"}})); got != "1" || err != nil {
			t.Errorf("beside %s: %s, %v", sql, got, err)
		}
	}
}

// TestBytesAreNotTexts holds that only texts must be UTF-8 in a database that
// does not check them: the bytes of other types are not.
func TestBytesAreNotTexts(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, "CREATE DATABASE "+d.Name+"_ascii ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
	d.Name += "_ascii"
	d.connect(t)
	d.source = d.open(t, "")
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TABLE odd AS SELECT interval '1 day 2 hours 3.9 seconds' AS i, ARRAY[interval '-7 days 23:59:59.9'] AS l, '\xff'::bytea AS b, 'abc' AS good, E'a\xff' AS bad`)
	scan := source.Scan{Relation: source.Relation{Name: "odd"}, Select: []string{"i", "good"}}
	if got, err := enginetest.Text(d.source.Scan(t.Context(), scan)); got != "1 day 02:00:03.900000|abc" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	scan.Select = []string{"l", "b"}
	if _, err := enginetest.Text(d.source.Scan(t.Context(), scan)); err != nil {
		t.Error(err)
	}
	scan.Select = []string{"bad"}
	if got, err := enginetest.Text(d.source.Scan(t.Context(), scan)); !api.CodeQueryFailed.Is(err) {
		t.Errorf("%q, %v", got, err)
	}
}

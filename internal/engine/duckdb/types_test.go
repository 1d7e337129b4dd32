package duckdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// typeRow is a row of the table in docs/types.md.
type typeRow struct {
	source, selected, arrow, parquet string
	warned                           bool
}

const typesDoc = "../../../docs/types.md"

func readTypesDoc(t *testing.T) []typeRow {
	t.Helper()
	text, err := os.ReadFile(typesDoc)
	if err != nil {
		t.Fatal(err)
	}
	cell := regexp.MustCompile("^`([^`]+)`")
	var rows []typeRow
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 6 || !strings.Contains(cells[0], "`") {
			continue
		}
		var code [4]string
		for i := range code {
			m := cell.FindStringSubmatch(strings.TrimSpace(cells[i]))
			if m == nil {
				t.Fatalf("%s: no code in cell %d of %s", typesDoc, i+1, line)
			}
			code[i] = m[1]
		}
		rows = append(rows, typeRow{code[0], code[1], code[2], code[3], strings.TrimSpace(cells[4]) == "yes"})
	}
	return rows
}

// samples are values of every type in the table, extreme ones among them; NULL
// is added to each.
var samples = map[string][]string{
	"BOOLEAN":                     {"true", "false"},
	"TINYINT":                     {"-128", "127", "0"},
	"SMALLINT":                    {"-32768", "32767"},
	"INTEGER":                     {"-2147483648", "2147483647"},
	"BIGINT":                      {"-9223372036854775808", "9223372036854775807"},
	"UTINYINT":                    {"0", "255"},
	"USMALLINT":                   {"0", "65535"},
	"UINTEGER":                    {"0", "4294967295"},
	"UBIGINT":                     {"0", "18446744073709551615"},
	"HUGEINT":                     {"0", "-99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
	"UHUGEINT":                    {"0", "99999999999999999999999999999999999999"},
	"FLOAT":                       {"'nan'", "'inf'", "'-inf'", "'-0.0'", "'3.4028235e38'", "'1e-45'", "0.1"},
	"DOUBLE":                      {"'nan'", "'inf'", "'-inf'", "'-0.0'", "'1.7976931348623157e308'", "'5e-324'", "0.1"},
	"DECIMAL(4,1)":                {"'-999.9'", "'999.9'", "0"},
	"DECIMAL(9,2)":                {"'-9999999.99'", "'9999999.99'"},
	"DECIMAL(18,3)":               {"'-999999999999999.999'", "'999999999999999.999'"},
	"DECIMAL(38,10)":              {"'-9999999999999999999999999999.9999999999'", "'9999999999999999999999999999.9999999999'"},
	"VARCHAR":                     {"''", "'a'", "'é😀'", "chr(0)", "'x' || chr(0) || 'y'", "'NULL'", "repeat('long ', 1000)", "'twelve bytes'", "'thirteen byte'"},
	"BLOB":                        {"''", `'\x00\xFF'`, `'\x80'`, "repeat('x', 100)"},
	"UUID":                        {"'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"},
	"JSON":                        {`'{"a": 1.50,  "a": [null]}'`, "'null'", `'"é"'`, "'123456789012345678901234567890'"},
	"DATE":                        {"'5877642-06-25 (BC)'", "'5881580-07-10'", "'1969-12-31'", "'infinity'", "'-infinity'"},
	"TIME":                        {"'00:00:00'", "'23:59:59.999999'", "'24:00:00'"},
	"TIMESTAMP":                   {"'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'", "'1969-12-31 23:59:59.999999'", "'infinity'", "'-infinity'"},
	"TIMESTAMP_S":                 {"'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54'", "'1969-12-31 23:59:59'", "'infinity'", "'-infinity'"},
	"TIMESTAMP_MS":                {"'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775'", "'1969-12-31 23:59:59.999'", "'infinity'", "'-infinity'"},
	"TIMESTAMP_NS":                {"'1677-09-22 00:00:00'", "'2262-04-11 23:47:16.854775806'", "'1969-12-31 23:59:59.999999999'", "'infinity'", "'-infinity'"},
	"TIMESTAMP WITH TIME ZONE":    {"'290309-12-22 (BC) 00:00:00+00'", "'294247-01-10 04:00:54.775806+00'", "'2024-03-31 02:30:00+02'", "'infinity'", "'-infinity'"},
	"TIME WITH TIME ZONE":         {"'00:00:00+15:59:59'", "'24:00:00-15:59:59'", "'01:02:03.000004+05:30'"},
	"TIME_NS":                     {"'00:00:00'", "'23:59:59.999999999'", "'24:00:00'"},
	"INTERVAL":                    {"'1 month 2 days 3.000004 seconds'", "'-1 year'", "'178956970 years 7 months'", "'0 days'", "'-3 days 4 microseconds'", "'2147483647 days 2562047:47:16.854775'"},
	"BIT":                         {"'1'", "'10101'", "'000000000'", "'1' || repeat('0', 100)"},
	"BIGNUM":                      {"'0'", "'-1'", "'1' || repeat('0', 300)", "'-9' || repeat('1', 300)"},
	"ENUM('b', 'a', '', 'it''s')": {"'b'", "'a'", "''", "'it''s'"},
	"GEOMETRY": {"'POINT (0.1 -1e308)'", "'POINT EMPTY'", "'LINESTRING Z (1 2 3, 0.30000000000000004 5e-324 1e22)'",
		"'GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 0)), POINT (1 2))'"},
	`"NULL"`:                         {},
	"INTEGER[]":                      {"[]", "[NULL]", "[1, NULL, -2147483648]", "range(5000)"},
	"VARCHAR[][]":                    {"[]", "[[]]", "[NULL, ['', NULL, 'é']]"},
	"BOOLEAN[]":                      {"[true, NULL, false]", "[]"},
	"FLOAT[3]":                       {"[1, NULL, 'nan'::FLOAT]", "[0.1, 0.2, 0.3]"},
	"INTEGER[2][]":                   {"[[1, 2], NULL, [NULL, 4]]", "[]"},
	"STRUCT(a INTEGER, b VARCHAR[])": {"{'a': 1, 'b': ['x', NULL]}", "{'a': NULL, 'b': NULL}"},
	"STRUCT(\"a \"\"b\"\"\" UUID, date TIMESTAMP WITH TIME ZONE[])": {`{'a "b"': uuid(), 'date': ['2024-01-01 00:00:00+00'::TIMESTAMPTZ]}`},
	"STRUCT(a HUGEINT, b STRUCT(c INTERVAL[], d INTEGER))":          {"{'a': 1, 'b': {'c': [INTERVAL 3 DAYS], 'd': 2}}", "{'a': NULL, 'b': NULL}"},
	"MAP(VARCHAR, INTEGER)":             {"map {}", "map {'k': 1, 'l': NULL}"},
	"MAP(UUID, JSON)":                   {"map {'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID: '[1]'::JSON, uuid(): NULL}"},
	"MAP(TIME WITH TIME ZONE, BOOLEAN)": {"map {'01:02:03+05:30'::TIMETZ: true}"},
	"UNION(n INTEGER, s VARCHAR)":       {"1", "'x'"},
	"VARIANT":                           {"1", "'x'", "{'a': [1, NULL]}"},
	"STRUCT(INTEGER, VARCHAR)":          {},
}

// notCastBack are types whose carrier cannot be cast to them again; for the
// others the proof compares the value cast back with the original.
var notCastBack = map[string]bool{"VARIANT": true, "UNION(n INTEGER, s VARCHAR)": true, "STRUCT(INTEGER, VARCHAR)": true, `"NULL"`: true}

// TestTypesDoc proves every row of docs/types.md: values go from one engine as
// Arrow to another, into parquet, and are read again.
func TestTypesDoc(t *testing.T) {
	rows := readTypesDoc(t)
	from, to := connect(t, Options{PreserveOrder: true}), connect(t, Options{PreserveOrder: true})
	inDoc := map[string]bool{}
	for _, row := range rows {
		if _, ok := samples[row.source]; !ok {
			t.Errorf("%s has no sample values", row.source)
			continue
		}
		inDoc[row.source] = true
		t.Run(row.source, func(t *testing.T) { proveType(t, session(t, from.db), session(t, to.db), row) })
	}
	for typ := range samples {
		if !inDoc[typ] {
			t.Errorf("%s is not in %s", typ, typesDoc)
		}
	}
}

// proveType makes its table in a session of its own.
func proveType(t *testing.T, src, dst *Conn, row typeRow) {
	make := fmt.Sprintf("CREATE TEMP TABLE t AS SELECT 0 AS i, CAST(NULL AS %s) AS x", row.source)
	switch row.source {
	case `"NULL"`: // not a type that a table can have
		make = "CREATE TEMP VIEW t AS SELECT 0 AS i, NULL AS x"
	case "STRUCT(INTEGER, VARCHAR)": // nor this, nor can it be written
		make = "CREATE TEMP VIEW t AS SELECT 0 AS i, row(1, 'x') AS x"
	}
	must(t, src, make)
	for i, v := range samples[row.source] {
		must(t, src, fmt.Sprintf("INSERT INTO t VALUES (%d, %s)", i+1, v))
	}
	item, err := Project([]Column{{Name: "x", Type: row.source}})
	if err != nil {
		t.Fatal(err)
	}
	if cols, err := src.Describe(t.Context(), "SELECT x FROM t"); err != nil || cols[0].Type != row.source && row.source != `"NULL"` {
		t.Errorf("the source has columns %v, %v", cols, err)
	}
	if item[0].Type != row.selected || (item[0].Warning != "") != row.warned {
		t.Errorf("it is selected as %s, warning %q", item[0].Type, item[0].Warning)
	}
	for name, where := range map[string]string{"full": "", "empty": " WHERE false"} {
		s := query(t, src, "SELECT i, "+item[0].Expr+" FROM t"+where)
		if got := arrowName(s.Schema().Field(1)); got != row.arrow {
			t.Errorf("%s: Arrow has %s", name, got)
		}
		file := filepath.Join(t.TempDir(), name+".parquet")
		if err := dst.Import(t.Context(), "v", s, "COPY (SELECT * FROM v) TO "+Literal(file)+" (FORMAT parquet, PARQUET_VERSION V2)"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := parquetName(t, dst, file); got != row.parquet {
			t.Errorf("%s: parquet has %s", name, got)
		}
		if cols, err := dst.Describe(t.Context(), "SELECT x FROM "+Literal(file)); err != nil || cols[0].Type != row.selected {
			t.Errorf("%s: it comes back as %v, %v", name, cols, err)
		}
		if name == "full" {
			compareValues(t, src, file, row)
		}
	}
}

// compareValues compares by value and by text, which tells -0.0 from 0.0.
func compareValues(t *testing.T, src *Conn, file string, row typeRow) {
	t.Helper()
	back, want := "f.x", "t.x"
	if !notCastBack[row.source] {
		back = fmt.Sprintf("CAST(f.x AS %s)", row.source)
	} else {
		want = fmt.Sprintf("CASE WHEN t.x IS NOT NULL THEN CAST(t.x AS %s) END", row.selected)
	}
	if row.source == "GEOMETRY" { // has no comparison
		back, want = back+"::VARCHAR", want+"::VARCHAR"
	}
	got := texts(t, query(t, src, fmt.Sprintf(`SELECT count(*), count(*) FILTER (%[1]s IS NOT DISTINCT FROM %[2]s AND CAST(%[1]s AS VARCHAR) IS NOT DISTINCT FROM CAST(%[2]s AS VARCHAR))
		FROM t FULL JOIN %[3]s AS f USING (i)`, back, want, Literal(file))))
	if n := fmt.Sprint(len(samples[row.source]) + 1); got[0][0] != n || got[0][1] != n {
		t.Errorf("of %s rows %s came back, %s equal: %v", n, got[0][0], got[0][1],
			texts(t, query(t, src, fmt.Sprintf("SELECT t.x::VARCHAR, f.x::VARCHAR FROM t FULL JOIN %s AS f USING (i)", Literal(file)))))
	}
}

func arrowName(f arrow.Field) string {
	name := f.Type.String()
	if ext, ok := f.Metadata.GetValue(extensionName); ok {
		name += " (" + ext + ")"
	}
	return name
}

// parquetName is the physical type, "group" if nested, and its annotation.
func parquetName(t *testing.T, c *Conn, file string) string {
	t.Helper()
	return one(t, c, `SELECT coalesce(type, 'group') || coalesce(' ' || converted_type, CASE
			WHEN logical_type LIKE '%NANOS=Nano%' THEN ' TIMESTAMP_NANOS' WHEN logical_type LIKE 'UUID%' THEN ' UUID' ELSE '' END)
			|| CASE WHEN logical_type LIKE 'Timestamp%isAdjustedToUTC=1%' THEN ' (UTC)' ELSE '' END
		FROM parquet_schema(`+Literal(file)+`) WHERE name = 'x'`)
}

// TestNothingIsLossySilently: what does not fit its carrier is refused.
func TestNothingIsLossySilently(t *testing.T) {
	c := connect(t, Options{})
	for value, typ := range map[string]string{
		"170141183460469231731687303715884105727":                   "HUGEINT",
		"-100000000000000000000000000000000000000":                  "HUGEINT",
		"340282366920938463463374607431768211455":                   "UHUGEINT",
		"[NULL, 170141183460469231731687303715884105727]":           "HUGEINT[]",
		"map {1::HUGEINT: 170141183460469231731687303715884105727}": "MAP(HUGEINT, HUGEINT)",
	} {
		item, err := Project([]Column{{Name: "x", Type: typ}})
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		err = c.Exec(t.Context(), fmt.Sprintf("SELECT %s FROM (SELECT CAST(%s AS %s) AS x)", item[0].Expr, value, typ))
		if !errors.As(err, &e) || e.Type != "Conversion" {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// TestUnprojectedTypesArriveAsThemselves: a result that is not for parquet
// keeps the engine's own types from one engine to another.
func TestUnprojectedTypesArriveAsThemselves(t *testing.T) {
	from, to := connect(t, Options{PreserveOrder: true}), connect(t, Options{PreserveOrder: true})
	for typ, values := range samples {
		switch {
		case typ == "VARIANT" || typ == `"NULL"` || strings.HasPrefix(typ, "ENUM") || typ == "STRUCT(INTEGER, VARCHAR)":
			continue // no Arrow type; INTEGER; VARCHAR; a type that cannot be written
		}
		src, dst := session(t, from.db), session(t, to.db)
		must(t, src, fmt.Sprintf("CREATE TEMP TABLE t AS SELECT 0 AS i, CAST(NULL AS %s) AS x", typ))
		for i, v := range values {
			must(t, src, fmt.Sprintf("INSERT INTO t VALUES (%d, %s)", i+1, v))
		}
		s := query(t, src, "SELECT x, x::VARCHAR AS text FROM t")
		if err := dst.Import(t.Context(), "v", s, "CREATE TEMP TABLE t AS SELECT * FROM v"); err != nil {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		got := one(t, dst, "SELECT DISTINCT typeof(x) FROM t")
		if n := one(t, dst, "SELECT count(*) FILTER (x::VARCHAR IS NOT DISTINCT FROM text) FROM t"); n != fmt.Sprint(len(values)+1) || got != typ {
			t.Errorf("%s: it comes as %s, %s values are equal", typ, got, n)
		}
	}
}

package table

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/table/intake"
)

// answer is the rows of a query over one file, or its error.
func answer(t testing.TB, ts *Tables, path, sql string) string {
	t.Helper()
	r, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: path}, Query: sql, Timeout: 10 * time.Minute}) // a loaded machine takes its time
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s", r.ColumnTypes, show(t, r.Rows))
}

func TestJSONRows(t *testing.T) {
	ts, dir := newTables(t)
	utf16 := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, c := range s {
			b = append(b, byte(c), byte(c>>8))
		}
		return string(b)
	}
	for _, c := range []struct{ name, text, format, want string }{
		{"array.json", `[{"n":1,"s":"x"},{"n":2,"d":"2024-01-02"}]`, "json", `[integer string date] [[1,"x",null],[2,null,"2024-01-02"]]`},
		{"indented.json", "\ufeff[\n  {\n    \"n\": 1\n  },\n  {\n    \"n\": 2\n  }\n]\n", "json", `[integer] [[1],[2]]`},
		{"utf16.json", utf16(`[{"s":"č"}]`), "json", `[string] [["č"]]`},
		{"objects.json", "{\n \"n\": 1\n}\n{\n \"n\": 2\n}\n", "jsonl", `[integer] [[1],[2]]`},
		{"array.dat", `[ {"n":110}, {"n":12345678901234567890} ]`, "json", `[integer] [[110],["12345678901234567890"]]`},
		{"none.json", `[]`, "json", `[] []`},
		{"lines.jsonl", "{\"t\":\"a\"}\n{\"t\":1941}\n{\"t\":true}\n{\"t\":1.50}\n", "jsonl", `[string] [["a"],["1941"],["true"],["1.5"]]`},
		{"tags.jsonl", "{\"t\":[\"a\",1]}\n{\"t\":[null]}\n{}\n", "jsonl", `[list] [[["a","1"]],[[null]],[null]]`},
		{"long.jsonl", "{\"t\":1}\n{\"t\":\"12345678901234567890\"}\n", "jsonl", `[integer] [[1],["12345678901234567890"]]`},
		{"exact.jsonl", "{\"t\":1.5}\n{\"t\":\"123456789012345.25\"}\n", "jsonl", `[decimal] [[1.50],["123456789012345.25"]]`},
		{"nan.jsonl", "{\"t\":1.5}\n{\"t\":\"NaN\"}\n{\"t\":\"-Infinity\"}\n", "jsonl", `[float] [[1.5],["NaN"],["-Infinity"]]`},
		{"codes.jsonl", "{\"t\":1}\n{\"t\":\"007\"}\n", "jsonl", `[string] [["1"],["007"]]`},
		{"digits.jsonl", "{\"t\":1234567890123456789012345678901234567890}\n{\"t\":1}\n", "jsonl", `[string] [["1234567890123456789012345678901234567890"],["1"]]`},
		{"whole.jsonl", "{\"t\":1.5}\n{\"t\":12345678901234567890}\n", "jsonl", `[string] [["1.5"],["12345678901234567890"]]`},
		{"days.jsonl", "{\"t\":\"31-12-2020\",\"u\":\"31-12-2020 10:00:00\"}\n", "jsonl", `[string string] [["31-12-2020","31-12-2020 10:00:00"]]`},
		{"mixed.jsonl", "{\"t\":\"a\"}\n{\"t\":[1]}\n", "jsonl", `[json] [["a"],[[1]]]`},
		{"map.geojson", `{"type":"FeatureCollection","name":"n","features":[{"type":"Feature","id":"a","properties":{"pop":5},"geometry":{"type":"Point","coordinates":[1,2.5]}}]}`,
			"geojson", `[string integer struct] [["a",5,{"type":"Point","coordinates":[1.0,2.5]}]]`},
	} {
		write(t, dir, c.name, c.text)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: c.name}})
		if err != nil || m.Format != c.format {
			t.Errorf("%s: %+v, %v", c.name, m, err)
			continue
		}
		if got := answer(t, ts, c.name, "SELECT * FROM data"); got != c.want && c.name != "none.json" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cache", "copy-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestListsWithinLists: a parquet file of a few hundred bytes would keep the
// engine busy for years.
func TestListsWithinLists(t *testing.T) {
	ts, dir := newTables(t)
	enginetest.Parquet(t, filepath.Join(dir, "deep.parquet"), "SELECT "+strings.Repeat("[", 50)+"1"+strings.Repeat("]", 50)+" AS a")
	_, err := ts.Query(context.Background(), QueryRequest{Source: Source{Path: "deep.parquet"}, Query: "SELECT * FROM data"})
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeReadFailed || !strings.Contains(e.Message, `column "a" has more than 16 lists within one another`) {
		t.Error(err)
	}
}

// TestJSONThatIsNoRows is refused with the way on, and none of it reaches the
// engine: what is nested too deeply would end the process.
func TestJSONThatIsNoRows(t *testing.T) {
	ts, dir := newTables(t)
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, c := range []struct{ name, text, message, hint string }{
		{"deep.jsonl", "{\"a\":1}\n{\"a\":" + deep + "}\n", "line 2: values are nested more than 500 levels deep", "Correct it there"},
		{"deep.json", "[{\"a\":" + deep + "}]", "line 1: values are nested", "Correct it there"},
		{"deep.csv", `{"a":` + deep + "}", "line 1: values are nested", "Correct it there"},
		{"api.json", "{\n\"total\": 2,\n\"items\": [{\"a\":1},{\"a\":2}]}", "line 1: the file is one object", `jq -c '."items"[]' api.json > rows.jsonl`},
		{"line.json", `{"total":2,"items":[{"a":1},{"a":2}]}`, "line 1: the file is one object", `jq -c '."items"[]' line.json > rows.jsonl`},
		{"-a b.json", "{\n\"total\": 2,\n\"items\": [{\"a\":1},{\"a\":2}]}", "line 1: the file is one object", `jq -c '."items"[]' './-a b.json' > rows.jsonl`},
		{"numbers.json", "[1, 2, 3]", "line 1: row 1 is a number or a word, not an object", `jq -c '.[] | {value: .}' numbers.json`},
		{"cut.json", `[{"a":1},`, "line 1: the text breaks off", "Correct it there"},
		{"case.json", "[{\"name\":1},\n{\"Name\":2}]", `line 2: the keys "name" and "Name" differ only in case`, `jq -c '.[] | .["Name_2"] = .["Name"] | del(.["Name"])' case.json > rows.jsonl`},
		{"empty.jsonl", "{\"\":1}\n", "line 1: a key is empty", `jq -c '.["column_1"] = .[""]`},
		{"twice.jsonl", "{\"a\":0}\n{\"a\":1,\"a\":2}\n", `line 2: an object has the key "a" twice`, "Correct it there"},
		{"field.json", `[{"o":{"a":1}},{"o":{"A":2}}]`, `line 1: the keys "a" and "A" of objects differ only in case`, "Correct it there"},
		{"half.jsonl", "{\"a\":\"\\ud83d\"}\n", "line 1: a text has one half of a pair of surrogates", "Correct it there"},
		{"zero.jsonl", "{\"o\":{\"a\\u0000\":1}}\n", `line 1: the key "a\x00" has a zero byte`, "Correct it there"},
		{"commas.json", "{\"a\":1},\n{\"a\":2}\n", "line 1: ',' instead of an object", "Correct it there"},
		{"remark.json", "// rows\n[{\"a\":1}]", "line 1: '/' instead of an object", "Correct it there"},
		{"page.csv", "\n<!DOCTYPE html>\n<table><tr><td>1</td></tr></table>", "page.csv is a page in HTML", "save the table in it as CSV"},
		{"old.xls", "<html><table></table></html>", "old.xls is a page in HTML", "save it as .xlsx"},
		{"bom.htm", "\ufeff<html><table></table></html>", "bom.htm is a page in HTML", "save the table in it as CSV"},
		{"bom.xml", "\ufeff<?xml version='1.0'?>\n<r><a>1</a></r>", "bom.xml is XML", "yq -p xml -o json "},
		{"mail.eml", "From: a@example.com\r\nReceived: from x\r\n by y\r\nMIME-Version: 1.0\r\n\r\na,b\r\n1,2\r\n", "mail.eml is a message of electronic mail", "save the file that is attached"},
		{"all.mbox", "From ann@example.com Mon Jun 01 04:28:28 2009\nComments: first\n\na,b\n1,2\n", "all.mbox is a message of electronic mail", "save the file that is attached"},
		{"news.txt", "Path: a!b\nFrom: x@example.com\nMessage-ID: <1@b>\n\na,b\n1,2\n", "news.txt is a message of electronic mail", "save the file that is attached"},
		{"text.pdf", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "text.pdf is a PDF document", "tables of a page can be read"},
		{"text.rtf", "{\\rtf1 a;b}\n", "text.rtf is a document in RTF", "Save it as .docx"},
		{"a.csv.bz2", "BZh91AY&SY\x00\x01\x02", "a.csv.bz2 is packed with bzip2", "bzip2 -dk "},
		{"a.csv.xz", "\xfd7zXZ\x00\x00\x04", "a.csv.xz is packed with xz", "xz -dk "},
		{"a.tar", strings.Repeat("\x00", 257) + "ustar\x00", "a.tar is an archive", "tar -xf "},
		{"a.avro", "Obj\x01\x02", "a.avro is a file of Avro", "parquet or CSV"},
		{"a.docx", zipped(t, "word/document.xml"), "a.docx is an archive, but no workbook", "Unpack it"},
		{"a.zip", zipped(t, "a.csv"), "a.zip is an archive, but no workbook", "Unpack it"},
		{"data.xml", "<?xml version='1.0'?>\n<r><a>1</a></r>", "data.xml is XML", "yq -p xml -o json "},
	} {
		write(t, dir, c.name, c.text)
		for _, err := range []error{second(ts.Map(context.Background(), MapRequest{Source: Source{Path: c.name}})), second(ts.Query(context.Background(), QueryRequest{Source: Source{Path: c.name}, Query: "SELECT * FROM data"}))} {
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeReadFailed || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	// As a cell it is text, whatever a statement does with it.
	write(t, dir, "cell.csv", "id,a\n1,\""+deep+"\"\n2,\"[1]\"\n")
	if got := answer(t, ts, "cell.csv", "SELECT id, length(a) FROM data"); got != "[integer integer] [[1,40000],[2,3]]" {
		t.Errorf("a cell: %s", got)
	}
}

// zipped is an archive of one file.
func zipped(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	_, err := z.Create(name)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLongJSON reads an array that is longer than any buffer.
func TestLongJSON(t *testing.T) {
	ts, dir := newTables(t)
	f, err := os.Create(filepath.Join(dir, "long.json"))
	if err != nil {
		t.Fatal(err)
	}
	sep := "["
	const rows = 200_000
	for i := range rows {
		if _, err := fmt.Fprintf(f, "%s{\"i\":%d,\"s\":\"some text that is there\"}", sep, i); err != nil {
			t.Fatal(err)
		}
		sep = ",\n"
	}
	if _, err := f.WriteString("]"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, ts, "long.json", "SELECT count(*), sum(i) FROM data"); got != fmt.Sprintf("[integer integer] [[%d,%d]]", rows, rows*(rows-1)/2) {
		t.Error(got)
	}
}

// TestMomentsOfJSON have their zones, and may be written with fractions or
// without.
func TestMomentsOfJSON(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "t.jsonl", `{"a":"2024-01-02T03:04:05.123456","b":"2024-01-02T01:04:05Z","c":"2024-01-02T01:04:05.5+02:00","d":"2024-01-02 01:04:05","e":"2024-01-02T03:04:05.123456789"}
{"a":"1999-12-31T00:00:00","b":null,"c":"2024-01-02T01:04:05+0200","d":"2024-01-02T01:04:05Z","e":null}
`)
	want := `[timestamp timestamptz timestamptz string string] [["2024-01-02T03:04:05.123456","2024-01-02T01:04:05Z","2024-01-01T23:04:05.5Z","2024-01-02 01:04:05","2024-01-02T03:04:05.123456789"],` +
		`["1999-12-31T00:00:00",null,"2024-01-01T23:04:05Z","2024-01-02T01:04:05Z",null]]`
	if got := answer(t, ts, "t.jsonl", "SELECT * FROM data"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestWordsOfJSONAreNoDates: the engine takes "epoch" and "infinity" for dates.
func TestWordsOfJSONAreNoDates(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "t.jsonl", `{"a":"epoch","b":"-Infinity","s":{"x":"Infinity"},"l":["epoch"],"d":"1970-01-01","o":{"epoch":"1970-01-01"}}
{"a":"Infinity","b":"2024-01-02","s":{"x":"2024-01-02"},"l":["2024-01-02"],"d":"2024-01-02","o":{"epoch":"2024-01-02"}}
`)
	want := `[string string json json date struct] [["epoch","-Infinity",{"x":"Infinity"},["epoch"],"1970-01-01",{"epoch":"1970-01-01"}],` +
		`["Infinity","2024-01-02",{"x":"2024-01-02"},["2024-01-02"],"2024-01-02",{"epoch":"2024-01-02"}]]`
	if got := answer(t, ts, "t.jsonl", "SELECT * FROM data"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestJSONOfManyKeys has a column for each key, however many there are.
func TestJSONOfManyKeys(t *testing.T) {
	ts, dir := newTables(t)
	var keys []string
	for i := range 300 {
		keys = append(keys, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	row := "{" + strings.Join(keys, ",") + "}\n"
	write(t, dir, "keys.jsonl", strings.Repeat(row, 3))
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "keys.jsonl"}})
	if err != nil || len(m.Columns) != 300 || m.Columns[299].InferredType != "integer" {
		t.Fatalf("%v, %+v", err, m)
	}
	if got := answer(t, ts, "keys.jsonl", "SELECT sum(k299) FROM data"); got != "[integer] [[897]]" {
		t.Error(got)
	}
}

// TestTypesOfJSON gives columns of JSON types and an order of dates; what means
// nothing for a kind of file is refused.
func TestTypesOfJSON(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "t.jsonl", `{"a":"1","b":1.5,"d":"01/02/2024","m":"03.02.2024 10:11","s":"x","o":{"k":1},"u":"1,5"}
{"a":"x","b":2,"d":"13/02/2024","m":"04.02.2024 10:11:12.5","s":"13/02/2024","o":null,"u":"2"}
{"a":null,"b":"3.25","d":null,"m":null,"s":"y","o":{"k":2},"u":null}
`)
	src := Source{Path: "t.jsonl", Options: intake.Options{DateFormat: "D/M/Y", Types: map[string]string{"a": "integer", "B": "decimal(9,1)", "o": "string", "u": "float"}}}
	for range 2 { // of the file, and of what is kept
		r, err := ts.Query(context.Background(), QueryRequest{Source: src, Query: "SELECT * FROM data"})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s %s", r.ColumnTypes, show(t, r.Rows), r.Caveats)
		want := `[integer decimal date timestamp string string float] [[1,1.5,"2024-02-01","2024-02-03T10:11:00","x","{\"k\":1}",null],` +
			`[null,2.0,"2024-02-13","2024-02-04T10:11:12.5","13/02/2024",null,2.0],[null,null,null,null,"y","{\"k\":2}",null]]` +
			` [3 cells have no value of the type that was given, and are null]`
		if got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	write(t, dir, "t.csv", "a,b\n1,2\n")
	for _, s := range []Source{
		{Path: "t.jsonl", Options: intake.Options{Delimiter: ";"}},
		{Path: "t.jsonl", Options: intake.Options{Encoding: "utf-8"}},
		{Path: "t.jsonl", Options: intake.Options{NoHeader: true}},
		{Path: "t.jsonl", Options: intake.Options{Types: map[string]string{"zz": "integer"}}},
		{Path: "t.csv", Options: intake.Options{Sheet: "1"}},
		{Path: "t.csv", Options: intake.Options{Range: "A1"}},
	} {
		_, err := ts.Map(context.Background(), MapRequest{Source: s})
		if e := (*api.Error)(nil); !errors.As(err, &e) || e.Code != api.CodeValidation {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestLongRowsOfJSON reads a row that is longer than what the engine has room for
// at first, and one with blanks around it.
func TestLongRowsOfJSON(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "long.jsonl", `{"a":1}`+"\n"+`{"a":2,"s":"`+strings.Repeat("x", 20<<20)+`"}`+"\n"+strings.Repeat(" ", 1<<20)+`{"a":3}`+strings.Repeat(" ", 1<<20)+"\n")
	if got := answer(t, ts, "long.jsonl", "SELECT sum(a), sum(length(s)) FROM data"); got != "[integer integer] [[6,20971520]]" {
		t.Error(got)
	}
}

// TestOneObjectIsOneRow: in a file that is not of lines by its name, it may have been
// meant as a list.
func TestOneObjectIsOneRow(t *testing.T) {
	ts, dir := newTables(t)
	for name, want := range map[string]string{"a.json": "the file is one object, and was read as one row", "a.jsonl": ""} {
		write(t, dir, name, `{"text/css":{"source":"iana"},"text/html":{"source":"iana"}}`+"\n")
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warningsOf(m), "\n"); got != want || m.RowCount != 1 {
			t.Errorf("%s: %d rows, %q", name, m.RowCount, got)
		}
	}
}

// TestFilesThatAStatementLeavesOut must be there all the same.
func TestFilesThatAStatementLeavesOut(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "a.csv", "n\n1\n")
	for _, r := range []QueryRequest{
		{Source: Source{Path: "none.csv"}, Query: "SELECT 1"},
		{Source: Source{Path: "."}, Query: "SELECT 1"},
		{Source: Source{Path: "a.csv"}, Tables: map[string]Source{"b": {Path: "none.csv"}}, Query: "SELECT n FROM data"},
	} {
		if _, err := ts.Query(t.Context(), r); !api.CodeReadFailed.Is(err) {
			t.Errorf("%s: %v", r.Path, err)
		}
	}
	if got := answer(t, ts, "a.csv", "SELECT 1"); got != "[integer] [[1]]" {
		t.Error(got)
	}
}

package lake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
	tabular "github.com/agnes-data/da/table"
)

// odd are small texts that only a reader of what people send reads right.
var odd = map[string]string{
	"short":      "a,b,c\n1,2,3\n4,5\n7,8,9\n",
	"long":       "a,b,c\n1,2,3\n4,5,6,7\n7,8,9\n",
	"last":       "symbol,date,price\nMSFT,Jan 1 2000,39.81\nMSFT,Feb 1 2000,36.35\nGOOG,Apr 1 2010,560.19GOOG,Apr 1 2010,999.99\n",
	"footer":     "a,b,c\n1,2,3\n4,5,6\n7,8,9\nTotal: 3 rows\n",
	"trailing":   "a,b,c,\n1,2,3\n4,5,6\n",
	"preamble":   "exported 2024-01-01\n\na;b\n1,5;x\n2,5;y\n",
	"latin1":     "name,n\nM\xfcller,1\nJos\xe9,2\n",
	"ends":       "a,b\r\n1,2\n3,4\r\n5,6\n",
	"duplicates": "a,a,A\n1,2,3\n",
	"nulls":      "n,d,t\n1,2024-01-31,x\nNA,,\"\"\n3,2024-02-01,NULL\n",
	"german":     "tag;betrag\n31.12.2024;1.234,50\n01.01.2025;7,00\n",
	"digits":     "id,n\n007,12345678901234567890\n010,1\n",
	"instants":   "at,clock\n2024-01-01T10:00:00Z,10:00\n2024-01-02T10:00:00+02:00,23:59\n",
	"booleans":   "b,c\ntrue,yes\nfalse,no\n",
	"header":     "name,city\nAnna,Prague\nBob,Brno\n",
}

// oddJSON are JSON files in every arrangement, with values that engines take for
// others.
var oddJSON = map[string]string{
	"array.json":      `[{"n":1,"s":"x"},{"n":2,"d":"2024-01-02"}]`,
	"indented.json":   "\ufeff[\n  {\n    \"n\": 1\n  },\n  {\n    \"n\": 2\n  }\n]\n",
	"objects.json":    "{\n \"n\": 1\n}\n{\n \"n\": 2\n}\n",
	"nested_big.json": `[{"o":{"a":12345678901234567890,"HUGEINT":"x","l":[{"n":12345678901234567891}]}},{"o":{"a":1}}]`,
	"big.json":        `[ {"n":110}, {"n":12345678901234567890} ]`,
	"lines.jsonl":     "{\"t\":\"a\"}\n{\"t\":1941}\n{\"t\":true}\n{\"t\":1.50}\n",
	"tags.jsonl":      "{\"t\":[\"a\",1]}\n{\"t\":[null]}\n{}\n",
	"long.jsonl":      "{\"t\":1}\n{\"t\":\"12345678901234567890\"}\n",
	"exact.jsonl":     "{\"t\":1.5}\n{\"t\":\"123456789012345.25\"}\n",
	"nan.jsonl":       "{\"t\":1.5}\n{\"t\":\"NaN\"}\n{\"t\":\"-Infinity\"}\n",
	"codes.jsonl":     "{\"t\":1}\n{\"t\":\"007\"}\n",
	"mixed.jsonl":     "{\"t\":\"a\"}\n{\"t\":[1]}\n",
	"array.jsonl":     `[{"a":1},{"a":2}]`,
	"lines.json":      "{\"a\":1}\n{\"a\":2}\n",
	"moments.ndjson":  "{\"d\":\"2024-01-02\",\"t\":\"2024-01-02T03:04:05\",\"z\":\"2024-01-02T03:04:05Z\",\"h\":\"10:11:12\"}\n",
	"nested.json":     `[{"o":{"a":1,"b":[{"c":"x"}]},"l":[1,2]},{"o":null,"l":[]}]`,
	"beyond.jsonl":    "{\"t\":1.5,\"o\":{\"a\":12345678901234567890123}}\n{\"t\":1e400,\"o\":null}\n",
	"rounded.json":    `[{"a":0.1000000000000000055511151231257827},{"a":2.25}]`,
	"map.geojson": `{"type":"FeatureCollection","name":"n","features":[{"type":"Feature","id":"a","properties":{"pop":5},` +
		`"geometry":{"type":"Point","coordinates":[1,2.5]}},{"type":"Feature","id":"b","properties":{"pop":null},"geometry":null}]}`,
}

// campaign makes random tests long, and long lists whole: `make lake-campaign`.
var campaign = os.Getenv("DA_LAKE_CAMPAIGN") != ""

// TestBothDoorsGiveTheSame reads messy files as a table of a lake, and as
// `da table` does.
func TestBothDoorsGiveTheSame(t *testing.T) {
	f := newFolder(t)
	utf16 := "a,b\n1,ü\n2,y\n"
	var wide strings.Builder
	wide.WriteString("\xff\xfe")
	for _, r := range utf16 {
		wide.WriteString(string([]byte{byte(r), byte(r >> 8)}))
	}
	f.write(t, "utf16.csv", wide.String())
	names := []string{"utf16.csv"}
	for name, text := range odd {
		f.write(t, name+".csv", text)
		names = append(names, name+".csv")
	}
	for name, text := range oddJSON {
		f.write(t, name, text)
		f.gzip(t, name+".gz", text)
		names = append(names, name, name+".gz")
	}
	messy, err := filepath.Glob("../../table/testdata/messy/*.txtar")
	if err != nil || len(messy) == 0 {
		t.Fatalf("no messy files: %v", err)
	}
	for i, file := range messy {
		if !campaign && i%4 > 0 {
			continue // package table reads all of them by the same code
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range a.Files {
			if name, ok := strings.CutSuffix(in.Name, "/in"); ok && !bytes.Contains(in.Data, []byte("«")) { // bytes in hex
				name = strings.TrimSuffix(filepath.Base(file), ".txtar") + "_" + name + ".csv"
				f.write(t, name, string(in.Data))
				names = append(names, name)
			}
		}
	}
	tables, err := tabular.New(tabular.Config{Dir: t.TempDir(), WorkDir: f.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for _, name := range names {
		t.Run(name, func(t *testing.T) { sameDoors(t, f, tables, name) })
	}
}

// sameDoors compares the names, values and warnings of one file.
func sameDoors(t *testing.T, f *folder, tables *tabular.Tables, name string) {
	t.Helper()
	stream, err := tables.Stream(t.Context(), tabular.Source{Path: filepath.Join(f.dir, name)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	schema := f.schema(t, name)
	var own, theirs []string
	for _, c := range schema.Columns {
		own = append(own, c.Name)
	}
	for _, c := range stream.Batches.Schema().Fields() {
		theirs = append(theirs, c.Name)
	}
	if fmt.Sprint(own) != fmt.Sprint(theirs) {
		t.Errorf("columns %q, and %q", own, theirs)
	}
	r, err := f.lake.Scan(t.Context(), f.scan(t, name, "", own...))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Schema().Fields() {
		if i < len(theirs) && typeOf(c) != typeOf(stream.Batches.Schema().Field(i)) {
			t.Errorf("column %s is %s, and %s", c.Name, c.Type, stream.Batches.Schema().Field(i).Type)
		}
	}
	if oddJSON[name] != "" {
		sameWarnings(t, f, tables, name, api.Texts(api.SchemaCaveats(r.Schema())))
	}
	r.Release()
	stream.Batches.Retain()
	want, err := enginetest.Rows(stream.Batches)
	if err != nil {
		t.Fatal(err)
	}
	same(t, f.rows(t, f.scan(t, name, "", own...)), want...)
	if !slices.Contains([]string{"short.csv", "nested_big.json", "lines.jsonl"}, name) {
		return // one scan is enough for the many
	}
	r, err = f.lake.Query(t.Context(), "SELECT * FROM t UNION ALL SELECT * FROM t", map[string]source.Relation{"t": {Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := enginetest.Rows(r)
	if err != nil || len(rows) != 2*len(want) {
		t.Errorf("%d rows by a statement, %v", len(rows), err)
	}
}

// sameWarnings compares what a lake says of a file with what `da table` says.
func sameWarnings(t *testing.T, f *folder, tables *tabular.Tables, name string, own []string) {
	t.Helper()
	m, err := tables.Map(t.Context(), tabular.MapRequest{Source: tabular.Source{Path: filepath.Join(f.dir, name)}})
	if err != nil {
		t.Fatal(err)
	}
	var theirs []string
	for _, w := range m.Caveats {
		theirs = append(theirs, name+": "+w.Text)
	}
	if strings.Join(own, "\n") != strings.Join(theirs, "\n") {
		t.Errorf("warnings %q, and %q", own, theirs)
	}
}

// TestWarningsTravel has what does not fit in a file reach those who see all of
// it, and nobody else.
func TestWarningsTravel(t *testing.T) {
	f := newFolder(t)
	f.write(t, "short.csv", odd["short"])
	said := func(r array.RecordReader, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(api.Texts(api.SchemaCaveats(r.Schema())), " ")
		if _, err := enginetest.Rows(r); err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole := source.Relation{Name: "short.csv"}
	part := source.Relation{Name: "short.csv", Columns: []string{"a"}}
	for _, rel := range []source.Relation{whole, part} {
		for door, text := range map[string]string{
			"scan":      said(f.lake.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"a"}})),
			"statement": said(f.lake.Query(t.Context(), "SELECT a FROM t", map[string]source.Relation{"t": rel})),
		} {
			// Once: a line for each row would say it again.
			if got := strings.Count(text, "line 3") == 1 && strings.Contains(text, "short.csv: 1 row has too few fields: the missing ones are null (line 3)"); got != rel.Whole() {
				t.Errorf("%s, whole %t: %s", door, rel.Whole(), text)
			}
		}
	}
}

// typeOf is a column's type without what the width of whole numbers adds:
// parquet keeps those of 38 digits as decimals.
func typeOf(f arrow.Field) string {
	if f.Type.ID() == arrow.DECIMAL128 && f.Type.(*arrow.Decimal128Type).Scale == 0 {
		return "decimal(38,0)"
	}
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	return f.Type.String() + name
}

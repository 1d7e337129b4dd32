package lake

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

func TestNestedFields(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "n.parquet", `SELECT {a: 1, "b c": {d: 'x', "e""f": [1.5::DECIMAL(18,3)]}} AS s, [{k: 1}] AS l, map {'x': 1} AS m, [1] AS plain`)
	s := f.schema(t, "n.parquet")
	text, err := json.Marshal(s.Columns)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"s","type":"STRUCT(a INTEGER, \"b c\" STRUCT(d VARCHAR, \"e\"\"f\" DECIMAL(18,3)[]))","nullable":true,"fields":[` +
		`{"name":"a","type":"INTEGER","nullable":true},` +
		`{"name":"b c","type":"STRUCT(d VARCHAR, \"e\"\"f\" DECIMAL(18,3)[])","nullable":true,"fields":[` +
		`{"name":"d","type":"VARCHAR","nullable":true},{"name":"e\"f","type":"DECIMAL(18,3)[]","nullable":true}]}]},` +
		`{"name":"l","type":"STRUCT(k INTEGER)[]","nullable":true,"fields":[{"name":"k","type":"INTEGER","nullable":true}]},` +
		`{"name":"m","type":"MAP(VARCHAR, INTEGER)","nullable":true},{"name":"plain","type":"INTEGER[]","nullable":true}]`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// require makes a column of a parquet file one that is never NULL. DuckDB
// writes none such; other writers do. Only the footer's schema changes: an
// element's repetition and its name stand side by side there.
func (f *folder) require(t *testing.T, rel, column string) {
	t.Helper()
	file := filepath.Join(f.dir, rel)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := append([]byte{0x18, byte(len(column))}, column...)
	optional := append([]byte{0x25, 0x02}, name...)
	if bytes.Count(data, optional) != 1 {
		t.Fatalf("%d elements look like %s", bytes.Count(data, optional), column)
	}
	data = bytes.Replace(data, optional, append([]byte{0x25, 0x00}, name...), 1)
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNullability(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "a.parquet", "SELECT 1 AS must, 2 AS may")
	f.require(t, "a.parquet", "must")
	if got := columns(f.schema(t, "a.parquet")); got != "must INTEGER, may INTEGER?" {
		t.Errorf("columns: %s", got)
	}
	// One file in which it may be NULL is enough.
	f.copy(t, "b.parquet", "SELECT 1 AS must, 2 AS may")
	if got := columns(f.schema(t, "*.parquet")); got != "must INTEGER?, may INTEGER?" {
		t.Errorf("columns: %s", got)
	}
}

func TestFilesThatDiffer(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "order/a.parquet", "SELECT 1 AS a, 'x' AS b, {c: 1} AS s")
	f.copy(t, "order/b.parquet", "SELECT {c: 2} AS s, 'y' AS b, 2 AS a")
	if got := columns(f.schema(t, "order/*.parquet")); got != "a INTEGER?, b VARCHAR?, s STRUCT(c INTEGER)?" {
		t.Errorf("columns: %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "order/*.parquet", "", "b", "a"))), "x|1", "y|2")

	f.copy(t, "type/a.parquet", "SELECT 1::INTEGER AS a")
	f.copy(t, "type/b.parquet", "SELECT 1::INTEGER AS a")
	f.copy(t, "type/c.parquet", "SELECT 1::BIGINT AS a")
	f.copy(t, "more/a.parquet", "SELECT 1 AS a")
	f.copy(t, "more/b.parquet", "SELECT 1 AS a, 2 AS b")
	f.copy(t, "less/a.parquet", "SELECT 1 AS a, 2 AS b")
	f.copy(t, "less/b.parquet", "SELECT 1 AS a")
	f.write(t, "formats/a.csv", "a\n1\n")
	f.copy(t, "formats/b.parquet", "SELECT 1 AS a")
	f.copy(t, "parts/x=1/a.parquet", "SELECT 1 AS a")
	f.copy(t, "parts/y=1/b.parquet", "SELECT 1 AS a")
	f.copy(t, "somehive/a.parquet", "SELECT 1 AS a")
	f.copy(t, "somehive/x=1/b.parquet", "SELECT 1 AS a")
	f.copy(t, "twice/x=1/x=2/a.parquet", "SELECT 1 AS a")
	for name, says := range map[string][]string{
		"type/*.parquet":        {"type/a.parquet", "type/c.parquet", `"a" is INTEGER in the first and BIGINT in the second`},
		"more/*.parquet":        {"more/a.parquet", "more/b.parquet", `only the second has "b"`},
		"less/*.parquet":        {"less/a.parquet", "less/b.parquet", `only the first has "b"`},
		"formats/*":             {"formats/a.csv", "formats/b.parquet", "different formats"},
		"parts/*/*.parquet":     {"parts/x=1/a.parquet", "parts/y=1/b.parquet", "partitions"},
		"somehive/**/*.parquet": {"somehive/a.parquet", "somehive/x=1/b.parquet", "partitions"},
		"twice/*/*/*.parquet":   {"partition key x"},
	} {
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: name})
		refused(t, f, err, api.CodeSource, says...)
	}
}

func TestHivePartitions(t *testing.T) {
	f := newFolder(t)
	for rel, query := range map[string]string{
		"h/year=2001/region=north%20west/a.parquet":               "SELECT 1 AS v",
		"h/year=2001/region=__HIVE_DEFAULT_PARTITION__/a.parquet": "SELECT 2 AS v",
		"h/year=2002/region=south/a.parquet":                      "SELECT 3 AS v",
		"dates/d=2020-01-01/a.parquet":                            "SELECT 1 AS v",
		"dates/d=2020-02-01/a.parquet":                            "SELECT 2 AS v",
		"text/k=01/a.parquet":                                     "SELECT 1 AS v",
		"text/k=x/a.parquet":                                      "SELECT 2 AS v",
		"stored/y=5/a.parquet":                                    "SELECT 1 AS v, 7 AS y, 'z' AS w",
		"notkeys/a=b=c/x.parquet":                                 "SELECT 1 AS v",
		"notkeys/=b/x.parquet":                                    "SELECT 1 AS v",
	} {
		f.copy(t, rel, query)
	}
	s := f.schema(t, "h/*/*/*.parquet")
	if got := columns(s); got != "v INTEGER?, region VARCHAR?, year BIGINT" {
		t.Errorf("columns: %s", got)
	}
	if got := strings.Join(s.PartitionBy, ","); got != "year,region" {
		t.Errorf("partitioned by %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "h/*/*/*.parquet", "", "v", "year", "region"))),
		"1|2001|north west", "2|2001|(null)", "3|2002|south")
	same(t, f.rows(t, f.scan(t, "h/*/*/*.parquet", "year > 2001", "v")), "3")
	same(t, f.rows(t, f.scan(t, "h/*/*/*.parquet", "region IS NULL", "v")), "2")
	same(t, f.rows(t, f.scan(t, "h/year=2001/region=north%20west/a.parquet", "", "region", "v")), "north west|1")

	if got := columns(f.schema(t, "dates/*/*.parquet")); got != "v INTEGER?, d DATE" {
		t.Errorf("columns: %s", got)
	}
	if got := columns(f.schema(t, "text/*/*.parquet")); got != "v INTEGER?, k VARCHAR" {
		t.Errorf("columns: %s", got)
	}
	same(t, sorted(f.rows(t, f.scan(t, "text/*/*.parquet", "", "k"))), "01", "x")
	// The folder's value stands for a stored column of its name.
	if got := columns(f.schema(t, "stored/*/*.parquet")); got != "v INTEGER?, y BIGINT, w VARCHAR?" {
		t.Errorf("columns: %s", got)
	}
	same(t, f.rows(t, f.scan(t, "stored/*/*.parquet", "", "w", "y", "v")), "z|5|1")
	if got := columns(f.schema(t, "notkeys/*/*.parquet")); got != "v INTEGER?" {
		t.Errorf("columns: %s", got)
	}

	for _, ext := range []string{"csv", "jsonl"} {
		f.copy(t, "t/y=1/a."+ext, "SELECT 1 AS v", formatOption("."+ext))
		f.copy(t, "t/y=2/a."+ext, "SELECT 2 AS v", formatOption("."+ext))
		s := f.schema(t, "t/*/*."+ext)
		if got := columns(s); got != "v BIGINT?, y BIGINT" || s.PartitionBy[0] != "y" {
			t.Errorf("%s: %s, by %v", ext, got, s.PartitionBy)
		}
		same(t, f.rows(t, f.scan(t, "t/*/*."+ext, "y = 2", "y", "v")), "2|2")
	}
}

func TestColumnNames(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "n.parquet", `SELECT 1 AS "a b", 2 AS "q""uote", 3 AS "src", 4 AS "select", 5 AS "ü", 7 AS "x, y"`)
	if got := columns(f.schema(t, "n.parquet")); !strings.HasPrefix(got, `a b INTEGER?, q"uote INTEGER?, src INTEGER?, select INTEGER?, ü INTEGER?`) {
		t.Errorf("columns: %s", got)
	}
	scan := f.scan(t, "n.parquet", `src = 3 AND "select" > 1`, "x, y", "src", "select", "ü", `q"uote`, "a b")
	scan.OrderBy = f.order(t, "n.parquet", "src DESC", `"a b"`)
	same(t, f.rows(t, scan), "7|3|4|5|2|1")
}

func TestBrokenParquet(t *testing.T) {
	f := newFolder(t)
	f.write(t, "text.parquet", "this is no parquet file, but long enough to look into")
	f.write(t, "empty.parquet", "")
	for _, name := range []string{"text.parquet", "empty.parquet", "*.parquet"} {
		_, err := f.lake.Schema(t.Context(), source.Relation{Name: name})
		refused(t, f, err, api.CodeSource, ".parquet")
	}
}

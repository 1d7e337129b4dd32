package table

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/intake"
)

// newTables works in a folder of its own, in which it also finds files.
func newTables(t testing.TB) (*Tables, string) {
	t.Helper()
	dir := t.TempDir()
	ts, err := New(Config{Dir: filepath.Join(dir, "cache"), WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return ts, dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// show is the JSON of a result, the time that it took aside.
func show(t testing.TB, v any) string {
	t.Helper()
	if r, ok := v.(*Result); ok {
		r.QueryElapsedMS = 0
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

const sales = "id,customer,amount,day,paid,ratio\n1,Ann,10.50,2024-01-01,true,0.12345678\n2,Bob,-3.25,2024-01-02,false,1.5\n3,Ann,,2024-01-03,true,2.25\n4,,100.00,,true,\n"

func ptr[T any](v T) *T { return &v }

func TestMap(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "sales.csv", sales)
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "sales.csv"}, ChunkRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format":"csv","format_inferred":false,"compression":null,"delimiter":",","quote_char":"\"","escape_char":null,"comment_prefix":null,` +
		`"encoding_detected":"utf-8","encoding_confidence":1,"has_header":true,"sheet":null,"row_count":4,"column_count":6,"columns":[` +
		`{"name":"id","index":0,"inferred_type":"integer"},{"name":"customer","index":1,"inferred_type":"string"},` +
		`{"name":"amount","index":2,"inferred_type":"decimal","precision":18,"scale":2},{"name":"day","index":3,"inferred_type":"date"},` +
		`{"name":"paid","index":4,"inferred_type":"boolean"},{"name":"ratio","index":5,"inferred_type":"float"}],` +
		`"chunks":[{"index":0,"rows":"1-3"},{"index":1,"rows":"4-4"}],` +
		`"misfits":{"short_rows":0,"long_rows":0,"mended_rows":0,"repeated_headers":0,"cells":0,"bytes":0},"caveats":[]}`
	if got := show(t, m); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDescribeStatsRowsQuery(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "sales.csv", sales)
	write(t, dir, "people.tsv", "name\tcity\nAnn\tPrague\nBob\tBrno\n")
	ctx, src := context.Background(), Source{Path: "sales.csv"}
	for range 2 { // the second answers come from what was kept
		d, err := ts.Describe(ctx, DescribeRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"name":"customer","index":1,"inferred_type":"string","nullable":true,"non_null_count":3,"null_count":1,"distinct_estimate":2}`
		if got := show(t, d.Columns[1]); got != want {
			t.Errorf("describe: %s", got)
		}
		st, err := ts.Stats(ctx, StatsRequest{Source: src, Columns: []string{"amount", "customer", "day", "paid", "ratio"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{
			`{"name":"amount","type":"decimal","non_null_count":3,"null_count":1,"distinct_estimate":3,"min":-3.25,"max":100.00,"mean":35.75,"sum":107.25,"stddev":56.06525216210126,"p25":3.625,"median":10.5,"p75":55.25,"histogram":[1,1,0,0,0,0,0,0,0,1]}`,
			`{"name":"customer","type":"string","non_null_count":3,"null_count":1,"distinct_estimate":2,"min_length":3,"max_length":3,"most_common":[{"value":"Ann","count":2},{"value":"Bob","count":1}]}`,
			`{"name":"day","type":"date","non_null_count":3,"null_count":1,"distinct_estimate":3,"min":"2024-01-01","max":"2024-01-03"}`,
			`{"name":"paid","type":"boolean","non_null_count":4,"null_count":0,"distinct_estimate":2,"true_count":3,"false_count":1}`,
		} {
			if got := show(t, st.Columns[i]); got != want {
				t.Errorf("stats: %s\nwant %s", got, want)
			}
		}
		r, err := ts.Rows(ctx, RowsRequest{Source: src, RowStart: 3, RowCount: 5, Columns: []string{"amount", "ID"}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(t, r), `{"columns":["amount","id"],"column_types":["decimal","integer"],"rows":[[null,3],[100.00,4]],"row_start":3,"row_count":2,"total_rows":4,"has_more":false,"caveats":[]}`; got != want {
			t.Errorf("rows: %s\nwant %s", got, want)
		}
		q, err := ts.Query(ctx, QueryRequest{
			Source: src, Query: "SELECT city, sum(amount) AS total FROM data JOIN p ON name = customer GROUP BY city ORDER BY city;",
			Tables: map[string]Source{"p": {Path: "people.tsv"}}, WindowRows: ptr(int64(1)),
		})
		if err != nil {
			t.Fatal(err)
		}
		want = `{"columns":["city","total"],"column_types":["string","decimal"],"rows":[["Brno",-3.25]],"row_count":1,"total_row_count":2,"window_rows":1,"window_offset":0,"has_more":true,"query_elapsed_ms":0,"caveats":[]}`
		if got := show(t, q); got != want {
			t.Errorf("query: %s\nwant %s", got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "x.csv", "a,b\n1,2\n")
	write(t, dir, "other.csv", "secret\n1\n")
	ctx, src := context.Background(), Source{Path: "x.csv"}
	for _, sql := range []string{
		"", "SELECT 1; SELECT 2", "DROP TABLE data", "INSERT INTO data VALUES (1,2)", "COPY data TO '/tmp/x'", "ATTACH 'x'", "PRAGMA version",
		"SELECT * FROM 'other.csv'", "SELECT * FROM read_csv('other.csv')", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM nowhere",
		"SELECT c FROM data", "SELECT * FROM data WHERE", "SELECT * FROM f0.main.data", "SELECT nosuch(a) FROM data",
	} {
		_, err := ts.Query(ctx, QueryRequest{Source: src, Query: sql})
		if !api.CodeValidation.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for name, err := range map[string]error{
		"row 0":          second(ts.Rows(ctx, RowsRequest{Source: src, RowStart: 0, RowCount: 1})),
		"unknown column": second(ts.Rows(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 1, Columns: []string{"zz"}})),
		"stats column":   second(ts.Stats(ctx, StatsRequest{Source: src, Columns: []string{"zz"}})),
		"window":         second(ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT 1", WindowOffset: -1})),
		"table name":     second(ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT 1", Tables: map[string]Source{"data": src}})),
	} {
		if !api.CodeValidation.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ts.Map(ctx, MapRequest{Source: Source{Path: "missing.csv"}})
	if !api.CodeReadFailed.Is(err) {
		t.Errorf("missing: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, root, "in.csv", "a\n1\n")
	write(t, dir, "out.csv", "a\n1\n")
	if err := os.Symlink(filepath.Join(dir, "out.csv"), filepath.Join(root, "link.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	for _, rootPath := range []string{root, filepath.Join(dir, "alias")} {
		ts, err := New(Config{Dir: filepath.Join(dir, "cache"), WorkDir: root, Root: rootPath})
		if err != nil {
			t.Fatal(err)
		}
		for path, ok := range map[string]bool{
			"in.csv": true, filepath.Join(root, "in.csv"): true, filepath.Join(dir, "alias", "in.csv"): true,
			"../out.csv": false, filepath.Join(dir, "out.csv"): false, "link.csv": false, "/etc/passwd": false, "../missing.csv": false,
		} {
			_, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: path}})
			if ok && err != nil || !ok && !api.CodeSandbox.Is(err) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if _, err := New(Config{Dir: filepath.Join(dir, "cache"), Root: filepath.Join(dir, "none")}); err == nil {
		t.Errorf("a root that does not exist was taken")
	}
}

// TestKinds reads the same rows from every kind of file.
func TestKinds(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "a.jsonl", `{"n":1,"s":"x","l":[1,2],"big":18446744073709551616,"d":1.10,"f":0.123456}`+"\n"+`{"n":2,"s":null,"l":[],"big":5,"d":2.5,"f":1e30}`+"\n")
	ctx := context.Background()
	r, err := ts.Rows(ctx, RowsRequest{Source: Source{Path: "a.jsonl"}, RowStart: 1, RowCount: 9})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(t, r), `{"columns":["n","s","l","big","d","f"],"column_types":["integer","string","list","integer","decimal","float"],"rows":[[1,"x",[1,2],"18446744073709551616",1.1,0.123456],[2,null,[],5,2.5,1e+30]],"row_start":1,"row_count":2,"total_rows":2,"has_more":false,"caveats":[]}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestChangedFile(t *testing.T) {
	ts, dir := newTables(t)
	ctx, src := context.Background(), Source{Path: "x.csv"}
	for _, c := range []struct{ text, want string }{{"a\n1\n", "[[1]]"}, {"a\n2\n", "[[2]]"}, {"a\n2\n3\n", "[[2],[3]]"}} {
		write(t, dir, "x.csv", c.text)
		r, err := ts.Rows(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got := show(t, r.Rows); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
		if _, err := ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT * FROM data"}); err != nil { // which builds a database
			t.Fatal(err)
		}
	}
	databases := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "cache", "*.duckdb"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if n := databases(); n != 1 {
		t.Errorf("%d databases of one file", n)
	}
	if err := os.Remove(filepath.Join(dir, "x.csv")); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Dir: filepath.Join(dir, "cache")}); err != nil {
		t.Fatal(err)
	}
	if n := databases(); n != 0 {
		t.Errorf("%d databases outlived their file", n)
	}
}

func TestForcedTypes(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "x.csv", "a,b\n1,x\n2,y\nz,w\n")
	src := Source{Path: "x.csv", Options: intake.Options{Types: map[string]string{"a": "integer"}}}
	m, err := ts.Map(context.Background(), MapRequest{Source: src})
	if err != nil {
		t.Fatal(err)
	}
	if m.Misfits.Cells != 1 || len(m.Problems) != 1 || m.Problems[0].Line != 4 {
		t.Errorf("%+v", m)
	}
	d, err := ts.Describe(context.Background(), DescribeRequest{Source: src})
	if err != nil || d.Columns[0].NullCount != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestFaultsOfASelectionSayWhere holds that an error is the same whatever the
// engine was given around the statement, and whether it comes first or late.
func TestFaultsOfASelectionSayWhere(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "sales.csv", sales)
	src := Source{Path: "sales.csv"}
	const at = 23
	for _, sql := range []string{
		"SELECT '1'::BIT AS b, nope FROM data",
		"SELECT '1'::BIT AS b, CAST(customer AS INT) AS nope FROM data",
	} {
		for _, carried := range []bool{false, true} {
			s, err := ts.Select(t.Context(), QueryRequest{Source: src, Query: sql}, carried)
			if err == nil {
				for s.Batches.Next() {
				}
				err = s.Batches.Err()
				s.Close()
			}
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeValidation || e.Details["position"] != at {
				t.Errorf("%s, carried %t: %#v, %v", sql, carried, e, err)
			}
		}
		_, err := ts.Export(t.Context(), ExportRequest{Source: src, Query: sql, TargetPath: "out.parquet", Format: "parquet"})
		var e *api.Error
		if !errors.As(err, &e) || e.Details["position"] != at {
			t.Errorf("%s: %v, %+v", sql, err, e)
		}
	}
}

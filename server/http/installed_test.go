package httpapi

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/snapshot"
)

// valuesOf are the columns of random tables: x is a random number of 64 bits.
var valuesOf = []string{
	"(x % 256 - 128)::TINYINT", "(x % 65536 - 32768)::SMALLINT", "(x % 4294967296 - 2147483648)::INTEGER", "(x // 2)::BIGINT", "x * 12345 - 7",
	"(x % 256)::UTINYINT", "(x % 65536)::USMALLINT", "(x % 4294967296)::UINTEGER", "x::UBIGINT", "(x % 1000 / 7)::FLOAT",
	"CASE x % 9 WHEN 0 THEN 'nan' WHEN 1 THEN '-inf' WHEN 2 THEN '-0.0' ELSE x / 3 END::DOUBLE", "x % 2 = 0", "(x % 9999 / 10)::DECIMAL(5, 1)",
	"(x % 1000000000 / 100)::DECIMAL(12, 2)", "x::DECIMAL(30, 3)", "DATE '1900-01-01' + (x % 90000)::INTEGER", "TIME '00:00' + to_microseconds((x % 86400000000)::BIGINT)",
	"TIMESTAMP '1900-01-01' + to_microseconds((x % 4000000000000000)::BIGINT)", "TIMESTAMPTZ '1900-01-01 00:00:00+00' + to_microseconds((x % 4000000000000000)::BIGINT)",
	"make_timestamp_ns((x % 4000000000000000000)::BIGINT)", "repeat('ř', (x % 9)::INTEGER) || x", "['', 'a', 'b ', NULL][(x % 4)::INTEGER + 1]", "md5(x::VARCHAR)::BLOB", "md5(x::VARCHAR)::UUID",
	"to_days((x % 1000)::INTEGER)", "[x::UBIGINT, NULL, 7][1:(x % 4)::INTEGER]", "{'a': (x // 2)::BIGINT, 'b': [{'c': CASE WHEN x % 3 > 0 THEN 'x' END}]}", "MAP {'k' || x % 5: x::UBIGINT, 'l': NULL}", "[[(x % 7)::TINYINT], [], NULL]",
}

// randomTable is a SELECT of rows with a key and all columns, of which any share
// may be NULL.
func randomTable(r *rand.Rand, rows int) string {
	columns := []string{"i AS id"}
	for k, value := range valuesOf {
		value = strings.ReplaceAll(value, "x", fmt.Sprintf("x%d", k))
		switch most := r.IntN(12); most {
		case 0: // never NULL
		case 1:
			value = "CASE WHEN false THEN " + value + " END"
		default:
			value = fmt.Sprintf("CASE WHEN hash(i, %d) %% %d > 0 THEN %s END", r.Uint32(), most, value)
		}
		columns = append(columns, fmt.Sprintf("%s AS c%d", value, k))
	}
	var numbers []string
	for k := range valuesOf {
		numbers = append(numbers, fmt.Sprintf("hash(i, %d)::HUGEINT AS x%d", r.Uint32(), k))
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT i, %s FROM range(%d) t(i))", strings.Join(columns, ", "), strings.Join(numbers, ", "), rows)
}

// randomScan is a request for such a table. Where a cap may cut, the rows are
// ordered: which ones are cut is open otherwise.
func randomScan(r *rand.Rand, table string) api.ScanRequest {
	req := api.ScanRequest{TableID: table}
	atoms := []string{"c2 > 0", "c3 IS NULL", "c11", "c12 < 500.5", "c15 >= DATE '1950-01-01'", "c20 LIKE '%1'", "c21 IN ('a', 'b ')", "c9 <= 50", "id % 3 = 1", "id < 0", "c17 IS NOT NULL"}
	for range r.IntN(3) {
		if req.Where != "" {
			req.Where = "(" + req.Where + ") " + []string{"AND ", "OR "}[r.IntN(2)]
		}
		req.Where += atoms[r.IntN(len(atoms))]
	}
	for _, k := range r.Perm(len(valuesOf))[:r.IntN(len(valuesOf))] {
		req.Select = append(req.Select, fmt.Sprintf("c%d", k))
	}
	switch r.IntN(3) {
	case 0:
		n := r.Int64N(2000)
		req.Limit, req.OrderBy = &n, []string{"id"}
	case 1: // the server's cap
		req.Where, req.OrderBy = "", []string{"id"}
	default:
		req.Where = strings.TrimPrefix("("+req.Where+") AND id < 1900", "() AND ")
	}
	return req
}

// TestSnapshotsAreTheSameInEveryForm installs random requests of random tables
// three times: by a file over HTTP, by rows over HTTP, and by rows in this process.
// The snapshots have the same rows, in the same types, in any form.
func TestSnapshotsAreTheSameInEveryForm(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(15, 2))
	instance := "api: { scan: { max_limit: 2000 } }\nsources: { files: { type: lake, root: . } }\ntables:\n"
	const tables = 3
	for n := range tables {
		enginetest.Parquet(t, filepath.Join(dir, fmt.Sprintf("t%d.parquet", n)), randomTable(r, []int{0, 2000, 2001}[n]))
		instance += fmt.Sprintf("  - { id: t%d, source: files, path: t%d.parquet, public: true }\n", n, n)
	}
	c := openCore(t, dir, instance)
	srv := httptest.NewServer(newHandler(c, slog.New(slog.DiscardHandler), testDoor))
	defer srv.Close()
	s := &staffServer{t: t, core: c, url: srv.URL}
	far := s.over(s.user("una")).Data()
	rows := far
	rows.Filer = nil
	forms := map[string]*analyst.Analyst{}
	for form, data := range map[string]api.Data{"file": far, "rows": rows, "embedded": c.Data(core.LocalAdmin)} {
		home := t.TempDir()
		store, err := snapshot.Open(home)
		if err != nil {
			t.Fatal(err)
		}
		forms[form] = &analyst.Analyst{Home: home, Store: store, Now: time.Now,
			Connect: func() (analyst.Remote, error) { return analyst.Remote{Data: data, Name: form}, nil }}
	}
	conn := enginetest.Conn(t)
	cut, full := 0, 0
	for i := range 6 {
		req := randomScan(r, fmt.Sprintf("t%d", i%tables))
		got := map[string]snapshot.Meta{}
		content := map[string]string{}
		for form, a := range forms {
			res, err := fetch.Run(t.Context(), a, fetch.Request{Scan: req, Name: fmt.Sprintf("s%d", i), Fresh: true, AllowCut: true})
			if err != nil {
				t.Fatalf("%+v: %s: %v", req, form, err)
			}
			got[form], content[form] = res.Snapshot, contents(t, conn, a.Store.DataPath(res.Snapshot))
		}
		want := got["file"]
		if want.Truncated {
			cut++
		} else if want.Rows > 100 {
			full++
		}
		for form, m := range got {
			if m.Rows != want.Rows || m.ContentHash != want.ContentHash || m.Truncated != want.Truncated || m.CutBy != want.CutBy ||
				!reflect.DeepEqual(m.Schema, want.Schema) || content[form] != content["file"] {
				t.Errorf("%+v:\n%s: %+v %s\nfile: %+v %s", req, form, m, content[form], want, content["file"])
			}
		}
	}
	if cut == 0 || full == 0 {
		t.Errorf("%d results were cut, %d whole ones have more than 100 rows", cut, full)
	}
}

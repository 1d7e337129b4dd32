package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// rows is a reader of batches of 1,000 rows: a counts, b is its text, c half of
// it.
type rows struct {
	batches, at int
	fail        error        // instead of the end
	panicAt     int          // -1: never
	block       func()       // called by each Next
	inside      atomic.Int32 // calls of Next under way
	overlaps    atomic.Int32
	refs        atomic.Int32
	cur         arrow.RecordBatch
	err         error
}

var rowsSchema = arrow.NewSchema([]arrow.Field{
	{Name: "a", Type: arrow.PrimitiveTypes.Int64},
	{Name: "b", Type: arrow.BinaryTypes.String},
	{Name: "c", Type: arrow.PrimitiveTypes.Float64},
}, nil)

func rowsOf(batches int) *rows {
	r := &rows{batches: batches, panicAt: -1}
	r.refs.Store(1)
	return r
}

func (r *rows) Retain()                        { r.refs.Add(1) }
func (r *rows) Release()                       { r.refs.Add(-1) }
func (r *rows) Schema() *arrow.Schema          { return rowsSchema }
func (r *rows) Err() error                     { return r.err }
func (r *rows) RecordBatch() arrow.RecordBatch { return r.cur }
func (r *rows) Record() arrow.RecordBatch      { return r.cur }

func (r *rows) Next() bool {
	if r.inside.Add(1) > 1 {
		r.overlaps.Add(1)
	}
	defer r.inside.Add(-1)
	if r.block != nil {
		r.block()
	}
	if r.at == r.panicAt {
		panic("a bug in the reader")
	}
	if r.at == r.batches {
		r.err = r.fail
		return false
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), rowsSchema)
	defer b.Release()
	for i := range 1000 {
		n := int64(r.at*1000 + i)
		b.Field(0).(*array.Int64Builder).Append(n)
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(n))
		b.Field(2).(*array.Float64Builder).Append(float64(n) / 2)
	}
	r.at++
	r.cur = b.NewRecordBatch()
	return true
}

// TestImportIsNotPushedInto: the engine believes that a stream filters and
// projects itself. Without the guard these come back unfiltered, with columns
// swapped, or crash.
func TestImportIsNotPushedInto(t *testing.T) {
	for _, threads := range []int{1, 2} {
		c := connect(t, Options{Threads: threads})
		for sql, want := range map[string]string{
			"SELECT * FROM v":                                                               "[[100000 4999950000 2.499975e+09]]",
			"SELECT c, a, b FROM v":                                                         "[[100000 4999950000 2.499975e+09]]",
			"SELECT *, 1 AS x FROM v WHERE a = 5500":                                        "[[1 5500 2750]]",
			"SELECT * FROM v WHERE b = '77' OR c = 33":                                      "[[2 143 71.5]]",
			"SELECT *, NULL AS b FROM (SELECT a, c FROM v WHERE a > 99997)":                 "[[2 199997 99998.5]]",
			"SELECT a, c, b FROM (SELECT * FROM v ORDER BY b DESC, a LIMIT 1)":              "[[1 99999 49999.5]]",
			"SELECT count(*) AS a, sum(c) AS c FROM v WHERE a IN (1, 2, 99999)":             "[[1 3 50001]]",
			"SELECT v.* FROM v JOIN range(10) r ON r.range = v.a WHERE v.b <> '3'":          "[[9 42 21]]",
			"SELECT max(a) AS a, max(c) AS c FROM v GROUP BY length(b) HAVING max(a) < 100": "[[2 108 54]]",
		} {
			err := c.Import(t.Context(), "v", rowsOf(100), "CREATE OR REPLACE TABLE t AS "+sql)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			got := texts(t, query(t, c, "SELECT count(*), sum(a)::BIGINT, sum(c) FROM t"))
			if fmt.Sprint(got) != want {
				t.Errorf("%s, %d threads: %v, not %s", sql, threads, got, want)
			}
		}
	}
}

// TestImportIsOnePass: a second pass finds the stream empty, a part of a pass
// is a part of the rows; neither may pass for the whole.
func TestImportIsOnePass(t *testing.T) {
	c := connect(t, Options{})
	for _, sql := range []string{
		"CREATE TABLE t AS SELECT * FROM v JOIN v w USING (a)",
		"CREATE TABLE t AS SELECT * FROM v UNION ALL SELECT * FROM v",
		"CREATE TABLE t AS SELECT * FROM v; INSERT INTO t SELECT * FROM v",
		"CREATE TABLE t AS SELECT * FROM v LIMIT 3",
		"CREATE TABLE t AS SELECT 1 AS one",
		"CREATE TABLE t AS SELECT * FROM v WHERE false",
	} {
		err := c.Import(t.Context(), "v", rowsOf(500), sql)
		if !errors.Is(err, ErrOnePass) {
			t.Errorf("%s: %v", sql, err)
		}
		nothingLeft(t, c)
	}
}

// nothingLeft checks that neither the view nor a table is there, and that the
// connection is in no transaction.
func nothingLeft(t *testing.T, c *Conn) {
	t.Helper()
	if n := one(t, c, "SELECT (SELECT count(*) FROM duckdb_views() WHERE NOT internal) + (SELECT count(*) FROM duckdb_tables()) + "+
		"(SELECT count(*) FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal)"); n != "0" {
		t.Errorf("%s views, tables and macros are left", n)
	}
	must(t, c, "BEGIN", "COMMIT")
}

// TestImportFailsWithTheReader: an error in the middle is the cause of the
// import's, and nothing is left of it.
func TestImportFailsWithTheReader(t *testing.T) {
	cut := errors.New("the stream has no end mark")
	for _, tc := range []struct{ batches, panicAt int }{{0, -1}, {1, -1}, {140, -1}, {140, 0}, {140, 130}} {
		for _, threads := range []int{1, 2} {
			c := connect(t, Options{Threads: threads})
			dir := t.TempDir()
			for _, sql := range []string{
				"CREATE TABLE t AS SELECT * FROM v",
				"COPY (SELECT * FROM v) TO " + Literal(filepath.Join(dir, "out.parquet")) + " (FORMAT parquet)",
			} {
				r := rowsOf(tc.batches)
				r.fail, r.panicAt = cut, tc.panicAt
				err := c.Import(t.Context(), "v", r, sql)
				if tc.panicAt < 0 && !errors.Is(err, cut) {
					t.Errorf("%v: %v", tc, err)
				}
				if tc.panicAt >= 0 && (err == nil || !strings.Contains(err.Error(), "a bug in the reader")) {
					t.Errorf("%v: %v", tc, err)
				}
				nothingLeft(t, c)
				if r.refs.Load() != 1 {
					t.Errorf("%v: %d references to the reader", tc, r.refs.Load())
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%v: files are left: %v, %v", tc, left, err)
			}
		}
	}
}

func TestImportFailsWithTheStatement(t *testing.T) {
	c := connect(t, Options{})
	for sql, typ := range map[string]string{
		"CREATE TABLE t AS SELECT error('boom') FROM v": "Invalid Input",
		"CREATE TABLE t AS SELECT nope FROM v":          "Binder",
		"CREATE TABLE":                                  "Parser",
		"COPY (SELECT * FROM v) TO '/nope/x.parquet'":   "IO",
	} {
		err := c.Import(t.Context(), "v", rowsOf(3), sql)
		var e *Error
		if !errors.As(err, &e) || e.Type != typ {
			t.Errorf("%s: %v", sql, err)
		}
		nothingLeft(t, c)
	}
}

// TestImportClobbersNothing: left to itself the engine replaces a view of the
// name without asking.
func TestImportClobbersNothing(t *testing.T) {
	c := connect(t, Options{})
	must(t, c, "CREATE VIEW v AS SELECT 42 AS answer", "CREATE TABLE w AS SELECT 43 AS answer", "CREATE TEMP VIEW x AS SELECT 44 AS answer")
	for _, name := range []string{"v", "w", `a "view", here`} {
		if err := c.Import(t.Context(), name, rowsOf(1), "CREATE OR REPLACE TABLE t AS SELECT * FROM "+Quote(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := one(t, c, "SELECT count(b) FROM t"); n != "1000" {
			t.Errorf("%s: %s rows", name, n)
		}
	}
	var e *Error
	if err := c.Import(t.Context(), "x", rowsOf(1), "CREATE TABLE u AS SELECT * FROM x"); !errors.As(err, &e) || e.Type != "Catalog" {
		t.Errorf("a temporary view's name: %v", err)
	}
	if got := one(t, c, "SELECT v.answer + w.answer + x.answer FROM v, w, x"); got != "129" {
		t.Errorf("the views answer %s", got)
	}
	must(t, c, "BEGIN")
	if err := c.Import(t.Context(), "y", rowsOf(1), "CREATE TABLE u AS SELECT * FROM y"); err == nil {
		t.Error("an import inside a transaction of the caller's was accepted")
	}
	must(t, c, "ROLLBACK")
}

// TestImportsSideBySide use one name on several connections of an instance.
func TestImportsSideBySide(t *testing.T) {
	c := connect(t, Options{})
	var group sync.WaitGroup
	for i := range 6 {
		conn := session(t, c.db)
		group.Go(func() {
			for range 5 {
				err := conn.Import(t.Context(), "v", rowsOf(10), fmt.Sprintf("CREATE OR REPLACE TABLE t%d AS SELECT * FROM v", i))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range 6 {
		if n := one(t, c, fmt.Sprintf("SELECT count(*) FROM t%d", i)); n != "10000" {
			t.Errorf("table %d has %s rows", i, n)
		}
	}
	if n := one(t, c, "SELECT count(*) FROM duckdb_views() WHERE NOT internal"); n != "0" {
		t.Errorf("%s views are left", n)
	}
}

// TestImportIntoAFile leaves nothing but the table, also in an attached one.
func TestImportIntoAFile(t *testing.T) {
	dir := t.TempDir()
	db, err := OpenFile(filepath.Join(dir, "a.duckdb"), false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := session(t, db)
	for _, use := range []string{"SELECT 1", "ATTACH " + Literal(filepath.Join(dir, "b.duckdb")) + " AS b; USE b"} {
		must(t, c, use)
		if err := c.Import(t.Context(), "v", rowsOf(1), "CREATE TABLE t AS SELECT * FROM v"); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.duckdb", "b.duckdb"} {
		db, err := OpenFile(filepath.Join(dir, name), true, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := session(t, db)
		if got := one(t, c, "SELECT count(*) || ' ' || (SELECT count(*) FROM duckdb_views() WHERE NOT internal) FROM t"); got != "1000 0" {
			t.Errorf("%s: rows and views are %s", name, got)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestImportReadsPastEmptyBatches: an empty batch is not the end of a stream.
func TestImportReadsPastEmptyBatches(t *testing.T) {
	c := connect(t, Options{})
	full := rowsOf(1)
	full.Next()
	empty := full.RecordBatch().NewSlice(0, 0)
	r, err := array.NewRecordReader(rowsSchema, []arrow.RecordBatch{empty, full.cur, empty, empty, full.cur, empty})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if err := c.Import(t.Context(), "v", r, "CREATE TABLE t AS SELECT * FROM v"); err != nil {
		t.Fatal(err)
	}
	if n := one(t, c, "SELECT count(*) FROM t"); n != "2000" {
		t.Errorf("%s rows", n)
	}
}

// TestImportUsesAllThreads, while the reader is asked by one at a time.
func TestImportUsesAllThreads(t *testing.T) {
	c := connect(t, Options{Threads: 4})
	r := rowsOf(1200)
	out := filepath.Join(t.TempDir(), "out.parquet")
	if err := c.Import(t.Context(), "v", r, "COPY (SELECT * FROM v) TO "+Literal(out)+" (FORMAT parquet, ROW_GROUP_SIZE 10000, PER_THREAD_OUTPUT)"); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(out) // one a thread
	if err != nil || len(files) != 4 {
		t.Errorf("%d threads wrote, %v", len(files), err)
	}
	if r.overlaps.Load() > 0 {
		t.Error("the reader was asked by several threads at once")
	}
	if n := one(t, c, "SELECT count(*) FROM read_parquet("+Literal(out+"/*")+")"); n != "1200000" {
		t.Errorf("%s rows", n)
	}
}

// TestImportGivesUpOnABlockedReader: the reader ignores the context; Import
// returns, and lets the reader go when that returns.
func TestImportGivesUpOnABlockedReader(t *testing.T) {
	c := connect(t, Options{})
	c.patience = 30 * time.Millisecond
	r := rowsOf(1)
	entered, leave := make(chan struct{}), make(chan struct{})
	r.block = func() {
		close(entered)
		<-leave
		r.block = nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	err := c.Import(ctx, "v", r, "CREATE TABLE t AS SELECT * FROM v")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrAbandoned) {
		t.Errorf("Import: %v", err)
	}
	if r.refs.Load() < 2 {
		t.Errorf("%d references to the reader while it is in use", r.refs.Load())
	}
	close(leave)
	nothingLeft(t, c) // waits for its turn
	if r.refs.Load() != 1 {
		t.Errorf("%d references to the reader afterwards", r.refs.Load())
	}
}

// TestImportFromAnotherInstance is the way of a fetch in one process.
func TestImportFromAnotherInstance(t *testing.T) {
	for _, order := range []bool{true, false} {
		src, dst := connect(t, Options{PreserveOrder: order}), connect(t, Options{PreserveOrder: order})
		out := filepath.Join(t.TempDir(), "out.parquet")
		s := query(t, src, "SELECT range AS a, 's' || range AS b, [range] AS l FROM range(300000)")
		if err := dst.Import(t.Context(), "v", s, "COPY (SELECT * FROM v) TO "+Literal(out)+" (FORMAT parquet, PARQUET_VERSION V2)"); err != nil {
			t.Fatal(err)
		}
		got := one(t, dst, "SELECT count(*) FILTER (b = 's' || a AND l = [a]) FROM "+Literal(out))
		if got != "300000" {
			t.Errorf("%s rows are right", got)
		}
		if order && one(t, dst, "SELECT bool_and(a = file_row_number) FROM read_parquet("+Literal(out)+", file_row_number = true)") != "true" {
			t.Error("the order is lost")
		}
	}
}

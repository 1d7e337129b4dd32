package duckdb

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// flatTypes are those that take the fast path, with an expression over range
// that yields many different values.
var flatTypes = map[string]string{
	"BOOLEAN": "range % 3 = 0", "TINYINT": "range % 256 - 128", "SMALLINT": "range % 65536 - 32768",
	"INTEGER": "range * 7919 % 4294967296 - 2147483648", "BIGINT": "hash(range) % 9223372036854775807",
	"UTINYINT": "range % 256", "USMALLINT": "range % 65536", "UINTEGER": "range * 7919 % 4294967296", "UBIGINT": "hash(range)",
	"FLOAT": "range / 7", "DOUBLE": "range / -7", "VARCHAR": "repeat('é', (range % 40)::INTEGER) || range",
	"BLOB": "repeat('x', (range % 14)::INTEGER)::BLOB", "UUID": "md5(range::VARCHAR)::UUID", "JSON": "'[' || range || ']'",
	"DATE": "DATE '1970-01-01' + (range % 100000 - 50000)::INTEGER", "TIME": "TIME '00:00:00' + to_microseconds(range * 99991)",
	"TIMESTAMP": "make_timestamp(range * 99999999 - 1000000)", "TIMESTAMPTZ": "make_timestamp(range * 99999999 - 1000000)",
	"TIMESTAMP_S": "make_timestamp(range * 99999999 - 1000000)", "TIMESTAMP_MS": "make_timestamp(range * 99999999 - 1000000)",
	"TIMESTAMP_NS": "make_timestamp(range * 99999999 - 1000000)",
	"DECIMAL(4,2)": "range % 9999 / 100.0 - 50", "DECIMAL(9,3)": "range / 1000.0 - 50", "DECIMAL(18,4)": "range / -10000.0",
	"DECIMAL(38,5)": "(range - 100000)::DECIMAL(38,5) * 100000000000000000000",
}

// TestFlatTypes streams 160,000 rows of every flat type, a third of them NULL
// and in chunks of odd sizes, and compares what arrives with the text that the
// engine made of the same values before.
func TestFlatTypes(t *testing.T) {
	var items, checks []string
	for typ, expr := range flatTypes {
		name := Quote(typ)
		items = append(items, fmt.Sprintf("CASE WHEN hash(range, %s) %% 3 > 0 THEN CAST(%s AS %s) END AS %s", Literal(typ), expr, typ, name))
		checks = append(checks, fmt.Sprintf("CAST(%s AS VARCHAR) AS %s", name, Quote(typ+" text")))
	}
	src, dst := connect(t, Options{PreserveOrder: true}), connect(t, Options{})
	must(t, src, "CREATE TABLE t AS SELECT "+strings.Join(items, ", ")+
		" FROM range(40000)", "DELETE FROM t WHERE \"INTEGER\" % 5 = 1") // chunks of odd sizes
	s := query(t, src, "SELECT *, "+strings.Join(checks, ", ")+" FROM t")
	if !s.flat {
		t.Fatal("the fast path was not taken")
	}
	if err := dst.Import(t.Context(), "v", s, "CREATE TABLE t AS SELECT * FROM v"); err != nil {
		t.Fatal(err)
	}
	for typ := range flatTypes {
		name, text := Quote(typ), Quote(typ+" text")
		wrong := one(t, dst, fmt.Sprintf("SELECT count(*) FROM t WHERE CAST(%s AS VARCHAR) IS DISTINCT FROM %s", name, text))
		count := fmt.Sprintf("SELECT count(%s) || ' of ' || count(*) FROM t", name)
		want := one(t, src, fmt.Sprintf("SELECT typeof(%s) FROM t LIMIT 1", name))
		got := one(t, dst, fmt.Sprintf("SELECT typeof(%s) FROM t LIMIT 1", name))
		if wrong != "0" || got != want || one(t, dst, count) != one(t, src, count) {
			t.Errorf("%s: %s values differ, type is %s, not NULL are %s, not %s", typ, wrong, got, one(t, dst, count), one(t, src, count))
		}
	}
}

// TestPathsAgree reads the same columns by the fast path, and by the other one
// for the company of a list.
func TestPathsAgree(t *testing.T) {
	c := connect(t, Options{PreserveOrder: true})
	var items []string
	for typ, expr := range flatTypes {
		items = append(items, fmt.Sprintf("CASE WHEN range %% 7 > 0 THEN CAST(%s AS %s) END AS %s", expr, typ, Quote(typ)))
	}
	must(t, c, "CREATE TABLE t AS SELECT "+strings.Join(items, ", ")+" FROM range(5000)")
	flat := oneBatch(t, query(t, c, "SELECT * FROM t"), true)
	nested := oneBatch(t, query(t, c, "SELECT *, [1] AS list FROM t"), false)
	for i, f := range flat.Schema().Fields() {
		if g := nested.Schema().Field(i); !g.Equal(f) {
			t.Errorf("%s: the fields are %v and %v", f.Name, f, g)
		} else if !array.Equal(flat.Column(i), nested.Column(i)) {
			t.Errorf("%s: the values differ", f.Name)
		}
	}
}

// oneBatch reads a result of one batch.
func oneBatch(t *testing.T, s *Stream, flat bool) arrow.RecordBatch {
	t.Helper()
	if s.flat != flat || !s.Next() {
		t.Fatalf("fast path %v, error %v", s.flat, s.Err())
	}
	b := s.RecordBatch()
	b.Retain()
	t.Cleanup(b.Release)
	if s.Next() || s.Err() != nil {
		t.Fatalf("a second batch, or error %v", s.Err())
	}
	return b
}

// TestBatchesAreBounded measures the batches of narrow and of wide rows, and of
// a few huge ones among small.
func TestBatchesAreBounded(t *testing.T) {
	c := connect(t, Options{PreserveOrder: true})
	for _, tc := range []struct {
		sql        string
		rows       int64
		largest    int64 // bytes, at most
		minBatches int
	}{
		{"SELECT range FROM range(150000)", 150000, MaxBatchBytes, 9},
		{"SELECT range AS a, range AS b, range AS c, range AS d, range AS e, range::VARCHAR AS f, range AS g, range AS h," +
			"range AS i, range AS j, range AS k, range AS l, range AS m, range AS n, range AS o, range AS p, range AS q, range AS r FROM range(300000)", 300000, MaxBatchBytes, 3},
		{"SELECT range AS i, repeat('x', 100000) AS s FROM range(500)", 500, MaxBatchBytes, 3},
		{"SELECT repeat('x', 100000)::BLOB AS b, NULL::INTEGER AS n FROM range(500)", 500, MaxBatchBytes, 3},
		{"SELECT [repeat('x', 50000), repeat('y', 50000)] AS l FROM range(500)", 500, MaxBatchBytes, 3},
		{"SELECT {'a': range, 'b': [repeat('x', 100000)]} AS s FROM range(500)", 500, MaxBatchBytes, 3},
		{"SELECT CASE WHEN range % 1500 = 7 THEN repeat('x', 20000000) ELSE 'x' END AS s FROM range(2500)", 2500, 20_100_000, 3},
		{"SELECT [CASE WHEN range % 1500 = 7 THEN repeat('x', 20000000) ELSE 'x' END] AS s FROM range(2500)", 2500, 20_100_000, 3},
	} {
		s := query(t, c, tc.sql)
		var rows, largest int64
		batches := 0
		for s.Next() {
			b := s.RecordBatch()
			rows, batches, largest = rows+b.NumRows(), batches+1, max(largest, bufferBytes(b))
			if b.NumRows() > MaxBatchRows || b.NumRows() == 0 {
				t.Errorf("%s: a batch of %d rows", tc.sql, b.NumRows())
			}
		}
		if s.Err() != nil || rows != tc.rows || largest > tc.largest || batches < tc.minBatches {
			t.Errorf("%.60s…: %d rows in %d batches of up to %d bytes, error %v", tc.sql, rows, batches, largest, s.Err())
		}
	}
}

// bufferBytes counts the memory that a batch holds on to.
func bufferBytes(b arrow.RecordBatch) int64 {
	var sum int64
	var count func(arrow.ArrayData)
	count = func(d arrow.ArrayData) {
		for _, buf := range d.Buffers() {
			if buf != nil {
				sum += int64(buf.Len())
			}
		}
		for _, c := range d.Children() {
			count(c)
		}
	}
	for _, c := range b.Columns() {
		count(c.Data())
	}
	return sum
}

// TestNarrowRowsComeInLargeBatches holds the point of the fast path.
func TestNarrowRowsComeInLargeBatches(t *testing.T) {
	c := connect(t, Options{})
	for _, sql := range []string{"SELECT range FROM range(500000)", "SELECT [range] FROM range(500000)"} {
		s := query(t, c, sql)
		if !s.Next() || s.RecordBatch().NumRows() < MaxBatchRows*9/10 {
			t.Errorf("%s: the first batch has %d rows", sql, s.RecordBatch().NumRows())
		}
		for s.Next() {
		}
	}
}

// TestErrorInTheMiddleIsNotTheEnd: the engine says NULL to both.
func TestErrorInTheMiddleIsNotTheEnd(t *testing.T) {
	for _, item := range []string{"x", "[x]"} {
		for _, threads := range []int{1, 2} {
			c := connect(t, Options{Threads: threads})
			s := query(t, c, "SELECT "+item+" FROM (SELECT CASE WHEN range = 600000 THEN error('boom')::INTEGER ELSE 1 END AS x FROM range(800000))")
			var rows int64
			for s.Next() {
				rows += s.RecordBatch().NumRows()
			}
			var e *Error
			told := errors.As(s.Err(), &e) && e.Type == "Invalid Input" && e.Message == "boom"
			// Of two threads, the one that is stopped by the other's error may be the first to
			// say so.
			if threads > 1 && e != nil && e.Message == "Interrupted!" {
				told = true
			}
			if rows == 0 || rows > 600000 || !told {
				t.Errorf("%s, %d threads: %d rows, error %v", item, threads, rows, s.Err())
			}
			if s.Next() || s.Err() == nil {
				t.Errorf("Next after an error: %v", s.Err())
			}
			if one(t, c, "SELECT 1") != "1" {
				t.Error("the connection is not usable")
			}
		}
	}
}

// TestNextAfterTheEnd: a fetch past the end is an error of the engine.
func TestNextAfterTheEnd(t *testing.T) {
	c := connect(t, Options{})
	for _, sql := range []string{"SELECT 1", "SELECT [1]", "SELECT 1 WHERE false", "SELECT [1] WHERE false", "CREATE TABLE t(a INTEGER)"} {
		s := query(t, c, sql)
		for s.Next() {
		}
		for range 3 {
			if s.Next() || s.Err() != nil {
				t.Errorf("%s: Next after the end: %v", sql, s.Err())
			}
		}
	}
}

// TestValuesOutliveTheirBatch keeps strings of batches that are gone. Run over
// memory of the engine they would be overwritten.
func TestValuesOutliveTheirBatch(t *testing.T) {
	c := connect(t, Options{PreserveOrder: true})
	must(t, c, "CREATE TYPE e AS ENUM (SELECT 'value ' || range FROM range(1000))")
	for name, sql := range map[string]string{
		"flat":   "SELECT 'value ' || range AS s FROM range(1000)",
		"struct": "SELECT {'s': 'value ' || range} AS s FROM range(1000)",
		"enum":   "SELECT ('value ' || range)::e AS s FROM range(1000)",
		"union":  "SELECT union_value(s := 'value ' || range) AS s FROM range(1000)",
	} {
		s, err := c.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for s.Next() {
			switch col := s.RecordBatch().Column(0).(type) {
			case *array.String:
				kept = append(kept, col.Value(0))
			case *array.Struct:
				kept = append(kept, col.Field(0).(*array.String).Value(0))
			case *array.Dictionary:
				kept = append(kept, col.Dictionary().(*array.String).Value(0))
			case *array.SparseUnion:
				for i := range col.NumFields() {
					if f, ok := col.Field(i).(*array.String); ok {
						kept = append(kept, f.Value(0))
					}
				}
			default:
				t.Fatalf("%s: a column of %s", name, col.DataType())
			}
		}
		s.Release()
		for range 3 { // overwrite what was freed
			texts(t, query(t, c, strings.ReplaceAll(strings.ReplaceAll(sql, "value ", "other "), "::e", "")))
		}
		if len(kept) == 0 || kept[0] != "value 0" {
			t.Errorf("%s: %q", name, kept)
		}
	}
}

// TestReleaseEndsTheStatement: without the interrupt the engine keeps a
// half-read statement, its files and its transaction, until the next one.
func TestReleaseEndsTheStatement(t *testing.T) {
	c := connect(t, Options{})
	file := filepath.Join(t.TempDir(), "t.parquet")
	must(t, c, "COPY (SELECT range AS a FROM range(3000000)) TO "+Literal(file)+" (ROW_GROUP_SIZE 100000)")
	for _, item := range []string{"a", "[a]"} {
		s, err := c.Query(t.Context(), "SELECT "+item+" FROM "+Literal(file))
		if err != nil {
			t.Fatal(err)
		}
		if !s.Next() || !isOpen(t, file) {
			t.Fatalf("the file is not being read: %v", s.Err())
		}
		s.Retain()
		s.Release()
		if _, err := c.Query(t.Context(), "SELECT 1"); !errors.Is(err, ErrBusy) {
			t.Errorf("a stream with a reference left: %v", err)
		}
		s.Release()
		if isOpen(t, file) {
			t.Error("the file is still open")
		}
		if one(t, c, "SELECT 1") != "1" {
			t.Error("the connection is not usable")
		}
	}
}

// isOpen reports whether this process has the file open.
func isOpen(t *testing.T, file string) bool {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == file {
			return true
		}
	}
	return false
}

func TestOneStreamAtATime(t *testing.T) {
	c := connect(t, Options{})
	s := query(t, c, "SELECT * FROM range(1000000)")
	if err := c.Exec(t.Context(), "SELECT 1"); !errors.Is(err, ErrBusy) {
		t.Errorf("Exec: %v", err)
	}
	if err := c.QueryRow(t.Context(), "SELECT 1", nil); !errors.Is(err, ErrBusy) {
		t.Errorf("QueryRow: %v", err)
	}
	if err := c.Import(t.Context(), "v", s, "SELECT * FROM v"); !errors.Is(err, ErrBusy) {
		t.Errorf("Import: %v", err)
	}
	var rows int64
	for s.Next() {
		rows += s.RecordBatch().NumRows()
	}
	if rows != 1000000 || s.Err() != nil {
		t.Errorf("the stream was cut: %d rows, %v", rows, s.Err())
	}
	must(t, c, "SELECT 1") // free although s is not released yet
}

func TestQueryTakesOneStatement(t *testing.T) {
	c := connect(t, Options{})
	for _, sql := range []string{"", ";", "-- nothing", "SELECT 1; SELECT 2", "CREATE TABLE t(a INTEGER); SELECT 1"} {
		_, err := c.Query(t.Context(), sql)
		var e *Error
		if !errors.As(err, &e) || e.Type != "Parser" {
			t.Errorf("%q: %v", sql, err)
		}
	}
	if n := one(t, c, "SELECT count(*) FROM duckdb_tables()"); n != "0" {
		t.Error("a part of a refused text was run")
	}
	if one(t, c, "/* a comment */ SELECT 1; -- and one more") != "1" {
		t.Error("comments and a semicolon are not statements")
	}
	for _, run := range []func(string) error{
		func(sql string) error { return c.Exec(t.Context(), sql) },
		func(sql string) error { _, err := c.Query(t.Context(), sql); return err },
	} {
		if err := run("SELECT 1 \x00 SELECT broken"); !errors.Is(err, errNUL) {
			t.Errorf("a NUL byte: %v", err)
		}
	}
}

// TestSplitIsExact cuts random batches and puts them together again.
func TestSplitIsExact(t *testing.T) {
	c := connect(t, Options{PreserveOrder: true})
	for range 20 {
		limit := int64(1 + rand.IntN(4000))
		s := query(t, c, "SELECT [range, range] AS l, {'s': repeat('x', (range % 100)::INTEGER)} AS s, map {range: 'v'} AS m, [range]::BIGINT[1] AS a FROM range(500)")
		whole := oneBatch(t, s, false)
		whole.Retain()
		parts := split(nil, whole, limit)
		joined, ok := join(whole.Schema(), parts)
		if !ok || !array.RecordEqual(whole, joined) {
			t.Fatalf("limit %d: %d parts differ from the whole", limit, len(parts))
		}
		for _, p := range parts {
			if p.NumRows() > 1 && batchBytes(p) > limit {
				t.Errorf("limit %d: a part of %d bytes", limit, batchBytes(p))
			}
			p.Release()
		}
	}
}

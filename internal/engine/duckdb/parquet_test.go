package duckdb

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfIntegersSuitAllReaders: of version 2, the engine writes the differences
// of 32-bit integers and dates in 64 bits, which other readers refuse.
func TestFilesOfIntegersSuitAllReaders(t *testing.T) {
	c := connect(t, Options{})
	for _, typ := range []string{"UINTEGER", "UINTEGER[]", "STRUCT(a UINTEGER)", "MAP(VARCHAR, UINTEGER)", "INTEGER[]", "STRUCT(a INTEGER)", "DATE[]", "BIGINT"} {
		value := map[string]string{"UINTEGER": "v::UINTEGER", "UINTEGER[]": "[v::UINTEGER]", "STRUCT(a UINTEGER)": "{'a': v::UINTEGER}",
			"MAP(VARCHAR, UINTEGER)": "MAP {'k': v::UINTEGER}", "BIGINT": "v::BIGINT", "INTEGER[]": "[(v::BIGINT - 2147483648)::INTEGER]", "STRUCT(a INTEGER)": "{'a': (v::BIGINT - 2147483648)::INTEGER}", "DATE[]": "[DATE '2000-01-01' + (v % 30000)::INTEGER]"}[typ]
		sql := "SELECT " + value + " AS c FROM (SELECT (hash(range) % 4294967296) AS v FROM range(30000))"
		dir := t.TempDir()
		streamed, copied := filepath.Join(dir, "streamed.parquet"), filepath.Join(dir, "copied.parquet")
		s, err := connect(t, Options{}).Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := c.WriteParquet(t.Context(), streamed, s)
		s.Release()
		if err != nil || rows != 30000 {
			t.Fatalf("%s: %d rows, %v", typ, rows, err)
		}
		cols, err := c.Describe(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(t.Context(), "COPY ("+sql+")"+ToParquet(copied, cols)); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{streamed, copied} {
			var encodings string
			if err := c.QueryRow(t.Context(), "SELECT string_agg(DISTINCT encodings, ' ') FROM parquet_metadata("+Literal(file)+")", nil, &encodings); err != nil {
				t.Fatal(err)
			}
			if differences := strings.Contains(encodings, "DELTA_BINARY_PACKED"); differences != (typ == "BIGINT") {
				t.Errorf("%s in %s: %s", typ, filepath.Base(file), encodings)
			}
		}
	}
}

// TestAFileThatNobodyTakesEndsTheWork: a reader that leaves, and a request that is
// cancelled, end the writing and not the process: an engine's thread that writes
// into a pipe without a reader gets SIGPIPE.
func TestAFileThatNobodyTakesEndsTheWork(t *testing.T) {
	gone := errors.New("the client is gone")
	for round := range 6 {
		rows, err := connect(t, Options{}).Query(t.Context(), "SELECT i, md5('x' || i) AS s FROM range(150000) t(i)")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		w := writerFunc(func(p []byte) (int, error) {
			if round%2 == 0 {
				return 0, gone
			}
			cancel()
			return len(p), nil
		})
		err = connect(t, Options{}).PipeParquet(ctx, w, rows, Snappy)
		if round%2 == 0 && !errors.Is(err, gone) || err == nil {
			t.Errorf("round %d: %v", round, err)
		}
		cancel()
		rows.Release()
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestFilesHaveNoBloomFilters: those of the engine tell -0.0 from 0.0.
func TestFilesHaveNoBloomFilters(t *testing.T) {
	c, path := connect(t, Options{}), filepath.Join(t.TempDir(), "a.parquet")
	rows, err := connect(t, Options{}).Query(t.Context(), "SELECT CASE WHEN i % 2 = 0 THEN '-0.0' ELSE '0' END::DOUBLE AS x, [i] AS l FROM range(10000) t(i)")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if _, err := c.WriteParquet(t.Context(), path, rows); err != nil {
		t.Fatal(err)
	}
	var filters int64
	if err := c.QueryRow(t.Context(), "SELECT count(bloom_filter_offset) FROM parquet_metadata("+Literal(path)+")", nil, &filters); err != nil || filters > 0 {
		t.Errorf("%d filters, %v", filters, err)
	}
}

// TestWideDecimals: the engine would read such columns as floats, often wrong ones.
func TestWideDecimals(t *testing.T) {
	c := connect(t, Options{})
	for _, name := range []string{"decimal_40_digits.parquet", "decimal_over_38_digits_17_bytes.parquet"} {
		path, err := filepath.Abs("../../../source/lake/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.ReadsDecimals(t.Context(), path); !errors.Is(err, ErrWideDecimal) || !strings.Contains(err.Error(), `column "d"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package table

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestStream(t *testing.T) {
	ts, dir := newTables(t)
	ctx := context.Background()
	write(t, dir, "a.csv", "k,v\n1,x\n2,y\n")
	write(t, dir, "a.jsonl", "{\"k\":1}\n{\"k\":2}\n")
	write(t, dir, "none.csv", "")
	for _, path := range []string{"a.csv", "a.jsonl"} {
		s, err := ts.Stream(ctx, Source{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for s.Batches.Next() {
			n += s.Batches.RecordBatch().NumRows()
		}
		if n != 2 || s.Rows != 2 || s.Batches.Err() != nil || s.Hash == "" {
			t.Errorf("%s: %d rows of %d, %v", path, n, s.Rows, s.Batches.Err())
		}
		s.Close()
	}
	if _, err := ts.Stream(ctx, Source{Path: "none.csv"}); !api.CodeReadFailed.Is(err) {
		t.Errorf("an empty file: %v", err)
	}
}

// TestSameAnswers repeats what the engine's threads would make differ.
func TestSameAnswers(t *testing.T) {
	ts, dir := newTables(t)
	var b strings.Builder
	b.WriteString("k,f,s\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "%d,%.9f,s%d\n", i%1000, float64(i*7919%100003)/7, i*31%5000)
	}
	write(t, dir, "a.csv", b.String())
	ctx, src := context.Background(), Source{Path: "a.csv"}
	var first string
	for i := range 4 {
		q, err := ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT k, sum(f), avg(f), stddev(f), first(s) FROM data GROUP BY k"})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := New(Config{Dir: t.TempDir(), WorkDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		st, err := fresh.Stats(ctx, StatsRequest{Source: src})
		if err != nil {
			t.Fatal(err)
		}
		got := show(t, q) + show(t, st)
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("run %d differs", i)
		}
	}
}

func TestLimits(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "a.csv", "k\n1\n2\n")
	ctx, src := context.Background(), Source{Path: "a.csv"}
	_, err := ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c, data", Timeout: 1_000_000_000})
	if err == nil || !api.CodeTimeout.Is(err) && !api.CodeValidation.Is(err) {
		t.Errorf("a query without end: %v", err)
	}
	write(t, dir, "big.csv", "k\n"+strings.Repeat(strings.Repeat("x", 90)+"\n", 200_000))
	_, err = ts.Query(ctx, QueryRequest{
		Source: Source{Path: "big.csv"}, Query: "SELECT count(DISTINCT a.k || a.n::VARCHAR || b.n::VARCHAR) FROM (SELECT k, row_number() OVER () AS n FROM data) a, (SELECT row_number() OVER () AS n FROM data LIMIT 40) b",
		MemoryLimit: "64MB", Timeout: -1,
	})
	if !api.CodeBudget.Is(err) {
		t.Errorf("too little memory: %v", err)
	}
}

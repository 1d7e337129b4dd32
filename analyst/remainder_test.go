package analyst_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// ranged is a workplace on a table of ten files, each with its own range of ids.
func ranged(t *testing.T) (*analyst.Analyst, *history) {
	t.Helper()
	a, _, dir := filed(t)
	h := &history{t: t, dir: dir, rand: rand.New(rand.NewPCG(7, 8)), files: map[string]bool{}}
	for i := range 10 {
		h.writeRows(fmt.Sprintf("part=%d/%02d.parquet", i%3, i), 700)
	}
	return a, h
}

// TestOnlyTheRemainderIsRead: both parts together are what a fetch of all gives, row
// for row, and duplicates as often.
func TestOnlyTheRemainderIsRead(t *testing.T) {
	a, _ := ranged(t)
	fetch := func(name, where string, columns []string, fresh bool) snapshot.Meta {
		t.Helper()
		got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: where, Select: columns}, Name: name, Force: true, Fresh: fresh, Estimate: true})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if from := got.Snapshot.From; from != nil && from.Rest != "" && *got.Estimate.ScanBytes == 0 {
			t.Errorf("%s: reads %d bytes", where, *got.Estimate.ScanBytes)
		}
		return got.Snapshot
	}
	for i, c := range []struct {
		held, asked string
		columns     []string
		rest        string // empty: all is read, or nothing
	}{
		{"id < 5000", "id < 6500", nil, `"id" < 6500 AND "id" >= 5000`},
		{"id < 5000", "", nil, `("id" < 5000) IS NOT TRUE`},
		{"id BETWEEN 3000 AND 7000", "id > 2000 AND id < 9000", []string{"s"}, `"id" > 2000 AND "id" < 9000 AND "id" NOT BETWEEN 3000 AND 7000`},
		{"id < 5000", "id < 6500 AND n > 0", []string{"n", "id"}, `"id" < 6500 AND "n" > 0 AND "id" >= 5000`},
		{"part = 1", "part IN (1, 2)", []string{"n"}, `"part" IN (1, 2) AND "part" <> 1`},
		{"n > 2", "n > 1", nil, ""}, // all files are read for either
		{"id < 5000 AND s = 'a'", "id < 5000 AND upper(s) = 'A'", nil, ""},
		{"id > 9000", "id < 2000", nil, ""},
	} {
		held := fmt.Sprintf("held%d", i)
		fetch(held, c.held, nil, true)
		got := fetch("got", c.asked, c.columns, false)
		rest := ""
		if got.From != nil {
			rest = got.From.Rest
		}
		if rest != c.rest {
			t.Errorf("%s of %s: the rest is %s, want %s", c.asked, c.held, rest, c.rest)
		}
		if want := fetch("want", c.asked, c.columns, true); got.ContentHash != want.ContentHash || got.Rows != want.Rows {
			t.Errorf("%s of %s: %d rows, and a fetch gives %d", c.asked, c.held, got.Rows, want.Rows)
		}
		for _, name := range []string{held, "got", "want"} {
			if _, err := keep.Drop(a, name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// changing does something before the next scan begins.
type changing struct {
	api.Scanner
	before func()
}

func (c changing) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	c.before()
	return c.Scanner.Scan(ctx, req)
}

// TestARemainderOfAnotherVersion is read again as a whole: no snapshot is of two.
func TestARemainderOfAnotherVersion(t *testing.T) {
	a, h := ranged(t)
	mustFetch(t, a, "held", api.ScanRequest{Where: "id < 5000"})
	scans, connect := 0, a.Connect
	a.Connect = func() (analyst.Remote, error) {
		remote, err := connect()
		remote.Scanner = changing{remote.Scanner, func() {
			if scans++; scans == 1 {
				h.writeRows("part=1/01.parquet", 600) // has rows that the snapshot had, too
			}
		}}
		return remote, err
	}
	result, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: "id < 6500"}, Name: "got"})
	if err != nil {
		t.Fatal(err)
	}
	got := result.Snapshot
	if got.From != nil || scans != 2 {
		t.Errorf("%+v, %d scans", got.From, scans)
	}
	a.Connect = connect
	if want := mustFetch(t, a, "want", api.ScanRequest{Where: "id < 6500"}); got.ContentHash != want.ContentHash {
		t.Errorf("%d rows, and a fetch gives %d", got.Rows, want.Rows)
	}
}

// TestAPlanWithARemainder: what the estimate, the plan and the query say is one.
func TestAPlanWithARemainder(t *testing.T) {
	a, _ := ranged(t)
	mustFetch(t, a, "held", api.ScanRequest{Where: "id < 5000"})
	est, err := fetch.Estimate(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: "id < 6500"}})
	if err != nil || est.Reuse == nil || est.Reuse.Rest == "" || est.Rest == nil || *est.Rest.ScanBytes >= *est.ScanBytes {
		t.Fatalf("%+v, %v", est, err)
	}
	if text := est.Reuse.String(); text != `in part from 'held': of id < 6500 it has the rows of id < 5000; from the source: "id" < 6500 AND "id" >= 5000` {
		t.Error(text)
	}
	const sql = "SELECT count(*), sum(id), count(n), count(s), count(part) FROM t WHERE id < 6500"
	made, err := plan.Make(t.Context(), a, sql, false)
	if err != nil || made.Tables[0].From != plan.FromRemainder || *made.ScanBytes != *est.Rest.ScanBytes || made.Tables[0].Reuse.Rest != est.Reuse.Rest {
		t.Fatalf("%+v, %v", made, err)
	}
	got := fetched(t, a, sql, plan.Options{MaxBytes: *made.ScanBytes})
	if want := fetched(t, a, sql, plan.Options{Fresh: true}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

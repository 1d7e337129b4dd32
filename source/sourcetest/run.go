package sourcetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Run runs the suite. open makes a fresh fixture for each test.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	for _, test := range []struct {
		name string
		run  func(suite)
	}{
		{"Schema", testSchema},
		{"Types", testTypes},
		{"Texts", testTexts},
		{"Names", testNames},
		{"Where", testWhere},
		{"Order", testOrder},
		{"Limit", testLimit},
		{"Empty", testEmpty},
		{"Sample", testSample},
		{"Hidden", testHidden},
		{"Rule", testRule},
		{"Unknown", testUnknown},
		{"Estimate", testEstimate},
		{"Clock", testClock},
		{"Cancel", testCancel},
		{"Release", testRelease},
		{"Concurrent", testConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := open(t)
			t.Cleanup(func() {
				if err := f.Source.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test.run(suite{Fixture: f, t: t})
		})
	}
}

// numbers is a table of n 0 to 9, name "n0" to "n9" with two NULLs.
func numbers() Table {
	table := Table{Columns: []Column{{Name: "n", Kind: Int, Required: true}, {Name: "name", Kind: Text}}}
	for i := range int64(10) {
		row := []any{i, "n" + string(rune('0'+i))}
		if i == 3 || i == 7 {
			row[1] = nil
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

func testSchema(s suite) {
	table := Table{Columns: []Column{{Name: "must", Kind: Int, Required: true}}}
	row := []any{int64(1)}
	for kind := Bool; kind <= Instant; kind++ {
		if s.supports(kind) {
			table.Columns = append(table.Columns, Column{Name: "c" + string(rune('a'+kind)), Kind: kind})
			row = append(row, nil)
		}
	}
	table.Rows = [][]any{row}
	name := s.Load(s.t, table)
	rel := source.Relation{Name: name}
	schema := s.schema(rel)
	if len(schema.Columns) != len(table.Columns) {
		s.t.Fatalf("%d columns of %d: %+v", len(schema.Columns), len(table.Columns), schema.Columns)
	}
	fields := s.typed(name).Columns()
	for i, want := range table.Columns {
		got := schema.Columns[i]
		if got.Name != want.Name || got.Type == "" {
			s.t.Errorf("column %d is %q of type %q, want %q", i, got.Name, got.Type, want.Name)
		}
		if fields[i].Type.Kind != expressions[want.Kind] {
			s.t.Errorf("column %q: predicates take %s for kind %d, want %d", got.Name, got.Type, fields[i].Type.Kind, expressions[want.Kind])
		}
		if !s.NoRequired && got.Nullable == want.Required {
			s.t.Errorf("column %q: nullable is %t", got.Name, got.Nullable)
		}
	}
	if schema.RowCount != nil && *schema.RowCount != 1 {
		s.t.Errorf("%d rows, want 1 or none told", *schema.RowCount)
	}
	version, err := s.Source.Version(s.t.Context(), rel)
	if err != nil || version != schema.Version {
		s.t.Errorf("version %q, %v; the schema's is %q", version, err, schema.Version)
	}
}

func testNames(s suite) {
	table := Table{Rows: [][]any{{}}}
	names := []string{"select", "a b", "ü", "q'uote", "src", "MixedCase", "1st", "per%cent", "dash-ed", "order"}
	for i, n := range names {
		table.Columns = append(table.Columns, Column{Name: n, Kind: Int})
		table.Rows[0] = append(table.Rows[0], int64(i))
	}
	name := s.Load(s.t, table)
	kinds := make([]Kind, len(names))
	for i := range kinds {
		kinds[i] = Int
	}
	slices.Reverse(names)
	scan := source.Scan{Relation: source.Relation{Name: name}, Select: names}
	d := s.Source.Dialect()
	for _, n := range names {
		quoted := predicate.QuoteIdent(d, n)
		scan.Where = predicate.And(scan.Where, s.where(name, quoted+" >= 0"))
		o, err := predicate.ParseOrder(d, quoted+" DESC", s.typed(name))
		if err != nil {
			s.t.Fatal(err)
		}
		scan.OrderBy = append(scan.OrderBy, o)
	}
	rows := s.rows(scan, kinds...)
	if len(rows) != 1 {
		s.t.Fatalf("%d rows", len(rows))
	}
	for i, v := range rows[0] {
		if v != int64(len(names)-1-i) {
			s.t.Errorf("column %q is %v", names[i], v)
		}
	}
}

func testUnknown(s suite) {
	rel := source.Relation{Name: "no_such_relation.parquet"}
	scan := source.Scan{Relation: rel, Select: []string{"n"}}
	_, err := s.Source.Version(s.t.Context(), rel)
	if err != nil { // a source that has no versions may not look
		s.refused("version", err, api.CodeSource)
	}
	_, err = s.Source.Schema(s.t.Context(), rel)
	s.refused("schema", err, api.CodeSource)
	_, err = s.Source.Sample(s.t.Context(), rel, 5)
	s.refused("sample", err, api.CodeSource)
	_, err = s.Source.Estimate(s.t.Context(), scan)
	s.refused("estimate", err, api.CodeSource)
	r, err := s.Source.Scan(s.t.Context(), scan)
	if err == nil {
		_, err = drain(r, []Kind{Int})
	}
	s.refused("scan", err, api.CodeSource)

	name := s.Load(s.t, numbers())
	scan = source.Scan{Relation: source.Relation{Name: name}, Select: []string{"n", "none"}}
	_, err = s.Source.Scan(s.t.Context(), scan)
	s.refused("scan of a column that is not there", err, api.CodeUnknownColumn)
}

// longRows is more than any engine has made ready before its first batch is
// taken.
const longRows = 1_000_000

// stopsWithin is how long work may go on after it was cancelled.
const stopsWithin = 2 * time.Second

func testCancel(s suite) {
	name := s.Series(s.t, longRows)
	scan := s.scan(name, []string{"n", "pad"}, "")
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r, err := s.Source.Scan(ctx, scan)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		s.t.Fatalf("no first batch: %v", r.Err())
	}
	rows := r.RecordBatch().NumRows()
	start := time.Now()
	cancel()
	for r.Next() {
		rows += r.RecordBatch().NumRows()
	}
	if took := time.Since(start); took > stopsWithin {
		s.t.Errorf("it went on for %s", took)
	}
	if r.Err() == nil || !errors.Is(r.Err(), context.Canceled) {
		s.t.Errorf("after %d rows of %d the error is %v", rows, longRows, r.Err())
	}

	// A source that sorts has no first batch for a while.
	scan.OrderBy = s.scan(name, scan.Select, "", "pad").OrderBy
	ctx, cancel = context.WithCancel(s.t.Context())
	cancel()
	start = time.Now()
	if r, err = s.Source.Scan(ctx, scan); err == nil {
		_, err = drain(r, []Kind{Int, Text})
	}
	if took := time.Since(start); took > stopsWithin || !errors.Is(err, context.Canceled) {
		s.t.Errorf("a scan that was cancelled before it began: %v after %s", err, took)
	}
	// The source is none the worse for it.
	s.wantInts("afterwards", limited(s.scan(name, []string{"n"}, "n < 3", "n"), 5), 0, 1, 2)
}

func testRelease(s suite) {
	name := s.Series(s.t, longRows)
	for i := range 5 {
		r, err := s.Source.Scan(s.t.Context(), s.scan(name, []string{"n", "pad"}, ""))
		if err != nil {
			s.t.Fatal(err)
		}
		if i%2 == 0 && !r.Next() {
			s.t.Errorf("no batch: %v", r.Err())
		}
		start := time.Now()
		r.Release()
		if took := time.Since(start); took > stopsWithin {
			s.t.Errorf("releasing took %s", took)
		}
	}
	s.wantInts("afterwards", s.scan(name, []string{"n"}, "n = 7"), 7)
}

func testConcurrent(s suite) {
	name := s.Series(s.t, 10_000)
	scan := s.scan(name, []string{"n"}, "n >= 5000", "n DESC")
	plain := s.scan(name, []string{"n"}, "n < 100")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			one, want := scan, 5000
			if i%2 == 0 {
				one, want = plain, 100
			}
			r, err := s.Source.Scan(s.t.Context(), one)
			if err != nil {
				s.t.Error(err)
				return
			}
			rows, err := drain(r, []Kind{Int})
			if err != nil || len(rows) != want {
				s.t.Errorf("%d rows, %v; want %d", len(rows), err, want)
			}
			if _, err := s.Source.Schema(s.t.Context(), one.Relation); err != nil {
				s.t.Error(err)
			}
			if _, err := s.Source.Estimate(s.t.Context(), one); err != nil {
				s.t.Error(err)
			}
		})
	}
	group.Wait()
}

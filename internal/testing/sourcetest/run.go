package sourcetest

import (
	"slices"
	"strings"
	"testing"

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
		{"Declared", testDeclared},
		{"Probe", testProbe},
		{"Schema", testSchema},
		{"Partition", testPartition},
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
		{"SameRows", testSameRows},
		{"Cancel", testCancel},
		{"Release", testRelease},
		{"Concurrent", testConcurrent},
		{"CancelInEngine", testCancelInEngine},
		{"Patience", testPatience},
		{"Credentials", testCredentials},
		{"Expiry", testExpiry},
		{"Death", testDeath},
		{"Rebirth", testRebirth},
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

func testNames(s suite) {
	table := Table{Rows: [][]any{{}}}
	names := []string{"select", "a b", "ü", "q'uote", "src", "MixedCase", "1st", "per%cent", "dash-ed", "order"}
	for i, n := range names {
		if !s.can(Cases) {
			n = strings.ToLower(n)
			names[i] = n
		}
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
	rel := source.Relation{Name: s.Missing}
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

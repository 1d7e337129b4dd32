package sourcetest

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// testTexts sends texts that mean something to a statement.
func testTexts(s suite) {
	texts := []string{"", " ", "'", "''", `"`, "`", `\`, `\n`, "\n", "\r\n", "\t", "%", "_", "; DROP TABLE x", "--", "/*", "NULL", "null",
		"?", "$1", ":x", "@x", "{}", "\u00a0", "é", "e\u0301", "日本", "🚀", "\u202e", "\x7f", "\x01"}
	table := Table{Columns: []Column{{Name: "n", Kind: Int}, {Name: "v", Kind: Text}}}
	for i, text := range texts {
		table.Rows = append(table.Rows, []any{int64(i), text})
	}
	table.Rows = append(table.Rows, []any{int64(len(texts)), nil})
	name := s.Load(s.t, table)
	rows := s.rows(s.scan(name, []string{"v"}, "", "n"), Text)
	if len(rows) != len(texts)+1 || rows[len(texts)][0] != nil {
		s.t.Fatalf("%d rows: %v", len(rows), rows)
	}
	for i, text := range texts {
		if rows[i][0] != text {
			s.t.Errorf("%q came back as %q", text, rows[i][0])
		}
		// As a literal it finds itself and nothing else.
		scan := s.scan(name, []string{"n"}, "")
		scan.Where = &predicate.Compare{Op: predicate.Eq,
			Left:  &predicate.Column{Name: "v", T: s.typed(name).Columns()[1].Type},
			Right: &predicate.Literal{Value: text, T: predicate.Type{Kind: predicate.KindString}}}
		s.wantInts(fmt.Sprintf("v = %q", text), scan, int64(i))
	}
}

func testWhere(s suite) {
	name := s.Load(s.t, numbers())
	for where, want := range map[string][]int64{
		"":                               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		"n < 3":                          {0, 1, 2},
		"n >= 3 AND n <= 4":              {3, 4},
		"n BETWEEN 3 AND 4":              {3, 4},
		"n IN (1, 5, 11)":                {1, 5},
		"n NOT IN (1, 2, 3, 4, 5, 6)":    {0, 7, 8, 9},
		"NOT (n < 8)":                    {8, 9},
		"n = 1 OR n = 2 AND n = 3":       {1},
		"name = 'n5'":                    {5},
		"name <> 'n5' AND n > 5":         {6, 8, 9},
		"name IS NULL":                   {3, 7},
		"name IS NOT NULL AND n > 7":     {8, 9},
		"name LIKE 'n%' AND n < 2":       {0, 1},
		"name LIKE '_1'":                 {1},
		"n < 0":                          {},
		"n = 1 AND n = 2":                {},
		"name = 'n1' OR name IS NULL":    {1, 3, 7},
		"(n < 2 OR n > 8) IS TRUE":       {0, 1, 9},
		"(name = 'n1') IS NOT TRUE":      {0, 2, 3, 4, 5, 6, 7, 8, 9},
		"NOT (name = 'n1' OR n = 2)":     {0, 4, 5, 6, 8, 9},
		"upper(name) = 'N4'":             {4},
		"n + 1 = 5":                      {4},
		"coalesce(name, 'x') = 'x'":      {3, 7},
		"n > -1 AND n < 1000000000000":   {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		"n < 2.5":                        {0, 1, 2},
		"CASE WHEN n > 5 THEN n < 7 END": {6},
	} {
		scan := s.scan(name, []string{"n"}, where)
		if scan.Where != nil && s.engine() != s.Source.Dialect() {
			if _, err := print.SQL(s.engine(), scan.Where, predicate.Env{}); err != nil {
				_, err = s.Source.Scan(s.t.Context(), scan)
				s.notPortable(where, err)
				continue
			}
		}
		s.wantInts(where, scan, want...)
	}
	// The predicate's column need not be selected, nor be selected once.
	if rows := s.rows(s.scan(name, []string{"name"}, "n = 4"), Text); len(rows) != 1 || rows[0][0] != "n4" {
		s.t.Errorf("rows %v", rows)
	}
	if rows := s.rows(s.scan(name, []string{"name", "n"}, "n = 4"), Text, Int); len(rows) != 1 || rows[0][0] != "n4" || rows[0][1] != int64(4) {
		s.t.Errorf("rows %v", rows)
	}
}

func testOrder(s suite) {
	table := Table{Columns: []Column{{Name: "n", Kind: Int}, {Name: "a", Kind: Int}, {Name: "b", Kind: Text}}}
	for i, row := range [][]any{{int64(2), "x"}, {int64(1), "y"}, {nil, "x"}, {int64(2), nil}, {int64(1), "B"}} {
		table.Rows = append(table.Rows, append([]any{int64(i)}, row...))
	}
	name := s.Load(s.t, table)
	for _, c := range []struct {
		order []string
		want  []int64
	}{
		{[]string{"n DESC"}, []int64{4, 3, 2, 1, 0}},
		{[]string{"a NULLS FIRST", "n"}, []int64{2, 1, 4, 0, 3}},
		{[]string{"a NULLS LAST", "n"}, []int64{1, 4, 0, 3, 2}},
		{[]string{"a DESC NULLS FIRST", "n"}, []int64{2, 0, 3, 1, 4}},
		{[]string{"a DESC NULLS LAST", "n DESC"}, []int64{3, 0, 4, 1, 2}},
		{[]string{"a NULLS LAST", "b DESC NULLS LAST"}, []int64{1, 4, 0, 3, 2}},
	} {
		scan := s.scan(name, []string{"n"}, "", c.order...)
		s.wantInts(strings.Join(c.order, ", "), scan, c.want...)
		s.wantInts(strings.Join(c.order, ", ")+" LIMIT 2", limited(scan, 2), c.want[:2]...)
	}
}

func testLimit(s suite) {
	name := s.Series(s.t, 5000)
	for limit, want := range map[int64]int{0: 0, 1: 1, 2049: 2049, 5000: 5000, 10_000: 5000} {
		if got := s.ints(limited(s.scan(name, []string{"n"}, ""), limit)); len(got) != want {
			s.t.Errorf("limit %d: %d rows", limit, len(got))
		}
	}
	s.wantInts("the last two", limited(s.scan(name, []string{"n"}, "", "n DESC"), 2), 4999, 4998)
	s.wantInts("the first two of some", limited(s.scan(name, []string{"n"}, "n > 100", "n"), 2), 101, 102)
}

// testEmpty holds that no rows have the same types as some.
func testEmpty(s suite) {
	table := Table{Rows: [][]any{{}}}
	var columns []string
	for _, kind := range s.held() {
		columns = append(columns, "c"+string(rune('a'+kind)))
		table.Columns = append(table.Columns, Column{Name: columns[len(columns)-1], Kind: kind})
		table.Rows[0] = append(table.Rows[0], s.storable(kind, extremes()[kind])[0])
	}
	name := s.Load(s.t, table)
	full, err := s.Source.Scan(s.t.Context(), s.scan(name, columns, ""))
	if err != nil {
		s.t.Fatal(err)
	}
	defer full.Release()
	if !full.Next() {
		s.t.Fatalf("no row: %v", full.Err())
	}
	where := predicate.QuoteIdent(s.Source.Dialect(), columns[0]) + " IS NULL"
	for _, scan := range []source.Scan{s.scan(name, columns, where), limited(s.scan(name, columns, ""), 0)} {
		none, err := s.Source.Scan(s.t.Context(), scan)
		if err != nil {
			s.t.Fatal(err)
		}
		if none.Next() && none.RecordBatch().NumRows() > 0 {
			s.t.Error("there are rows")
		}
		if none.Err() != nil {
			s.t.Error(none.Err())
		}
		if !none.Schema().Equal(full.Schema()) {
			s.t.Errorf("without rows the schema is %s, with rows %s", none.Schema(), full.Schema())
		}
		none.Release()
	}
	// A table without rows at all.
	table.Rows = nil
	empty := s.Load(s.t, table)
	if schema := s.schema(source.Relation{Name: empty}); len(schema.Columns) != len(columns) || schema.RowCount != nil && *schema.RowCount != 0 {
		s.t.Errorf("schema of an empty table: %+v", schema)
	}
	if rows := s.ints(s.scan(empty, columns[1:2], "")); len(rows) != 0 {
		s.t.Errorf("rows of an empty table: %v", rows)
	}
}

func testSample(s suite) {
	name := s.Load(s.t, numbers())
	for n, want := range map[int]int{1: 1, 5: 5, 100: 10} {
		r, err := s.Source.Sample(s.t.Context(), source.Relation{Name: name}, n)
		if err != nil {
			s.t.Fatal(err)
		}
		rows, err := drain(r, []Kind{Int, Text})
		if err != nil || len(rows) != want {
			s.t.Errorf("a sample of %d has %d rows, %v", n, len(rows), err)
		}
	}
}

// testHidden shows a caller one column of two.
func testHidden(s suite) {
	name := s.Load(s.t, numbers())
	rel := source.Relation{Name: name, Columns: []string{"n"}}
	if schema := s.schema(rel); len(schema.Columns) != 1 || schema.Columns[0].Name != "n" {
		s.t.Errorf("schema: %+v", schema.Columns)
	}
	r, err := s.Source.Sample(s.t.Context(), rel, 5)
	if err != nil {
		s.t.Fatal(err)
	}
	if rows, err := drain(r, []Kind{Int}); err != nil || len(rows) != 5 {
		s.t.Errorf("sample: %v, %v", rows, err)
	}
	for what, scan := range map[string]source.Scan{
		"select":   s.scan(name, []string{"n", "name"}, ""),
		"where":    s.scan(name, []string{"n"}, "name = 'n1'"),
		"order by": s.scan(name, []string{"n"}, "", "name"),
	} {
		scan.Relation = rel
		_, err := s.Source.Scan(s.t.Context(), scan)
		s.refused("scan, "+what, err, api.CodeUnknownColumn)
		_, err = s.Source.Estimate(s.t.Context(), scan)
		s.refused("estimate, "+what, err, api.CodeUnknownColumn)
	}
	scan := s.scan(name, []string{"n"}, "n < 2")
	scan.Relation = rel
	s.wantInts("what is left", scan, 0, 1)
}

// testRule shows a caller some rows. The rule may name what the caller may not.
func testRule(s suite) {
	name := s.Load(s.t, numbers())
	rel := source.Relation{Name: name, Columns: []string{"n"}, Rule: s.where(name, "name IS NOT NULL AND n > 2")}
	for where, want := range map[string][]int64{
		"":               {4, 5, 6, 8, 9},
		"n < 5":          {4},
		"n = 1 OR n = 8": {8},
		"n = 1 OR TRUE":  {4, 5, 6, 8, 9},
	} {
		scan := s.scan(name, []string{"n"}, where)
		scan.Relation = rel
		s.wantInts("under a rule, "+where, scan, want...)
		e, err := s.Source.Estimate(s.t.Context(), scan)
		if err != nil {
			s.t.Fatal(err)
		}
		if e.RowsUpperBound != nil && *e.RowsUpperBound < int64(len(want)) {
			s.t.Errorf("%s: %d rows, at most %d", where, len(want), *e.RowsUpperBound)
		}
	}
	r, err := s.Source.Sample(s.t.Context(), rel, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	if rows, err := drain(r, []Kind{Int}); err != nil || len(rows) != 5 {
		s.t.Errorf("sample under a rule: %v, %v", rows, err)
	}
	if schema := s.schema(rel); schema.RowCount != nil || schema.RowEstimate != nil || schema.SizeBytes != nil {
		s.t.Errorf("the schema tells how much there is, of which some is hidden: %+v", schema)
	}
}

func testEstimate(s suite) {
	name := s.Series(s.t, 5000)
	for where, rows := range map[string]int64{"": 5000, "n < 50": 50, "n < 0": 0, "pad IS NULL": 0, "n >= 0": 5000} {
		scan := s.scan(name, []string{"n"}, where)
		e, err := s.Source.Estimate(s.t.Context(), scan)
		if err != nil {
			s.t.Fatalf("%s: %v", where, err)
		}
		if e.RowsUpperBound != nil && *e.RowsUpperBound < rows {
			s.t.Errorf("%s: %d rows, at most %d", where, rows, *e.RowsUpperBound)
		}
		if e.ResultRows != nil && *e.ResultRows != rows {
			s.t.Errorf("%s: %d rows are told as %d", where, rows, *e.ResultRows)
		}
		if e.ResultRows != nil && (e.RowsLow == nil || e.RowsHigh == nil) || e.RowsLow != nil && *e.RowsLow > rows || e.RowsHigh != nil && *e.RowsHigh < rows {
			s.t.Errorf("%s: %d rows, and the estimate's range is wrong: %+v", where, rows, e)
		}
		for what, n := range map[string]*int64{"scan": e.ScanBytes, "billed": e.BilledBytes, "result": e.ResultBytes, "rows": e.ResultRows} {
			if n != nil && *n < 0 {
				s.t.Errorf("%s: %s is %d", where, what, *n)
			}
		}
		if e := s.estimate(limited(scan, 10)); e.RowsUpperBound == nil || *e.RowsUpperBound > 10 || *e.RowsUpperBound < min(rows, 10) {
			s.t.Errorf("%s: with a limit of 10: %+v", where, e)
		}
	}
}

func (s suite) estimate(scan source.Scan) *api.Estimate {
	s.t.Helper()
	e, err := s.Source.Estimate(s.t.Context(), scan)
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

// testClock holds that today is what the request says it is.
func testClock(s suite) {
	if !s.supports(Date) {
		return
	}
	table := Table{Columns: []Column{{Name: "n", Kind: Int}, {Name: "day", Kind: Date}}}
	for i := range int64(10) {
		table.Rows = append(table.Rows, []any{i, utc(2001, 1, 1+int(i), 0, 0, 0, 0)})
	}
	name := s.Load(s.t, table)
	scan := s.scan(name, []string{"n"}, "day < CURRENT_DATE", "n")
	scan.Env.Now = utc(2001, 1, 4, 23, 30, 0, 0)
	s.wantInts("before today", scan, 0, 1, 2)
	if e := s.estimate(scan); e.ResultRows != nil && *e.ResultRows != 3 {
		s.t.Errorf("3 rows are told as %d", *e.ResultRows)
	}
}

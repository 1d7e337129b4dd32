package sourcetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/print"
	"github.com/agnes-data/da/source"
)

// testSameRows holds that a predicate selects the same rows wherever it runs:
// every accepted one, of every dialect, on the source and in the query engine.
// What is not portable must be refused.
func testSameRows(s suite) {
	for _, d := range corpora {
		c := readCorpus(s.t, d)
		table, typed := s.table(d, c)
		j, err := judging()
		if err != nil {
			s.t.Fatal(err)
		}
		j.mu.Lock()
		err = j.load("orders", table)
		j.mu.Unlock()
		if err != nil {
			s.t.Fatal(err)
		}
		name := s.Load(s.t, table)
		var n outcome
		if s.Sampled {
			c.where = sampled(c.where)
		}
		for _, where := range c.where {
			e, err := predicate.Parse(d, where, typed)
			if err != nil || len(where) > 300 && !s.can(Depth) {
				n.unknown++ // it names a column that the source cannot hold
				continue
			}
			s.sameRows(j, name, d, where, e, &n)
		}
		s.t.Logf("%s: %d of %d predicates select the same rows, %d are refused as not portable, %d cannot be compared, %d fail, %d need other columns",
			d, n.same, len(c.where), n.refused, n.alone, n.failed, n.unknown)
		if least := len(c.where) / 5; n.same < least {
			s.t.Errorf("%s: only %d predicates could be compared, want %d: this proves too little", d, n.same, least)
		}
	}
}

// sampled is each tenth of a list.
func sampled(list []string) (some []string) {
	for i := 0; i < len(list); i += 10 {
		some = append(some, list[i])
	}
	return some
}

// outcome counts what became of predicates.
type outcome struct{ same, refused, alone, failed, unknown int }

func (s suite) sameRows(j *judge, name string, d predicate.Dialect, where string, e predicate.Expr, n *outcome) {
	s.t.Helper()
	home := s.engine()
	_, printErr := print.SQL(home, e, predicate.Env{})
	r, err := s.Source.Scan(s.t.Context(), source.Scan{Relation: source.Relation{Name: name}, Select: []string{"row_no"}, Where: e})
	var rows [][]any
	if err == nil {
		rows, err = drain(r, []Kind{Int})
	}
	if printErr != nil {
		if home == d {
			s.t.Errorf("%s: %s: its own engine has no form of it: %v", d, where, printErr)
		}
		s.notPortable(where, err)
		n.refused++
		return
	}
	if api.CodeSource.Is(err) || err != nil && !api.CodeQueryFailed.Is(err) {
		s.t.Errorf("%s: %s: %v", d, where, err)
		return
	}
	text, printErr := print.SQL(predicate.DuckDB, e, predicate.Env{})
	switch {
	case printErr != nil && err != nil:
		n.failed++
		return
	case printErr != nil:
		n.alone++
		return
	}
	got := []int64{}
	for _, row := range rows {
		got = append(got, row[0].(int64))
	}
	slices.Sort(got)
	want, wantErr := j.selects(text)
	switch {
	case wantErr != nil || err != nil:
		// A value that cannot be computed is not an answer on any engine; which
		// rows it is computed for is the engine's affair.
		n.failed++
	case !slices.Equal(got, want) && !slices.Equal(got, j.meant(text)):
		s.t.Errorf("%s: %s\nselects %v\nin DuckDB as %s\nselects %v", d, where, got, text, want)
	default:
		n.same++
	}
}

func (s suite) notPortable(where string, err error) {
	s.t.Helper()
	if kind := api.KindNotPortable; !kindIs(err, kind) {
		s.t.Errorf("%s: got %v, want a refusal as %s", where, err, kind)
	}
}

func kindIs(err error, kind string) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Code == api.CodeRejected && e.Kind == kind
}

// selects are the rows that a predicate selects in the engine.
func (j *judge) selects(where string) ([]int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ints(fmt.Sprintf("SELECT row_no FROM orders WHERE %s", where))
}

// meant is what it selects if the optimizer does not rewrite expressions: some rewritings
// are wrong about NULL.
func (j *judge) meant(where string) []int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.set("expression_rewriter"); err != nil {
		return nil
	}
	rows, _ := j.ints(fmt.Sprintf("SELECT row_no FROM orders WHERE %s", where))
	_ = j.set("")
	return rows
}

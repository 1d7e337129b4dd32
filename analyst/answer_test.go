package analyst_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/toolbox/fit"
)

func workplace(t testing.TB) *analyst.Analyst {
	t.Helper()
	home := t.TempDir()
	store, err := snapshot.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	return &analyst.Analyst{
		Home: home, Store: store, Now: time.Now,
		Connect: func() (analyst.Remote, error) { return analyst.Remote{}, errors.New("no server") },
	}
}

// asked returns the cells of the first row that a query answers with.
func asked(t *testing.T, a *analyst.Analyst, sql string) []string {
	t.Helper()
	answer, err := answerQuery(t.Context(), a, sql, fit.Options{})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if answer.Truncated || len(answer.Rows) == 0 {
		t.Fatalf("%s: %+v", sql, answer)
	}
	var cells []string
	for _, c := range answer.Rows[0] {
		cells = append(cells, string(c))
	}
	return cells
}

const millionRows = `SELECT i AS n, (i * 7919) % 1000003 AS k, 'row ' || i AS "Text", sum(i) OVER (ROWS CURRENT ROW) AS huge, i AS N FROM range(1000000) t(i)`

// answerQuery answers one SELECT with the types that a kept result has.
func answerQuery(ctx context.Context, a *analyst.Analyst, sql string, o fit.Options) (*fit.Answer, error) {
	result, err := query.Run(ctx, a, sql, true, plan.Brief)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	return query.Answer(ctx, a, result.Rows(), query.About{SQL: sql}, o)
}

func TestALargeResultIsKept(t *testing.T) {
	a := workplace(t)
	answer, err := answerQuery(t.Context(), a, millionRows, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if answer.RowsTotal != 1_000_000 || !answer.Truncated || answer.Elided.Rows+answer.RowsShown != 1_000_000 || answer.Rest == nil {
		t.Fatalf("%+v", answer)
	}
	text, err := json.Marshal(answer)
	if err != nil || len(text) > fit.DefaultTokens*fit.BytesPerToken {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if answer.Rest.Result != "@r1" || answer.Rest.Rows != 1_000_000 || answer.Rest.SQL != fmt.Sprintf("SELECT * FROM @r1 LIMIT %d OFFSET %[1]d", answer.RowsShown) {
		t.Errorf("%+v", answer.Rest)
	}
	// The kept result has the names, the order and the types that were shown.
	if want := []string{"n", "k", "Text", "huge", "N_1"}; !slices.Equal(answer.Columns, want) {
		t.Errorf("columns are %q", answer.Columns)
	}
	rest, err := answerQuery(t.Context(), a, answer.Rest.SQL, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(rest.Rows[0][0]), fmt.Sprint(answer.RowsShown); got != want || !slices.Equal(rest.ColumnTypes, answer.ColumnTypes) {
		t.Errorf("the rest begins at %s, want %s; types %q, %q", got, want, rest.ColumnTypes, answer.ColumnTypes)
	}
	if got := asked(t, a, `SELECT count(*), sum(@r1.n), count(DISTINCT b.k), max(b."Text"), sum(@r1.huge) = sum(b.n_1) FROM @r1 JOIN "@R1" AS b USING (k) WHERE @r1.huge = @r1.n`); strings.Join(got, " ") != `1000000 499999500000 1000000 "row 999999" true` {
		t.Errorf("got %s", got)
	}
}

func TestASmallResultIsNotKept(t *testing.T) {
	a := workplace(t)
	if got := asked(t, a, "SELECT 42 AS n"); got[0] != "42" {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(a.Results().Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is kept: %v", err)
	}
	// One long cell is something missing, too.
	answer, err := answerQuery(t.Context(), a, "SELECT repeat('x', 1000) AS long, 1 AS n", fit.Options{})
	if err != nil || answer.Rest == nil || answer.Rest.SQL != "SELECT * FROM @r1" || answer.Elided != nil || answer.CellsCut != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if got := asked(t, a, "SELECT strlen(long) FROM @r1"); got[0] != "1000" {
		t.Errorf("got %s", got)
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	a := workplace(t)
	if err := os.WriteFile(filepath.Join(a.Home, "results"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	answer, err := answerQuery(t.Context(), a, millionRows, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if answer.RowsTotal != 1_000_000 || answer.Rest != nil || !strings.Contains(strings.Join(api.Texts(answer.Caveats), "\n"), "not kept") {
		t.Errorf("%d rows, %+v, %q", answer.RowsTotal, answer.Rest, answer.Caveats)
	}
}

func TestAQueryThatFailsMidwayKeepsNothing(t *testing.T) {
	a := workplace(t)
	_, err := answerQuery(t.Context(), a, "SELECT i, CASE WHEN i = 900000 THEN error('no') ELSE 1 END AS x FROM range(1000000) t(i)", fit.Options{})
	if !api.CodeQueryFailed.Is(err) && !api.CodeStatement.Is(err) {
		t.Errorf("got %v", err)
	}
	_, err = answerQuery(t.Context(), a, "SELECT i, CASE WHEN i < 900000 THEN 1 ELSE ('x' || i)::INTEGER END AS x FROM range(1000000) t(i)", fit.Options{})
	if !api.CodeQueryFailed.Is(err) {
		t.Errorf("got %v", err)
	}
	if n := len(a.Results().List()); n != 0 {
		t.Errorf("%d results are kept", n)
	}
}

func TestErrorsAboutResults(t *testing.T) {
	a := workplace(t)
	_, err := query.Run(t.Context(), a, "SELECT * FROM @r7", false, plan.Brief)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeUnknownSnapshot || e.Kind != "result" || !strings.Contains(e.Message, "'@r7'") {
		t.Errorf("got %v", err)
	}
	if _, err := answerQuery(t.Context(), a, millionRows, fit.Options{}); err != nil {
		t.Fatal(err)
	}
	_, err = query.Run(t.Context(), a, "SELECT é FROM @r1", false, plan.Brief)
	if errors.As(err, &e); e.Code != api.CodeQueryFailed {
		t.Fatalf("got %v", err)
	}
	_, err = query.Run(t.Context(), a, "SELECT x.n FROM @r1 AS x WHERE\n @r1.nn = 2", false, plan.Brief)
	if !errors.As(err, &e) || e.Details["line"] != 2 || e.Details["column"] != 2 {
		t.Errorf("got %v, %v", err, e.Details)
	}
}

// TestAReaderKeepsWhatIsDropped drops a result while a query reads it.
func TestAReaderKeepsWhatIsDropped(t *testing.T) {
	a := workplace(t)
	if _, err := answerQuery(t.Context(), a, millionRows, fit.Options{}); err != nil {
		t.Fatal(err)
	}
	result, err := query.Run(t.Context(), a, "SELECT n FROM @r1", false, plan.Brief)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	if err := a.Results().Drop([]string{"@r1"}); err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for result.Rows().Next() {
		rows += result.Rows().RecordBatch().NumRows()
	}
	if err := result.Rows().Err(); err != nil || rows != 1_000_000 {
		t.Errorf("%d rows, %v", rows, err)
	}
	if _, err := query.Run(t.Context(), a, "SELECT n FROM @r1", false, plan.Brief); !api.CodeUnknownSnapshot.Is(err) {
		t.Errorf("got %v", err)
	}
}

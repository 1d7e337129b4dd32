package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/metric/dbt"
)

// compared is a question with the statement that MetricFlow compiles it to; see
// testdata/README.md.
type compared struct {
	Metrics, By, Where, SQL []string
}

// TestFiguresAreThoseOfMetricFlow runs our statement and MetricFlow's own on the
// same data.
func TestFiguresAreThoseOfMetricFlow(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"flights", "shop"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			m := model(t, set)
			c := filledDatabase(t, set)
			data, err := os.ReadFile(filepath.Join("testdata", set, "cases.json"))
			if err != nil {
				t.Fatal(err)
			}
			var all []compared
			if err := json.Unmarshal(data, &all); err != nil {
				t.Fatal(err)
			}
			if len(all) < 30 {
				t.Fatalf("there are only %d questions", len(all))
			}
			for _, q := range all {
				t.Run(strings.Join(append(q.Metrics, q.By...), " "), func(t *testing.T) {
					ours, err := metric.Compile(m, metric.Request{Metrics: q.Metrics, By: q.By, Where: q.Where})
					if err != nil {
						t.Fatal(err)
					}
					got, want := figures(t, c, ours.SQL, q), figures(t, c, strings.Join(q.SQL, "\n"), q)
					if difference := differ(got, want); difference != "" {
						t.Errorf("%v where %v: %s\n%s", q.Metrics, q.Where, difference, ours.SQL)
					}
				})
			}
		})
	}
}

func model(t *testing.T, set string) *api.SemanticModel {
	t.Helper()
	m, err := dbt.Read(filepath.Join("testdata", set))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// filledDatabase makes the tables of a project as dbt would, in a database of its
// name.
func filledDatabase(t *testing.T, set string) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	run := func(sql string) {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("ATTACH ':memory:' AS " + set + "; USE " + set)
	files, _ := filepath.Glob(filepath.Join("testdata", set, "models", "*.sql"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sql := strings.ReplaceAll(string(text), "{{ env_var('DEMO_DATA') }}", "../cli/demo/data")
		run("CREATE TABLE " + strings.TrimSuffix(filepath.Base(file), ".sql") + " AS " + sql)
	}
	return c
}

// figures returns rows of dimensions as texts and metrics as numbers, sorted.
func figures(t *testing.T, c *duckdb.Conn, sql string, q compared) [][]any {
	t.Helper()
	var list []string
	for _, name := range q.By {
		list = append(list, fmt.Sprintf("CAST(%q AS VARCHAR)", name))
	}
	for _, name := range q.Metrics {
		list = append(list, fmt.Sprintf("CAST(%q AS DOUBLE)", name))
	}
	rows, err := c.Query(t.Context(), "SELECT "+strings.Join(list, ", ")+" FROM ("+sql+") ORDER BY ALL")
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Release()
	var out [][]any
	for rows.Next() {
		for _, r := range arrowjson.Rows(rows.RecordBatch()) {
			for i, v := range r.Values {
				if text, ok := v.(string); ok {
					r.Values[i] = strings.TrimSuffix(text, " 00:00:00")
				}
			}
			out = append(out, slices.Clone(r.Values))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func differ(got, want [][]any) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, not %d", len(got), len(want))
	}
	for i := range got {
		for j := range got[i] {
			a, isNumber := strconv.ParseFloat(fmt.Sprint(got[i][j]), 64)
			b, too := strconv.ParseFloat(fmt.Sprint(want[i][j]), 64)
			if isNumber == nil && too == nil && math.Abs(a-b) <= 1e-7 { // sums of floats depend on their order
				continue
			}
			if got[i][j] != want[i][j] {
				return fmt.Sprintf("row %d is %v, not %v", i, got[i], want[i])
			}
		}
	}
	return ""
}

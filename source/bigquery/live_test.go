//go:build live

package bigquery

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestLive runs the suite of all sources on the real service: `make
// live-bigquery`. BIGQUERY_PROJECT pays, BIGQUERY_DATASET is where tables are
// made, which expire after a day; credentials are found as Google's clients
// find them.
func TestLive(t *testing.T) {
	o := Options{Project: os.Getenv("BIGQUERY_PROJECT"), Dataset: os.Getenv("BIGQUERY_DATASET"), Location: os.Getenv("BIGQUERY_LOCATION"),
		CredentialsFile: os.Getenv("BIGQUERY_CREDENTIALS_FILE")}
	if o.Project == "" || o.Dataset == "" {
		t.Fatal("BIGQUERY_PROJECT and BIGQUERY_DATASET do not say where to test")
	}
	client, err := bigquery.NewClient(t.Context(), o.Project, o.options()...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Location = o.Location
	stem := fmt.Sprintf("da_test_%d_", time.Now().UnixNano())
	var made atomic.Int64
	name := func() string { return fmt.Sprintf("%s%d", stem, made.Add(1)) }
	run := func(t testing.TB, sql string) {
		q := client.Query(sql)
		q.DefaultProjectID, q.DefaultDatasetID = o.Project, o.Dataset
		job, err := q.Run(t.Context())
		if err == nil {
			var status *bigquery.JobStatus
			if status, err = job.Wait(t.Context()); err == nil {
				err = status.Err()
			}
		}
		if err != nil {
			t.Fatalf("%.200s: %v", sql, err)
		}
	}
	t.Run("views and ingestion time", func(t *testing.T) { liveForms(t, o, name, run) })
	sourcetest.Run(t, func(t *testing.T) sourcetest.Fixture {
		now := o
		now.Stale = time.Nanosecond
		return sourcetest.Fixture{
			Source: open(t, now),
			Load: func(t testing.TB, table sourcetest.Table) string {
				n := name()
				run(t, createTable(n, table))
				if len(table.Rows) == 0 {
					return n
				}
				rows := bigquery.NewReaderSource(bytes.NewReader(jsonLines(t, table)))
				rows.SourceFormat = bigquery.JSON
				job, err := client.Dataset(o.Dataset).Table(n).LoaderFrom(rows).Run(t.Context())
				if err == nil {
					var status *bigquery.JobStatus
					if status, err = job.Wait(t.Context()); err == nil {
						err = status.Err()
					}
				}
				if err != nil {
					t.Fatalf("load %s: %v", n, err)
				}
				return n
			},
			Series: func(t testing.TB, rows int64) string {
				n := name()
				run(t, fmt.Sprintf("CREATE TABLE %s %s AS SELECT n, RPAD(CONCAT('pad', CAST(n AS STRING)), 100, 'x') AS pad FROM UNNEST(GENERATE_ARRAY(0, %d)) AS n", n, expires, rows-1))
				return n
			},
			Missing: "no_such_table",
			Lacks:   []sourcetest.Kind{sourcetest.UUID, sourcetest.Ints, sourcetest.Texts},
			// What the service works on, and its death, are not ours to see.
			Without: []sourcetest.Ability{sourcetest.Asking, sourcetest.Mortality, sourcetest.Credentials, sourcetest.Patience},
		}
	})
}

// liveForms are what only the real service shows beside the suite: that it
// takes pseudo-columns in backticks, and that a dry run names each table that a
// statement names.
func liveForms(t *testing.T, o Options, name func() string, run func(testing.TB, string)) {
	b := open(t, o)
	defer b.Close()
	numbers, top, low, loads := name(), name(), name(), name()
	run(t, "CREATE TABLE "+numbers+" "+expires+" AS SELECT n FROM UNNEST([0, 1, 2, 3, 4]) AS n")
	below := "`" + o.Project + "." + o.Dataset + "." + numbers + "`"
	run(t, "CREATE VIEW "+top+" "+expires+" AS SELECT n FROM "+below+" WHERE n > 2")
	run(t, "CREATE VIEW "+low+" "+expires+" AS SELECT n FROM "+below+" WHERE n < 2")
	run(t, "CREATE TABLE "+loads+" (n INT64) PARTITION BY _PARTITIONDATE "+expires)
	run(t, "INSERT INTO "+loads+" (_PARTITIONTIME, n) VALUES (TIMESTAMP '2026-01-02', 1), (TIMESTAMP '2026-01-03', 2), (TIMESTAMP '2026-01-04', 3)")
	views := map[string]source.Relation{"top": {Name: top}}
	ask := func(sql string) ([]string, error) {
		r, err := b.Query(t.Context(), sql, views)
		if err != nil {
			return nil, err
		}
		return enginetest.Rows(r)
	}
	if got, err := ask("SELECT n FROM top ORDER BY n"); err != nil || !slices.Equal(got, []string{"3", "4"}) {
		t.Errorf("a view answers %q, %v", got, err)
	}
	other := o.Dataset + "." + low
	for _, sql := range []string{"SELECT n FROM " + other, "SELECT n FROM `" + other + "`", "SELECT b.n FROM top AS a JOIN " + other + " AS b ON FALSE",
		"SELECT b.n FROM top AS a JOIN " + other + " AS b ON a.n = b.n", "SELECT n FROM top WHERE n IN (SELECT n FROM " + other + ")", "SELECT n FROM " + o.Dataset + "." + numbers} {
		if got, err := ask(sql); err == nil {
			t.Errorf("%s\nanswers %q", sql, got)
		}
	}
	rel := source.Relation{Name: loads}
	schema, err := b.Schema(t.Context(), rel)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.GoogleSQL, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	where, err := predicate.Parse(predicate.GoogleSQL, "_PARTITIONDATE > '2026-01-02'", typed.WithPseudoColumns(schema.Pseudo))
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}, Where: where, OrderBy: []predicate.Order{{Column: "_PARTITIONTIME", Desc: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := enginetest.Rows(r); err != nil || !slices.Equal(got, []string{"3", "2"}) {
		t.Errorf("by ingestion time there are %q, %v", got, err)
	}
}

const expires = "OPTIONS(expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 DAY))"

func createTable(name string, table sourcetest.Table) string {
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = quote(c.Name) + " " + types[c.Kind]
		if c.Required {
			columns[i] += " NOT NULL"
		}
		if c.Comment != "" {
			columns[i] += fmt.Sprintf(" OPTIONS(description = %q)", c.Comment)
		}
	}
	by := ""
	if table.PartitionBy != "" {
		by = " PARTITION BY " + quote(table.PartitionBy)
	}
	return "CREATE TABLE " + name + " (" + strings.Join(columns, ", ") + ")" + by + " " + expires
}

// jsonLines are the rows as the service loads them.
func jsonLines(t testing.TB, table sourcetest.Table) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, row := range table.Rows {
		object := map[string]any{}
		for i, v := range row {
			object[table.Columns[i].Name] = jsonValue(table.Columns[i].Kind, v)
		}
		if err := enc.Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func jsonValue(kind sourcetest.Kind, v any) any {
	switch v := v.(type) {
	case int64:
		return fmt.Sprint(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 0):
			return strings.TrimPrefix(fmt.Sprint(v), "+")
		}
		return v
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case time.Duration:
		return time.Time{}.Add(v).Format("15:04:05.999999")
	case time.Time:
		switch kind {
		case sourcetest.Date:
			return v.Format(time.DateOnly)
		case sourcetest.Instant:
			return v.Format("2006-01-02 15:04:05.999999") + " UTC"
		}
		return v.Format("2006-01-02T15:04:05.999999")
	case sourcetest.Span:
		iv := &bigquery.IntervalValue{Years: v.Months / 12, Months: v.Months % 12, Days: v.Days, Seconds: int32(v.Micros / 1_000_000), SubSecondNanos: int32(v.Micros % 1_000_000 * 1000)}
		return iv.Canonicalize().String()
	case []any:
		return map[string]any{"a": jsonValue(sourcetest.Int, v[0]), "b": v[1]}
	case string:
		if kind == sourcetest.JSON {
			return json.RawMessage(v)
		}
	}
	return v
}

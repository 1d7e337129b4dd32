package flightsql

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// count reads the one number of table t.
func count(t testing.TB, f *FlightSQL) (int64, error) {
	t.Helper()
	r, err := f.Scan(context.Background(), source.Scan{Relation: source.Relation{Name: "main.t"}, Select: []string{"n"}})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	return n, r.Err()
}

func closed(t testing.TB, f *FlightSQL) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for what, o := range map[string]Options{
		"no uri":                 {},
		"no port":                {URI: "grpc://db.example.com"},
		"http":                   {URI: "http://db.example.com:80"},
		"a password in the uri":  {URI: "grpc+tls://u:" + "secret" + "@db.example.com:1"},
		"credentials in clear":   {URI: "grpc://db.example.com:1", Token: "secret"},
		"a password in clear":    {URI: "grpc://db.example.com:1", User: "u", Password: "secret"},
		"token and user":         {URI: "grpc+tls://db.example.com:1", Token: "secret", User: "u"},
		"GoogleSQL":              {URI: "grpc+tls://db.example.com:1", Dialect: predicate.GoogleSQL},
		"a ca_file that is none": {URI: "grpc+tls://db.example.com:1", CAFile: "flightsql_test.go"},
	} {
		if f, err := Open(o); !api.CodeConfig.Is(err) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v", what, f, err)
		}
	}
}

// TestPostgresWords holds that the other dialect is spoken, too: DuckDB
// understands most of it.
func TestPostgresWords(t *testing.T) {
	server := flighttest.New(t, flighttest.Options{})
	exec(t, server, "CREATE TABLE t AS SELECT range AS n, 'x' || range AS name, {'a': 1} AS nested, 1.5::DECIMAL(10,2) AS amount FROM range(9)")
	f := opened(t, Options{URI: server.URI(), Dialect: predicate.Postgres})
	defer closed(t, f)
	s, err := f.Schema(t.Context(), source.Relation{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, c := range s.Columns {
		got = append(got, c.Name+" "+c.Type)
	}
	if g, want := strings.Join(got, ", "), "n bigint, name text, nested text, amount numeric(10,2)"; g != want {
		t.Errorf("%s, want %s", g, want)
	}
	typed, err := predicate.NewSchema(predicate.Postgres, s.Columns)
	if err != nil {
		t.Fatal(err)
	}
	where, err := predicate.Parse(predicate.Postgres, "n > 2 AND name ~ '^x[3-5]$'", typed)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := predicate.Parse(predicate.Postgres, "n < 5", typed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t", Rule: rule}, Select: []string{"n", "nested"}, Where: where})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		rows += r.RecordBatch().NumRows()
		if got := r.RecordBatch().Column(1).ValueStr(0); got != "{'a': 1}" {
			t.Errorf("nested is %s", got)
		}
	}
	if warned := strings.Join(api.Texts(api.SchemaCaveats(r.Schema())), " "); rows != 2 || r.Err() != nil || !strings.Contains(warned, "becomes text") {
		t.Errorf("%d rows, %v, warnings %s", rows, r.Err(), warned)
	}
}

// TestTypeNames spells what the conformance suite has no kind for.
func TestTypeNames(t *testing.T) {
	for want, dt := range map[string]arrow.DataType{
		"SMALLINT[]":                       arrow.ListOf(arrow.PrimitiveTypes.Int16),
		`STRUCT("a ""b" DOUBLE, "c" DATE)`: arrow.StructOf(arrow.Field{Name: `a "b`, Type: arrow.PrimitiveTypes.Float64}, arrow.Field{Name: "c", Type: arrow.FixedWidthTypes.Date32}),
		"TIMESTAMP_NS":                     &arrow.TimestampType{Unit: arrow.Nanosecond},
		"TIMESTAMP WITH TIME ZONE":         &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Prague"},
		"DECIMAL(38,0)":                    &arrow.Decimal256Type{Precision: 38},
	} {
		if got, _, ok := typeName(predicate.DuckDB, dt); got != want || !ok {
			t.Errorf("%s is %s, want %s", dt, got, want)
		}
	}
	for _, dt := range []arrow.DataType{&arrow.Decimal256Type{Precision: 60}, arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Float16,
		arrow.ListOf(arrow.FixedWidthTypes.Duration_s)} {
		if got, _, ok := typeName(predicate.DuckDB, dt); ok {
			t.Errorf("%s is %s, want nothing", dt, got)
		}
	}
}

// TestStatements runs whole statements below definitions of their tables.
func TestStatements(t *testing.T) {
	server := flighttest.New(t, flighttest.Options{})
	exec(t, server, "CREATE TABLE orders AS SELECT range AS n, range % 3 AS shop, 'secret' AS note FROM range(9)")
	q := opened(t, Options{URI: server.URI()})
	defer closed(t, q)
	schema, err := q.Schema(t.Context(), source.Relation{Name: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.DuckDB, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := predicate.Parse(predicate.DuckDB, "shop = 1", typed)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]source.Relation{"orders": {Name: "orders", Columns: []string{"n", "shop"}, Rule: rule}}
	for sql, want := range map[string]string{
		"SELECT n FROM orders ORDER BY n DESC":                                                                                         "7 4 1",
		"WITH orders AS (SELECT n + 100 AS n FROM orders) SELECT n FROM orders ORDER BY 1":                                             "101 104 107",
		"WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT i FROM r, orders WHERE n = 1 ORDER BY i": "1 2 3",
		"SELECT n, n FROM orders WHERE n < 4 -- a remark":                                                                              "1",
		"SELECT 1 + 1 AS two":                       "2",
		"SELECT count(*)::HUGEINT AS c FROM orders": "3",
	} {
		if _, err := q.Inspect(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		r, err := q.Query(t.Context(), sql, tables)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		var got []string
		for r.Next() {
			for i := range int(r.RecordBatch().NumRows()) {
				got = append(got, r.RecordBatch().Column(0).ValueStr(i))
			}
		}
		if err := r.Err(); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", sql, got, err, want)
		}
		r.Release()
	}
	for _, sql := range []string{"SELECT note FROM orders", "SELECT * FROM orders WHERE error(n::VARCHAR) IS NULL"} {
		if r, err := q.Query(t.Context(), sql, tables); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v", sql, r, err)
		}
	}
	for _, sql := range []string{"DELETE FROM orders", "SELECT * FROM read_csv('/etc/passwd')", "SELECT 1; SELECT 2", "SUMMARIZE orders"} {
		if _, err := q.Inspect(t.Context(), sql); !api.CodeStatement.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

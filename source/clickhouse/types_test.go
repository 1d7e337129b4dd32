package clickhouse

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/testing/chtest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// values are columns whose types Arrow has not, or the engine sends wrongly: what they
// are declared as, a value, the type in DuckDB, and the value as JSON.
var values = []struct{ typ, value, duck, json string }{
	{"UInt64", "18446744073709551615", "UBIGINT", `"18446744073709551615"`},
	{"Int256", "-5", "VARCHAR", `"-5"`},
	{"UInt128", "340282366920938463463374607431768211455", "VARCHAR", `"340282366920938463463374607431768211455"`},
	{"BFloat16", "1.5", "FLOAT", `1.5`},
	{"Decimal(50, 2)", "'123456789012345678901234567890123456789.25'", "VARCHAR", `"123456789012345678901234567890123456789.25"`},
	{"FixedString(4)", "'ab'", "BLOB", `"YWIAAA=="`},
	{"Date", "'2026-01-31'", "DATE", `"2026-01-31"`},
	{"DateTime('Europe/Vienna')", "'2026-01-31 12:00:00'", "TIMESTAMP WITH TIME ZONE", `"2026-01-31T11:00:00Z"`},
	{"Nullable(DateTime64(3, 'Asia/Tokyo'))", "'2026-01-31 12:00:00.5'", "TIMESTAMP WITH TIME ZONE", `"2026-01-31T03:00:00.5Z"`},
	{"DateTime64(9, 'UTC')", "'2026-01-31 12:00:00.123456789'", "TIMESTAMP_NS", `"2026-01-31T12:00:00.123456789"`},
	{"Time", "'-123:04:05'", "VARCHAR", `"-123:04:05"`},
	{"Enum8('a b' = 1, 'c\\'d' = -2)", "'c\\'d'", "VARCHAR", `"c'd"`},
	{"LowCardinality(Nullable(String))", "'x'", "VARCHAR", `"x"`},
	{"IPv4", "'1.2.3.4'", "VARCHAR", `"1.2.3.4"`},
	{"Nullable(IPv6)", "'::1'", "VARCHAR", `"::1"`},
	{"UUID", "'123e4567-e89b-12d3-a456-426614174000'", "UUID", `"123e4567-e89b-12d3-a456-426614174000"`},
	{"Array(Array(Nullable(DateTime)))", "[['2026-01-31 12:00:00', NULL], []]", "TIMESTAMP WITH TIME ZONE[][]", `[["2026-01-31T03:00:00Z",null],[]]`},
	{"Array(Enum8('a' = 1))", "['a']", "VARCHAR[]", `["a"]`},
	{"Tuple(a Int32, `b c` IPv4)", "(1, '1.2.3.4')", `STRUCT("a" INTEGER, "b c" VARCHAR)`, `{"a":1,"b c":"1.2.3.4"}`},
	{"Map(String, DateTime64(9, 'UTC'))", "map('k', '2026-01-31 12:00:00.123456789')", "MAP(VARCHAR, VARCHAR)", `{"k":"2026-01-31 12:00:00.123456789"}`},
	{"Point", "(1, 2)", `STRUCT("1" DOUBLE, "2" DOUBLE)`, `{"1":1.0,"2":2.0}`},
	{"JSON", `'{"a":{"b":[1,"x"]}}'`, "JSON", `{"a":{"b":[1,"x"]}}`},
	{"Variant(Int32, String)", "'x'", "VARCHAR", `"x"`},
	{"SimpleAggregateFunction(sum, Int64)", "7", "BIGINT", `7`},
}

func engine(t *testing.T) *chtest.Engine {
	t.Helper()
	e := chtest.NewEngine(t)
	exec(t, e, "CREATE DATABASE shop")
	return e
}

func TestTypes(t *testing.T) {
	e := engine(t)
	c := open(t, e.DSN("shop", ""))
	var columns, row []string
	for i, v := range values {
		columns, row = append(columns, string(rune('a'+i))+" "+v.typ), append(row, v.value)
	}
	exec(t, e, "CREATE TABLE shop.types ("+strings.Join(columns, ", ")+") ENGINE = MergeTree ORDER BY tuple()",
		"INSERT INTO shop.types VALUES ("+strings.Join(row, ", ")+")")
	schema, err := c.Schema(t.Context(), source.Relation{Name: "types"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := predicate.NewSchema(predicate.DuckDB, schema.Columns); err != nil {
		t.Fatal(err)
	}
	r, err := c.Sample(t.Context(), source.Relation{Name: "types"}, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for i, v := range values {
		if got := schema.Columns[i].Type; got != v.duck {
			t.Errorf("%s is a %s, want %s", v.typ, got, v.duck)
		}
		field := r.Schema().Field(i)
		if got := string(arrowjson.Bind(field, r.RecordBatch().Column(i)).AppendJSON(nil, 0)); got != v.json {
			t.Errorf("%s: %s, want %s", v.typ, got, v.json)
		}
	}
}

// TestRefusedColumns holds that a column is named that cannot be read, or has a value
// that cannot.
func TestRefusedColumns(t *testing.T) {
	e := engine(t)
	c := open(t, e.DSN("shop", ""))
	exec(t, e, "CREATE TABLE shop.odd (n Int64, bad String, deep Array(String), state AggregateFunction(sum, Int64)) ENGINE = MergeTree ORDER BY n",
		"INSERT INTO shop.odd SELECT 1, 'a\\xff', ['ok', '\\xc5'], sumState(toInt64(1))")
	for _, column := range []string{"bad", "deep", "state"} {
		r, err := c.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "odd"}, Select: []string{"n", column}})
		if err == nil {
			for r.Next() {
				t.Errorf("%s: there are rows", column)
			}
			err = r.Err()
			r.Release()
		}
		var refused *api.Error
		if !errors.As(err, &refused) || refused.Kind != api.KindUnreadableValue || !strings.Contains(refused.Message, "'"+column+"'") || refused.Hint == "" {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// TestBrokenOff holds that rows which end in any other way than the engine's are an
// error, which says what the engine says.
func TestBrokenOff(t *testing.T) {
	e := engine(t)
	exec(t, e, "CREATE TABLE shop.long ENGINE = MergeTree ORDER BY n AS SELECT toInt64(number) AS n FROM numbers(200000)")
	to, err := url.Parse(e.DSN("", ""))
	if err != nil {
		t.Fatal(err)
	}
	const timeout = "Code: 159. DB::Exception: Timeout exceeded: elapsed 1.2 seconds, maximum: 1. (TIMEOUT_EXCEEDED)\n"
	for what, change := range map[string]struct {
		body func(stream string) string
		code api.Code
		says string
	}{
		"cut between two batches":  {func(s string) string { return s[:cutAt(t, s)] }, api.CodeSource, "broke off"},
		"without its end mark":     {func(s string) string { return s[:len(s)-8] }, api.CodeSource, "broke off"},
		"an error behind rows":     {func(s string) string { return s[:cutAt(t, s)] + timeout }, api.CodeTimeout, "too long"},
		"an error behind the end":  {func(s string) string { return s + timeout }, api.CodeTimeout, "too long"},
		"something behind the end": {func(s string) string { return s + "x" }, api.CodeSource, "broke off"},
		"an error in place of all": {func(string) string { return "Code: 42. DB::Exception: it will not\n" }, api.CodeQueryFailed, "it will not"},
	} {
		proxy := httputil.NewSingleHostReverseProxy(to)
		proxy.ModifyResponse = func(resp *http.Response) error {
			if resp.Request.URL.Query().Get("default_format") != "ArrowStream" {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body = io.NopCloser(strings.NewReader(change.body(string(body))))
			return err
		}
		between := httptest.NewServer(proxy)
		c := open(t, between.URL+"/shop")
		r, err := c.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "long"}, Select: []string{"n"}})
		if err == nil {
			for r.Next() {
			}
			err = r.Err()
			r.Release()
		}
		if !change.code.Is(err) || !strings.Contains(err.Error(), change.says) {
			t.Errorf("%s: %v", what, err)
		}
		between.Close()
	}
}

// cutAt is where the last batch of a stream begins.
func cutAt(t *testing.T, stream string) int {
	t.Helper()
	at := strings.LastIndex(stream[:len(stream)-8], "\xff\xff\xff\xff")
	if at < len(stream)/4 {
		t.Fatalf("the stream of %d bytes has no second batch", len(stream))
	}
	return at
}

// TestVersion holds that a version changes with the rows and the columns of a table, and
// is not made up for a view.
func TestVersion(t *testing.T) {
	e := engine(t)
	c := open(t, e.DSN("shop", ""))
	exec(t, e, "CREATE TABLE shop.v (n Int64) ENGINE = MergeTree ORDER BY n", "CREATE VIEW shop.w AS SELECT * FROM shop.v",
		"CREATE TABLE shop.moving (n Int64, at DateTime ALIAS now()) ENGINE = MergeTree ORDER BY n")
	seen := map[string]string{}
	for _, statement := range []string{"SELECT 1", "INSERT INTO shop.v VALUES (1)", "ALTER TABLE shop.v ADD COLUMN m Int64 DEFAULT 3",
		"ALTER TABLE shop.v DELETE WHERE n = 1 SETTINGS mutations_sync = 1", "DROP TABLE shop.v", "CREATE TABLE shop.v (n Int64) ENGINE = MergeTree ORDER BY n"} {
		exec(t, e, statement)
		version, err := c.Version(t.Context(), source.Relation{Name: "v"})
		if err != nil {
			t.Fatal(err)
		}
		if before := seen[version]; before != "" {
			t.Errorf("the version after %q is that after %q", statement, before)
		}
		seen[version] = statement
	}
	for _, name := range []string{"w", "moving"} {
		if version, err := c.Version(t.Context(), source.Relation{Name: name}); version != "" || err != nil {
			t.Errorf("%s: version %q, %v", name, version, err)
		}
	}
}

// TestFewStatements holds how many statements a request of the server's takes: one for
// all that the catalog says, and the scan; an estimate needs none of all rows. What has changed since Version
// was asked is found by the next request.
func TestFewStatements(t *testing.T) {
	e := engine(t)
	exec(t, e, "CREATE TABLE shop.few (n Int64) ENGINE = MergeTree ORDER BY tuple()", "INSERT INTO shop.few VALUES (1)")
	to, err := url.Parse(e.DSN("", ""))
	if err != nil {
		t.Fatal(err)
	}
	asked, proxy := 0, httputil.NewSingleHostReverseProxy(to)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		proxy.ServeHTTP(w, r)
	}))
	defer between.Close()
	c := open(t, between.URL+"/shop")
	c.recent = time.Hour
	rel := source.Relation{Name: "few"}
	for round, column := range []string{"n", "m"} {
		if _, err := c.Version(t.Context(), rel); err != nil {
			t.Fatal(err)
		}
		scan := source.Scan{Relation: rel, Select: []string{column}}
		if _, err := c.Estimate(t.Context(), scan); err != nil {
			t.Fatal(err)
		}
		r, err := c.Scan(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() { // to its end: it would be stopped in the engine
		}
		r.Release()
		if round == 0 {
			exec(t, e, "ALTER TABLE shop.few RENAME COLUMN n TO m")
		} else if asked != 2 { // at first the user's rights are asked, too
			t.Errorf("%d statements, not 2", asked)
		}
		asked = 0
	}
}

// TestEstimates holds that an estimate is a bound by the parts that are read, also for
// a predicate on a point in time, and that a profile's limit is an error, not an end.
func TestEstimates(t *testing.T) {
	e := engine(t)
	c := open(t, e.DSN("shop", ""))
	exec(t, e, "CREATE TABLE shop.visits (seen DateTime('Asia/Tokyo'), n Int64) ENGINE = MergeTree ORDER BY seen AS"+
		" SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number AS seen, toInt64(number) AS n FROM numbers(1000000)")
	schema, err := c.Schema(t.Context(), source.Relation{Name: "visits"})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.DuckDB, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	scan := source.Scan{Relation: source.Relation{Name: "visits"}, Select: []string{"n"}}
	if scan.Where, err = predicate.Parse(predicate.DuckDB, "seen >= TIMESTAMPTZ '2026-01-02 00:00:00+00' AND seen < TIMESTAMPTZ '2026-01-02 01:00:00+00'", typed); err != nil {
		t.Fatal(err)
	}
	got, err := c.Estimate(t.Context(), scan)
	if err != nil || got.RowsUpperBound == nil || *got.RowsUpperBound < 3600 || *got.RowsUpperBound > 50_000 || got.ScanBytes == nil {
		t.Errorf("estimate %+v, %v", got, err)
	}
	exec(t, e, "CREATE TABLE shop.small (n Int64, s String) ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n, 'x' AS s")
	if got, err := c.Estimate(t.Context(), source.Scan{Relation: source.Relation{Name: "small"}, Select: []string{"n"}}); err != nil || got.ScanBytes == nil || *got.ScanBytes == 0 {
		t.Errorf("a part whose columns have no sizes of their own: %+v, %v", got, err)
	}
	strict := open(t, e.DSN("shop", "max_rows_to_read=10"))
	r, err := strict.Scan(t.Context(), scan)
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	if !api.CodeQueryFailed.Is(err) {
		t.Errorf("beyond a limit: %v", err)
	}
}

// TestInfinity refuses the only value that DuckDB takes for something else.
func TestInfinity(t *testing.T) {
	e := engine(t)
	c := open(t, e.DSN("shop", ""))
	exec(t, e, "CREATE TABLE shop.ends (n Int64, t DateTime64(9, 'UTC')) ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n, toDateTime64('2262-04-11 23:47:16.854775807', 9, 'UTC') AS t")
	r, err := c.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "ends"}, Select: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if r.Next() || r.Err() == nil || !strings.Contains(r.Err().Error(), "'t'") {
		t.Errorf("%v", r.Err())
	}
}

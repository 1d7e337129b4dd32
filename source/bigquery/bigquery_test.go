package bigquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// house is a server with a source on it.
type house struct {
	*testing.T
	server *bqtest.Server
	source *BigQuery
}

func newHouse(t *testing.T, change ...func(*Options)) house {
	t.Helper()
	s := bqtest.Open(t)
	o := options(s)
	for _, c := range change {
		c(&o)
	}
	h := house{t, s, open(t, o)}
	t.Cleanup(func() {
		if err := h.source.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

// load stores a table of columns "name type"; rows is a SELECT of DuckDB's.
func (h house) load(name, columns, rows string, change ...func(*bqtest.Table)) {
	h.Helper()
	var table bqtest.Table
	for _, c := range strings.Split(columns, "; ") {
		name, typ, _ := strings.Cut(c, " ")
		table.Columns = append(table.Columns, bqtest.Column{Name: name, Type: typ})
	}
	for _, c := range change {
		c(&table)
	}
	h.server.Load(h, name, table, rows)
}

// numbers is a table of n from 0, and text.
func (h house) numbers(rows int) {
	h.Helper()
	h.load("numbers", "n INT64; text STRING", fmt.Sprintf("SELECT range, 'text ' || range FROM range(%d)", rows))
}

// scan is a request for columns of a table.
func (h house) scan(table string, columns []string, where string) source.Scan {
	h.Helper()
	scan := source.Scan{Relation: source.Relation{Name: table}, Select: columns}
	if where != "" {
		schema, err := h.source.Schema(h.Context(), scan.Relation)
		if err != nil {
			h.Fatal(err)
		}
		typed, err := predicate.NewSchema(predicate.GoogleSQL, schema.Columns)
		if err != nil {
			h.Fatal(err)
		}
		if scan.Where, err = predicate.Parse(predicate.GoogleSQL, where, typed.WithPseudoColumns(schema.Pseudo)); err != nil {
			h.Fatal(err)
		}
	}
	return scan
}

// rows runs a scan and shows its rows as text.
func (h house) rows(scan source.Scan) ([]string, error) {
	r, err := h.source.Scan(h.Context(), scan)
	if err != nil {
		return nil, err
	}
	return enginetest.Rows(r)
}

func (h house) want(scan source.Scan, want ...string) {
	h.Helper()
	got, err := h.rows(scan)
	if slices.Sort(got); err != nil || !slices.Equal(got, want) {
		h.Errorf("rows %q, %v; want %q", got, err, want)
	}
}

// fails wants an error of code and kind.
func (h house) fails(what string, err error, code api.Code, kind string) {
	h.Helper()
	e, ok := err.(*api.Error)
	if !ok || e.Code != code || e.Kind != kind || e.Hint == "" && code != api.CodeQueryFailed {
		h.Errorf("%s: got %v (%+v), want %s of kind %s with a hint", what, err, e, code, kind)
	}
}

func TestJobsAreBoundAndLabelled(t *testing.T) {
	h := newHouse(t)
	h.numbers(3)
	scan := h.scan("numbers", []string{"n"}, "n > 0")
	most := int64(20 << 20)
	scan.Account = source.Account{MaxBilledBytes: &most, User: "Jana.Nováková@Example.com", Agent: "claude-code/1.0", Session: strings.Repeat("s", 100), RequestID: "R1"}
	h.want(scan, "1", "2")
	if _, err := h.source.Estimate(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	jobs := h.server.Jobs()
	if len(jobs) != 2 || jobs[0].DryRun || !jobs[1].DryRun {
		t.Fatalf("the jobs are %+v", jobs)
	}
	if j := jobs[0]; j.MaxBytesBilled != most || !strings.HasPrefix(j.ID, "da_") {
		t.Errorf("job %s may bill %d bytes", j.ID, j.MaxBytesBilled)
	}
	want := map[string]string{"program": "da", "user": "jana_nov_kov__example_com", "agent": "claude-code_1_0", "session": strings.Repeat("s", 63), "request_id": "r1"}
	for _, j := range jobs {
		if fmt.Sprint(j.Labels) != fmt.Sprint(want) {
			t.Errorf("the labels are %v", j.Labels)
		}
	}
	scan.Account = source.Account{}
	h.want(scan, "1", "2")
	if j := h.server.Jobs()[2]; j.MaxBytesBilled != defaultMaxBytesBilled {
		t.Errorf("without a bound of the request a job may bill %d bytes", j.MaxBytesBilled)
	}
}

// TestBilling holds the estimate of what is billed against what the server
// bills, and that a job which would cost more does not run.
func TestBilling(t *testing.T) {
	h := newHouse(t)
	h.numbers(1000)
	scan := h.scan("numbers", []string{"n"}, "")
	e, err := h.source.Estimate(t.Context(), scan)
	if err != nil || e.ScanBytes == nil || *e.ScanBytes != 8000 || *e.BilledBytes != 10<<20 || *e.ResultRows != 1000 || *e.TableRows != 1000 {
		t.Fatalf("estimate %+v, %v", e, err)
	}
	scan.Account.MaxBilledBytes = e.BilledBytes
	if _, err := h.rows(scan); err != nil {
		t.Errorf("with what was estimated: %v", err)
	}
	less := *e.BilledBytes - 1
	scan.Account.MaxBilledBytes = &less
	_, err = h.rows(scan)
	h.fails("with a byte less", err, api.CodeBudget, api.KindBilledBytes)
	none := int64(0)
	scan.Account.MaxBilledBytes = &none
	_, err = h.rows(scan)
	h.fails("with nothing", err, api.CodeBudget, api.KindBilledBytes)
}

func TestPartitionFilter(t *testing.T) {
	h := newHouse(t)
	h.load("events", "day DATE; n INT64", "SELECT DATE '2026-01-01' + CAST(range AS INTEGER), range FROM range(3)", func(d *bqtest.Table) {
		d.PartitionBy, d.RequirePartitionFilter, d.ClusterBy = "day", true, []string{"n"}
	})
	schema, err := h.source.Schema(t.Context(), source.Relation{Name: "events"})
	if err != nil || !slices.Equal(schema.PartitionBy, []string{"day"}) || !slices.Equal(schema.ClusteredBy, []string{"n"}) {
		t.Errorf("schema %+v, %v", schema, err)
	}
	for _, where := range []string{"", "n = 1", "day = DATE '2026-01-02' OR n = 1"} {
		scan := h.scan("events", []string{"n"}, where)
		_, err := h.rows(scan)
		h.fails("scan, "+where, err, api.CodeQueryFailed, api.KindPartitionFilter)
		_, err = h.source.Estimate(t.Context(), scan)
		h.fails("estimate, "+where, err, api.CodeQueryFailed, api.KindPartitionFilter)
	}
	h.want(h.scan("events", []string{"n"}, "day >= DATE '2026-01-02' AND n > 0"), "1", "2")
}

// TestDeclaredKeysAreKnown reads the constraints that tables.get answers with, as BigQuery
// writes them.
func TestDeclaredKeysAreKnown(t *testing.T) {
	h := newHouse(t)
	name := func(relation string) tableName {
		n, err := h.source.o.name(relation)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	near := name("slots")
	h.load("talks", "day DATE; slot INT64; host STRING", "SELECT DATE '2026-01-01', 1, 'x'", func(d *bqtest.Table) {
		const answer = `{"primaryKey": {"columns": ["day", "slot"]}, "foreignKeys": [
			{"name": "talks.fk$1", "referencedTable": {"projectId": %q, "datasetId": %q, "tableId": "slots"},
			 "columnReferences": [{"referencingColumn": "day", "referencedColumn": "day"}, {"referencingColumn": "slot", "referencedColumn": "no"}]},
			{"name": "talks.fk$2", "referencedTable": {"projectId": "other", "datasetId": "people", "tableId": "hosts"},
			 "columnReferences": [{"referencingColumn": "host", "referencedColumn": "id"}]}]}`
		if err := json.Unmarshal(fmt.Appendf(nil, answer, near.project, near.dataset), &d.Constraints); err != nil {
			t.Fatal(err)
		}
	})
	s, err := h.source.Schema(t.Context(), source.Relation{Name: "talks"})
	want := fmt.Sprintf("[{[%s %s slots] [{day day} {slot no}]} {[other.people.hosts] [{host id}]}]", near, near.dataset+".slots")
	if err != nil || fmt.Sprint(s.ForeignKeys) != want {
		t.Errorf("%v, %v, not %s", s, err, want)
	}
	s, err = h.source.Schema(t.Context(), source.Relation{Name: "talks", Columns: []string{"day", "host"}})
	if err != nil || fmt.Sprint(s.ForeignKeys) != "[{[other.people.hosts] [{host id}]}]" {
		t.Errorf("without the slot: %v, %v", s, err)
	}
}

// ingested is a table of n from 0 to 5, each loaded on a day of January 2026,
// whose queries must say which days.
func (h house) ingested(name string) {
	h.Helper()
	h.load(name, "n INT64", "SELECT range, TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_days(CAST(range AS INTEGER)) FROM range(6)", func(d *bqtest.Table) {
		d.PartitionBy, d.RequirePartitionFilter = bqtest.PartitionTime, true
	})
}

// TestIngestionTime reads a table that is partitioned by when its rows came,
// which only pseudo-columns tell.
func TestIngestionTime(t *testing.T) {
	h := newHouse(t)
	h.ingested("loads")
	schema, err := h.source.Schema(t.Context(), source.Relation{Name: "loads"})
	if err != nil || !slices.Equal(schema.PartitionBy, []string{"_PARTITIONTIME"}) || len(schema.Columns) != 1 || len(schema.Pseudo) != 2 {
		t.Fatalf("schema %+v, %v", schema, err)
	}
	for where, want := range map[string][]string{
		"_PARTITIONDATE = '2026-01-03'":                                                  {"2"},
		"_partitiontime >= TIMESTAMP '2026-01-04 00:00:00+00' AND n <> 4":                {"3", "5"},
		"_PARTITIONDATE BETWEEN '2026-01-02' AND '2026-01-03' OR _PARTITIONTIME IS NULL": nil,
		"_PARTITIONDATE IN ('2026-01-02', '2026-01-06')":                                 {"1", "5"},
		"n = 1": nil,
		"DATE_ADD(_PARTITIONDATE, INTERVAL n DAY) = DATE '2026-01-05'": nil,
	} {
		scan := h.scan("loads", []string{"n"}, where)
		if want != nil {
			h.want(scan, want...)
			continue
		}
		_, err := h.rows(scan)
		h.fails(where, err, api.CodeQueryFailed, api.KindPartitionFilter)
	}
	last := h.scan("loads", []string{"n"}, "_PARTITIONDATE >= '2026-01-02'")
	two := int64(2)
	last.OrderBy, last.Limit = []predicate.Order{{Column: "_PARTITIONTIME", Desc: true}}, &two
	if got, err := h.rows(last); err != nil || !slices.Equal(got, []string{"5", "4"}) {
		t.Errorf("the last two are %q, %v", got, err)
	}
	// Selected under its name it would be refused by BigQuery.
	named := h.scan("loads", []string{"_PARTITIONDATE"}, "_PARTITIONDATE = '2026-01-03'")
	if _, err := h.rows(named); !api.CodeUnknownColumn.Is(err) {
		t.Errorf("selected: %v", err)
	}
	sample, err := h.source.Sample(t.Context(), last.Relation, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := enginetest.Rows(sample); err != nil || !slices.Equal(got, []string{"0", "1"}) {
		t.Errorf("the sample is %q, %v", got, err)
	}
	// Who was given columns by their names was not given these.
	part := last
	part.Relation.Columns = []string{"n"}
	if _, err := h.rows(part); !api.CodeUnknownColumn.Is(err) {
		t.Errorf("with columns: %v", err)
	}
	if schema, err := h.source.Schema(t.Context(), part.Relation); err != nil || len(schema.Pseudo)+len(schema.PartitionBy) != 0 {
		t.Errorf("with columns the schema is %+v, %v", schema, err)
	}
	// A rule on them chooses partitions, too.
	ruled := h.scan("loads", []string{"n"}, "10 / (n - 1) > 0")
	ruled.Relation.Rule = h.scan("loads", nil, "_PARTITIONDATE > '2026-01-04'").Where
	h.want(ruled, "4", "5")
}

func TestRefusedTable(t *testing.T) {
	h := newHouse(t)
	h.numbers(3)
	scan := h.scan("numbers", []string{"n"}, "n > 0")
	h.server.Deny("numbers")
	_, err := h.rows(scan)
	h.fails("scan", err, api.CodeSource, api.KindAccessDenied)
	if e, ok := err.(*api.Error); ok && !strings.Contains(e.Hint, "BigQuery Data Viewer") {
		t.Errorf("the operator is told %q", e.Hint)
	}
	_, err = h.source.Estimate(t.Context(), scan)
	h.fails("estimate", err, api.CodeSource, api.KindAccessDenied)
	_, err = h.source.Sample(t.Context(), scan.Relation, 5)
	h.fails("sample", err, api.CodeSource, api.KindAccessDenied)
}

// TestView reads a view: it has no rows of its own to count or to list.
func TestView(t *testing.T) {
	h := newHouse(t)
	h.numbers(5)
	h.load("top", "n INT64", "", func(d *bqtest.Table) { d.View = "SELECT n FROM web.numbers WHERE n > 2" })
	schema, err := h.source.Schema(t.Context(), source.Relation{Name: "top"})
	if err != nil || schema.RowCount != nil || schema.SizeBytes != nil || schema.Version != "" {
		t.Errorf("schema %+v, %v", schema, err)
	}
	h.want(h.scan("top", []string{"n"}, "n < 9"), "3", "4")
	e, err := h.source.Estimate(t.Context(), h.scan("top", []string{"n"}, ""))
	if err != nil || e.ScanBytes == nil || *e.ScanBytes != 40 || e.ResultRows != nil || e.TableRows != nil {
		t.Errorf("estimate %+v, %v", e, err)
	}
	h.load("stored", "n INT64", "", func(d *bqtest.Table) { d.View, d.Materialized = "SELECT n FROM web.numbers WHERE n > 2", true })
	h.load("outside", "n INT64", "SELECT 3", func(d *bqtest.Table) { d.External = true })
	for _, name := range []string{"top", "stored", "outside"} {
		_, err = h.source.Sample(t.Context(), source.Relation{Name: name}, 5)
		h.fails("sample of "+name, err, api.CodeQueryFailed, "view")
		if name != "top" {
			h.want(h.scan(name, []string{"n"}, "n < 4"), "3")
		}
	}
}

// TestHiddenRowsAreNotEvaluated lets a predicate fail on rows that a rule
// hides: nothing of it may be seen, in rows or in errors.
func TestHiddenRowsAreNotEvaluated(t *testing.T) {
	h := newHouse(t)
	h.numbers(5)
	scan := h.scan("numbers", []string{"n"}, "10 / (n - 1) > 4")
	scan.Relation.Rule = h.scan("numbers", nil, "n >= 2").Where
	h.want(scan, "2", "3")
	if sql := h.server.Jobs()[0].SQL; !strings.Contains(sql, " AND IF((`n` >= 2), (") || !strings.HasSuffix(sql, "), FALSE)") {
		// The test server would keep to the order of an AND; BigQuery promises none.
		t.Errorf("nothing keeps the predicate from hidden rows: %s", sql)
	}
	scan.Relation.Rule = h.scan("numbers", nil, "n >= 1").Where
	_, err := h.rows(scan)
	if !api.CodeQueryFailed.Is(err) || strings.Contains(err.Error(), "division") {
		t.Errorf("among visible rows: %v", err)
	}
	simple := h.scan("numbers", []string{"n"}, "n < 3")
	simple.Relation.Rule = scan.Relation.Rule
	h.want(simple, "1", "2")
	jobs := h.server.Jobs()
	if sql := jobs[len(jobs)-1].SQL; strings.Contains(sql, "IF(") {
		t.Errorf("a comparison that cannot fail is hidden from partition pruning: %s", sql)
	}
}

// TestTypesThatDoNotTravel reads them as text, with a warning.
func TestTypesThatDoNotTravel(t *testing.T) {
	h := newHouse(t)
	h.load("odd", "big BIGNUMERIC; rec STRUCT<b BIGNUMERIC,n NUMERIC,i INT64,s STRING,y BYTES,d DATE,o BOOL,l ARRAY<INT64>>; iv INTERVAL; geo GEOGRAPHY; nums ARRAY<INT64>; recs ARRAY<STRUCT<x INT64,y STRING>>",
		`SELECT '0.00000000000000000000000000000000000001',
			{'b': '5', 'n': 1.5, 'i': 9007199254740993, 's': 'a"<' || chr(10), 'y': '\xFF'::BLOB, 'd': DATE '2026-01-01', 'o': NULL, 'l': [1, 2]}, to_months(14) + to_days(-3), 'POINT(1 2)', [1, 2], [{'x': 1, 'y': 'a'}, {'x': NULL, 'y': 'b'}]`)
	scan := h.scan("odd", []string{"big", "rec", "iv", "geo", "nums", "recs"}, "")
	want := `0.00000000000000000000000000000000000001|{"b":5,"n":"1.5","i":"9007199254740993","s":"a\"<\n","y":"/w==","d":"2026-01-01","o":null,"l":[1,2]}|14 months -3 days 0 microseconds|POINT(1 2)|[1,2]|[{"x":1,"y":"a"},{"x":null,"y":"b"}]`
	h.want(scan, want)
	r, err := h.source.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	warnings := (&api.Stream{Batches: r}).Caveats()
	r.Release()
	if len(warnings) != 3 {
		t.Errorf("the warnings are %q", warnings)
	}
	sample, err := h.source.Sample(t.Context(), scan.Relation, 5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := enginetest.Rows(sample)
	if err != nil || !slices.Equal(got, []string{want}) {
		t.Errorf("the sample is %q, %v", got, err)
	}
}

func TestNames(t *testing.T) {
	o := Options{Project: "p", Dataset: "d"}
	for text, want := range map[string]string{"t": "p.d.t", "x.t": "p.x.t", "o-1.x.t": "o-1.x.t", "corp.com:o.x.t": "corp.com:o.x.t", "events_*": "p.d.events_*"} {
		if n, err := o.name(text); err != nil || n.String() != want {
			t.Errorf("%s is %s, %v; want %s", text, n, err, want)
		}
	}
	for _, text := range []string{"", ".", "x.", ".t", "a..t", "t`; SELECT 1", `t\`, "..t"} {
		if n, err := o.name(text); err == nil {
			t.Errorf("%q is taken for %s", text, n)
		}
	}
	if n, err := (Options{Project: "p"}).name("t"); err == nil {
		t.Errorf("without a dataset t is %s", n)
	}
}

func TestEndpoints(t *testing.T) {
	for _, o := range []Options{{}, {Project: "p", Endpoint: "bigquery.example.com"}, {Project: "p", Endpoint: "ftp://x"}, {Project: "p", Endpoint: "http://x", CredentialsFile: "key.json"}} {
		if _, err := Open(o); !api.CodeConfig.Is(err) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestKeyFileThatIsGone holds that a key file which was taken away after the start
// is named by its field, to the operator by its path too, and that what is in it
// is told to nobody.
func TestKeyFileThatIsGone(t *testing.T) {
	file, secret := wrongKey(t, "http://127.0.0.1:1/token")
	b := open(t, Options{Project: "p", Dataset: "d", CredentialsFile: file})
	for _, c := range []struct{ text, cause string }{{"", "is not there"}, {`{"type": "authorized_user", "refresh_token": "` + secret + `"}`, `"authorized_user"`}} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if c.text != "" {
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.Schema(t.Context(), source.Relation{Name: "t"})
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != "credentials" || e.Retryable() || !strings.Contains(e.Message, "credentials_file") || strings.Contains(e.Message+e.Hint, file) ||
			!strings.Contains(e.Hint, api.InServerLog) || !strings.Contains(e.Err.Error(), file) || !strings.Contains(e.Err.Error(), c.cause) || strings.Contains(e.Err.Error(), secret) {
			t.Errorf("%v, because of %v", err, errors.Unwrap(err))
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil { // for the next to remove
			t.Fatal(err)
		}
	}
}

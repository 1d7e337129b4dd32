package iceberg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/sourcetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// planner is a catalog that plans scans: each task names the next one and has one file,
// and a plan is asked for twice until it is complete.
type planner struct {
	t    *testing.T
	dir  string
	busy bool // no plan is ever complete
	// spoil changes each answer with tasks; endless has each name a further one.
	spoil   func(object)
	endless bool
	poll    func()
	lends   func() []object // the keys that a plan has; nil: none

	mu                   sync.Mutex
	plans                map[string][]object // tasks, by the plan's number
	asked, tasks, cancel int
}

func (p *planner) before(rest *opentables.REST) string {
	rest.Plans = true
	p.plans = map[string][]object{}
	return before(p.t, rest.URL, func(w http.ResponseWriter, path []string, r *http.Request) bool {
		var in struct {
			Snapshot int64  `json:"snapshot-id"`
			Task     string `json:"plan-task"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in) // some have no body
		p.mu.Lock()
		defer p.mu.Unlock()
		if path[1] == "credentials" {
			if p.lends == nil || p.plans[r.FormValue("planId")] == nil {
				return false
			}
			_ = json.NewEncoder(w).Encode(object{"storage-credentials": p.lends()})
			return true
		}
		_ = json.NewEncoder(w).Encode(p.answer(r.Method, path, in.Snapshot, in.Task))
		return true
	})
}

// before starts a server before a catalog, and returns its address. It answers what is asked
// for below tables; what it does not answer goes to the catalog.
func before(t *testing.T, uri string, answer func(w http.ResponseWriter, path []string, r *http.Request) bool) string {
	target, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, below, _ := strings.Cut(r.URL.Path, "/tables/")
		if path := strings.Split(below, "/"); len(path) < 2 || !answer(w, path, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (p *planner) answer(method string, path []string, snapshot int64, task string) object {
	switch {
	case method == http.MethodDelete:
		p.cancel++
		return nil
	case path[1] == "tasks":
		p.tasks++
		var n int
		id, _, _ := strings.Cut(task, "/")
		_, _ = fmt.Sscanf(task, id+"/%d", &n)
		out := p.plans[id][n]
		if n+1 < len(p.plans[id]) {
			out["plan-tasks"] = []string{fmt.Sprintf("%s/%d", id, n+1)}
		}
		if p.spoil != nil {
			p.spoil(out)
		}
		if p.endless {
			return object{"plan-tasks": []string{fmt.Sprintf("%s/0/%d", id, p.tasks)}}
		}
		return out
	case len(path) == 2:
		p.asked++
		id := fmt.Sprint("plan ", p.asked)
		p.plans[id] = planOf(p.t, p.dir, path[0], snapshot)
		return object{"status": "submitted", "plan-id": id}
	case p.busy:
		p.poll()
		return object{"status": "submitted"}
	}
	out := object{"status": "completed"}
	if p.lends != nil {
		out["storage-credentials"] = p.lends()
	}
	if len(p.plans[path[2]]) > 0 {
		out["plan-tasks"] = []string{path[2] + "/0"}
	}
	return out
}

// planOf has a table planned here, and writes each file as a task.
func planOf(t *testing.T, dir, table string, snapshot int64) (tasks []object) {
	root, err := listed.NewRoot(dir)
	if err != nil {
		t.Error(err)
		return nil
	}
	file, print, err := newest(root, table)
	if err != nil || print == "" {
		t.Error(err)
		return nil
	}
	m, err := readMetadata(root, table, file)
	if err != nil {
		t.Error(err)
		return nil
	}
	planned, err := m.table(fmt.Sprint(snapshot))
	if err != nil {
		t.Error(err)
		return nil
	}
	all, err := planned.Plan.(*plan).tasks(context.Background(), &listed.Request{Root: root}, func(listed.Group) bool { return true })
	if err != nil {
		t.Error(err)
	}
	for _, task := range all {
		var deletes []object
		var numbers []int
		for _, d := range append(append([]*entry{task.vector}, task.positions...), task.equal...) {
			if d != nil {
				numbers, deletes = append(numbers, len(deletes)), append(deletes, fileOf(m, d))
			}
		}
		tasks = append(tasks, object{"file-scan-tasks": []object{{"data-file": fileOf(m, task.entry), "delete-file-references": numbers}}, "delete-files": deletes})
	}
	return tasks
}

func fileOf(m *metadata, e *entry) object {
	values := []any{}
	for _, part := range (&plan{metadata: m}).spec(e.spec) {
		value := e.partition[part.ID]
		if text, ok := value.([]byte); ok {
			if value = string(text); strings.Contains(e.path, "/part_widened/") {
				value = strings.Trim(literal("decimal(20, 2)", text), "'")
			}
		}
		values = append(values, value)
	}
	return object{"content": []string{"data", "position-deletes", "equality-deletes"}[e.content], "file-path": e.path, "file-format": strings.ToUpper(e.format), "spec-id": e.spec,
		"partition": values, "record-count": e.rows, "file-size-in-bytes": e.size, "referenced-data-file": e.refers, "content-offset": e.at, "content-size-in-bytes": e.length, "equality-ids": e.keys}
}

func (p *planner) open() *listed.Source {
	return catalogOver(p.t, Catalog{URI: p.before(opentables.NewREST(p.t, p.dir)), Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}, p.dir)
}

// TestAnswersOfACatalogThatPlans asks what Spark was asked of tables whose scans only their
// catalog may plan.
func TestAnswersOfACatalogThatPlans(t *testing.T) {
	p := &planner{t: t, dir: opentables.Unpack(t, "iceberg")}
	readable := func(t *testing.T, kind string, visit func(*testing.T, string, opentables.Question)) {
		opentables.Some(t, kind, func(t *testing.T, name string, q opentables.Question) {
			if name != "part_fixed" { // this planner reads manifests, which are not as they say
				visit(t, name, q)
			}
		})
	}
	opentables.Ask(t, readable, p.open(), "iceberg", "a.b.")
	if p.asked < 40 || p.tasks < 2*p.asked {
		t.Errorf("%d plans of %d tasks", p.asked, p.tasks)
	}
}

// TestPartitionsOfACatalogThatPlans reads values of every type that columns have out of the
// partition of a plan: the file lacks these columns. The values are the examples of the table
// specification.
func TestPartitionsOfACatalogThatPlans(t *testing.T) {
	values := []struct{ typ, value, want, other string }{
		{"boolean", `true`, "true", "false"},
		{"int", `34`, "34", "35"}, {"long", `-34`, "-34", "34"},
		{"float", `1.5`, "1.5", ""}, {"double", `-1.25e300`, "-1.25e+300", ""}, {"double", `"NaN"`, "NaN", ""},
		{"date", `"2017-11-16"`, "2017-11-16", "DATE '2017-11-17'"},
		{"time", `"22:31:08.123456"`, "22:31:08.123456", "TIME '22:31:08'"},
		{"timestamp", `"2017-11-16T22:31:08.123456"`, "2017-11-16T22:31:08.123456", "TIMESTAMP '2017-11-16 22:31:08'"},
		{"timestamp", `"1907-11-16T22:31:08"`, "1907-11-16T22:31:08", "TIMESTAMP '1907-11-16 22:31:09'"},
		{"timestamptz", `"2017-11-16T22:31:08.123456+00:00"`, "2017-11-16T22:31:08.123456Z", "TIMESTAMPTZ '2017-11-16 22:31:08+00'"},
		{"timestamp_ns", `"2017-11-16T22:31:08.123456789"`, "2017-11-16T22:31:08.123456789", ""},
		{"string", `"null"`, "null", "'iceber'"},
		{"uuid", `"f79c3e09-677c-4bbd-a479-3f349cb785e7"`, "95w+CWd8S72keT80nLeF5w==", "'f79c3e09-677c-4bbd-a479-3f349cb785e8'"},
		{"fixed[4]", `"000102FF"`, "AAEC/w==", ""}, {"binary", `"000102FF"`, "AAEC/w==", ""},
		{"decimal(9, 2)", `"14.20"`, "14.2", "14.21"}, {"decimal(38, 9)", `"-12345678901234567890123456789.000000001"`,
			"-12345678901234567890123456789.000000001", "0"},
		{"string", `null`, "(null)", ""},
	}
	if v, ok := partitionValue("decimal(9, 2)", json.RawMessage(`"1e999999999"`)); ok {
		t.Errorf("a decimal of a billion digits is %v", v)
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "t")
	fields, spec := []object{{"id": 1, "name": "id", "required": true, "type": "long"}}, []object{}
	var partition []json.RawMessage
	for i, v := range values {
		fields = append(fields, object{"id": i + 2, "name": fmt.Sprint("c", i), "required": false, "type": v.typ})
		spec = append(spec, object{"name": fmt.Sprint("c", i), "transform": "identity", "source-id": i + 2, "field-id": 1000 + i})
		partition = append(partition, json.RawMessage(v.value))
	}
	if err := opentables.WriteIceberg(t.Context(), enginetest.Writer(t), table, sourcetest.Table{Columns: []sourcetest.Column{{Name: "id", Kind: sourcetest.Int}}}, "SELECT 7::BIGINT AS id"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(table, "data/a.parquet"))
	if err = errors.Join(err, opentables.WriteIcebergSnapshot(table, fields, spec, nil)); err != nil {
		t.Fatal(err)
	}
	rest := opentables.NewREST(t, dir)
	rest.Plans = true
	uri := before(t, rest.URL, func(w http.ResponseWriter, _ []string, _ *http.Request) bool {
		file := object{"content": "data", "file-path": "file://" + table + "/data/a.parquet", "file-format": "parquet", "spec-id": 0, "partition": partition,
			"record-count": 1, "file-size-in-bytes": info.Size()}
		_ = json.NewEncoder(w).Encode(object{"status": "completed", "file-scan-tasks": []object{{"data-file": file}}})
		return true
	})
	src := catalogOver(t, Catalog{URI: uri, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret}, dir)
	rel := source.Relation{Name: "a.b.t"}
	schema, err := src.Schema(t.Context(), rel)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(src.Dialect(), schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		name := fmt.Sprint("c", i)
		got, err := enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{name}}))
		if err != nil || got != v.want {
			t.Errorf("%s %s: %q, %v, want %q", v.typ, v.value, got, err, v.want)
		}
		if v.other == "" {
			continue
		}
		where, err := predicate.Parse(src.Dialect(), name+" = "+v.other, typed)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := src.Estimate(t.Context(), source.Scan{Relation: rel, Select: []string{"id"}, Where: where}); err != nil || e.RowsHigh == nil || *e.RowsHigh != 0 {
			t.Errorf("%s = %s: the estimate is %+v, %v: it opens the file of %s", v.typ, v.other, e, err, v.value)
		}
	}
}

// TestPlansThatAreWrong refuses a plan that reads a file twice, or as what it is not, and one
// whose tasks do not end.
func TestPlansThatAreWrong(t *testing.T) {
	p := &planner{t: t, dir: opentables.Unpack(t, "iceberg")}
	src := p.open()
	defer func(most int) { maxPlanTasks = most }(maxPlanTasks)
	wrong := map[string]func(out object){
		"twice": func(out object) {
			out["file-scan-tasks"] = append(out["file-scan-tasks"].([]object), out["file-scan-tasks"].([]object)...)
		},
		"holds no data": func(out object) {
			out["file-scan-tasks"].([]object)[0]["data-file"].(object)["content"] = "position-deletes"
		},
		"no delete file 7":  func(out object) { out["file-scan-tasks"].([]object)[0]["delete-file-references"] = []int{7} },
		"more than 3 tasks": func(out object) { maxPlanTasks, p.endless = 3, true },
		"cannot be read":    func(out object) { out["file-scan-tasks"].([]object)[0]["data-file"].(object)["partition"] = 5 },
	}
	for _, want := range []string{"twice", "holds no data", "no delete file 7", "cannot be read", "more than 3 tasks"} {
		maxPlanTasks, p.endless, p.spoil = 100, false, wrong[want]
		_, err := enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "a.b.plain"}}))
		var said *api.Error
		if !errors.As(err, &said) || !strings.Contains(fmt.Sprint(said.Message, said.Err), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAPlanThatNobodyWaitsFor is cancelled at the catalog.
func TestAPlanThatNobodyWaitsFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &planner{t: t, dir: opentables.Unpack(t, "iceberg"), busy: true, poll: cancel}
	if _, err := p.open().Schema(ctx, source.Relation{Name: "a.b.plain"}); err == nil || p.cancel != 1 {
		t.Errorf("%v, and %d plans are cancelled", err, p.cancel)
	}
}

// TestAnswersOfJavasCatalog asks a catalog that Iceberg's own library serves at
// DA_ICEBERG_CATALOG over the tables of DA_ICEBERG_TABLES, and that is made to say that it
// alone plans.
func TestAnswersOfJavasCatalog(t *testing.T) {
	uri, dir := os.Getenv("DA_ICEBERG_CATALOG"), os.Getenv("DA_ICEBERG_TABLES")
	if uri == "" {
		t.Skip("DA_ICEBERG_CATALOG is not set")
	}
	target, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	var plans atomic.Int64
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/config" {
			_ = json.NewEncoder(w).Encode(object{"overrides": object{planningMode: "server"}})
			return
		}
		if strings.HasSuffix(r.URL.Path, "/plan") {
			plans.Add(1)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	before := opentables.Refused
	t.Cleanup(func() { opentables.Refused = before })
	opentables.Refused = maps.Clone(before)
	// Iceberg 1.12 cannot write a plan of a partition whose transform is void: it answers with
	// "expected = unpartitioned, actual = partitioned".
	opentables.Refused["v1"], opentables.Refused["void_global"] = "cannot be asked", "cannot be asked"
	delete(opentables.Refused, "part_fixed") // the plan has its values as they are
	opentables.Ask(t, opentables.Each, catalogOver(t, Catalog{URI: server.URL}, dir), "iceberg", os.Getenv("DA_ICEBERG_SPACE")+".")
	if n := plans.Load(); n < 100 {
		t.Errorf("the catalog was asked for %d plans", n)
	}
}

package cli

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// collected is what the collector in testdata got.
type collected struct {
	Path, Authorization, Type, Fault string
	Body                             json.RawMessage
}

type collectedSpan struct {
	TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
	Kind                                                                    int
	Attributes                                                              []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
}

func (s *collectedSpan) get(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// startCollector starts a collector in a process of its own.
func startCollector(t *testing.T) (port string, got *bufio.Scanner) {
	t.Helper()
	python, err := filepath.Abs("../.cache/readers/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, python, "a Python with opentelemetry-proto", "make needs")
	cmd := exec.Command(python, "testdata/collector.py")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	got = bufio.NewScanner(out)
	got.Buffer(nil, 16<<20)
	if !got.Scan() {
		t.Fatal("the collector does not start")
	}
	return got.Text(), got
}

// TestACollectorGetsSpansAndFigures reads them with the schema that OpenTelemetry
// publishes: a trace that a caller has begun goes on, the log names it, and no
// statement, value or name of a user is sent.
func TestACollectorGetsSpansAndFigures(t *testing.T) {
	t.Parallel()
	port, got := startCollector(t)
	p := newPlace(t).with("OTLP_HEADERS=authorization=Bearer%20secret%2C1")
	p.instance("metrics: { otlp: 'http://127.0.0.1:" + port + "', otlp_headers_env: OTLP_HEADERS }\nserver: { state_dir: state }")
	cmd, admin := p.server()
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	traced := admin.as("needle@example.com").with("TRACEPARENT=00-" + trace + "-" + parent + "-01")
	traced.ok("query", "--remote", "SELECT count(*) AS needle_of_sql FROM airports")
	if o := traced.run("query", "--remote", "SELECT needle_column FROM airports"); o.code == 0 {
		t.Error("an unknown column was found")
	}
	// One that its beginner does not want to see is passed on, but not sent.
	admin.with("TRACEPARENT=00-11111111111111111111111111111111-" + parent + "-00").ok("whoami")
	req, err := http.NewRequest(http.MethodGet, admin.get("DA_SERVER")+"/healthz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+strings.Repeat("x", 600))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // it sends what it has
		t.Fatal(err)
	}
	_ = cmd.Wait()

	var spans []collectedSpan
	var figures string
	for figures == "" && got.Scan() {
		line := got.Text()
		for _, secret := range []string{"needle", "count(*)", "1111111111", "da_"} {
			if strings.Contains(line, secret) {
				t.Errorf("%s was sent: %.500s", secret, line)
			}
		}
		var c collected
		if err := json.Unmarshal([]byte(line), &c); err != nil || c.Fault != "" || c.Authorization != "Bearer secret,1" || c.Type != "application/json" {
			t.Fatalf("%.500s: %s %v", line, c.Fault, err)
		}
		if c.Path == "/v1/metrics" {
			figures = string(c.Body)
			continue
		}
		var body struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []collectedSpan }
			}
		}
		if err := json.Unmarshal(c.Body, &body); err != nil {
			t.Fatal(err)
		}
		spans = append(spans, body.ResourceSpans[0].ScopeSpans[0].Spans...)
	}
	for _, want := range []string{`"agnes_http_requests_total"`, `"agnes_http_request_seconds"`, `"agnes_v2_scan_latency_seconds"`, `"process_cpu_seconds_total"`, `"bucketCounts"`} {
		if !strings.Contains(figures, want) {
			t.Errorf("no %s in %.2000s", want, figures)
		}
	}
	named := func(name, status string) func(collectedSpan) bool {
		return func(s collectedSpan) bool { return s.Name == name && s.get("http.response.status_code") == status }
	}
	for name, status := range map[string]string{"POST /api/query": "200", "GET /healthz": "200"} {
		if !slices.ContainsFunc(spans, named(name, status)) {
			t.Errorf("no span of %s: %+v", name, spans)
		}
	}
	for _, s := range spans {
		asked := s.Name == "POST /api/query"
		if asked && s.TraceID != trace || s.TraceID == trace && s.ParentSpanID != parent || len(s.TraceID) != 32 || len(s.SpanID) != 16 ||
			s.Kind != 2 || s.get("agnes.request_id") == "" || s.StartTimeUnixNano > s.EndTimeUnixNano {
			t.Errorf("%+v", s)
		}
	}
	if !slices.ContainsFunc(spans, func(s collectedSpan) bool { return s.Name == "POST /api/query" && s.get("error.type") != "" }) {
		t.Errorf("no span says what failed: %+v", spans)
	}
}

package telemetry

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestTracesAreTakenOverAndPassedOn(t *testing.T) {
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for header, valid := range map[string]bool{
		"00-" + id + "-" + parent + "-01": true, "00-" + id + "-" + parent + "-00": true, "cc-" + id + "-" + parent + "-01-later": true,
		"": false, "00-" + id + "-" + parent + "-01-more": false, "ff-" + id + "-" + parent + "-01": false, "00-" + strings.ToUpper(id) + "-" + parent + "-01": false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false, "00-" + id + "-" + strings.Repeat("0", 16) + "-01": false, "00-" + id + "-" + parent + "-1\n": false,
	} {
		tr := Begin(header)
		if (tr.ID == id) != valid || Valid(header) != valid || (tr.Parent != "") != valid || len(tr.ID) != 32 || len(tr.Span) != 16 {
			t.Errorf("%q: %+v", header, tr)
		}
		h := http.Header{}
		Pass(With(t.Context(), tr), h)
		if next := Begin(h.Get(Header)); next.ID != tr.ID || next.Parent != tr.Span || next.sampled() != tr.sampled() || valid && tr.sampled() == strings.HasSuffix(header, "-00") {
			t.Errorf("%q became %q", header, h.Get(Header))
		}
	}
	h := http.Header{}
	if Pass(t.Context(), h); len(h) > 0 {
		t.Errorf("without a trace: %v", h)
	}
}

// TestFigures reads each kind of figures out of the text of /metrics.
func TestFigures(t *testing.T) {
	const text = `# HELP a
# TYPE a counter
a{route="/a \"b\"",status="200"} 3
a{route="/c",status="200"} 4
# TYPE h histogram
h_bucket{route="/a",le="0.1"} 1
h_bucket{route="/a",le="1"} 3
h_bucket{route="/a",le="+Inf"} 4
h_sum{route="/a"} 5.5
h_count{route="/a"} 4
# TYPE s summary
s{quantile="0.5"} 0.25
s_sum 1
s_count 2
# TYPE g gauge
g 7
g{at="none"} NaN
strange
`
	data, err := json.Marshal(metricsOf([]byte(text), time.Unix(1, 0), time.Unix(2, 0)))
	if err != nil {
		t.Fatal(err)
	}
	const times = `"startTimeUnixNano":"1000000000","timeUnixNano":"2000000000"`
	for _, want := range []string{
		`{"asDouble":3,"attributes":[{"key":"route","value":{"stringValue":"/a \"b\""}},{"key":"status","value":{"stringValue":"200"}}],` + times + `}`,
		`"isMonotonic":true`, `"bucketCounts":["1","2","1"],"count":"4","explicitBounds":[0.1,1],"startTimeUnixNano":"1000000000","sum":5.5`,
		`"quantileValues":[{"quantile":0.5,"value":0.25}]`, `"name":"g"`, `"gauge":{"dataPoints":[{"asDouble":7,`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}

// TestACollectorThatIsGoneStopsNobody holds that a full queue loses spans, and that
// shutdown does not wait for an answer.
func TestACollectorThatIsGoneStopsNobody(t *testing.T) {
	var none *Exporter
	none.End(Span{})
	none.Run(t.Context())
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer s.Close()
	defer close(hang)
	e := New(Options{Endpoint: s.URL, Every: time.Hour, Metrics: func() []byte { return nil }})
	for range mostSpans + 10 {
		e.End(Span{Trace: Begin("")})
	}
	if len(e.spans) != mostSpans {
		t.Errorf("%d are held", len(e.spans))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		e.Run(ctx)
		close(ended)
	}()
	cancel()
	<-ended
}

func TestHeaders(t *testing.T) {
	got, err := ParseHeaders("authorization=Bearer%20a%3Db, x-org = 7 ,")
	if err != nil || len(got) != 2 || got["authorization"] != "Bearer a=b" || got["x-org"] != "7" {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"a", "=b", "a=%0d%0ab", "a b=c", "a=%zz", "a(b=c", "é=c", "a=%01", "a=%7f"} {
		if got, err := ParseHeaders(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

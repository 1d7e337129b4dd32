package core

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestNamesOfMetrics holds the names, types and labels that dashboards rely on.
func TestNamesOfMetrics(t *testing.T) {
	m := NewMetrics(true)
	who := Principal{UserID: 7}
	m.running(who, 1)
	m.answered("/api/v2/scan", "POST", 200, 20*time.Millisecond)
	m.failedLogin("")
	bytes := int64(1 << 30)
	r := &record{who: who, start: time.Now()}
	r.event.EventType, r.event.Data.Status, r.event.Data.ResultBytes = api.EventScan, "ok", &bytes
	m.request(r)

	var got []string
	for line := range strings.Lines(string(m.Text())) {
		if strings.Contains(line, "agnes_") {
			got = append(got, line)
		}
	}
	text := strings.Join(got, "")
	i := strings.Index(text, `agnes_v2_scan_latency_seconds{quantile="0.5"}`)
	j := strings.Index(text, "agnes_v2_scan_latency_seconds_count")
	if i < 0 || j < i {
		t.Fatalf("no latency in:\n%s", text)
	}
	latency := text[i:j]
	for _, part := range []string{`{quantile="0.5"} `, `{quantile="0.9"} `, `{quantile="0.99"} `, "_sum "} {
		if strings.Count(latency, "agnes_v2_scan_latency_seconds"+part) != 1 {
			t.Errorf("no %s in:\n%s", part, latency)
		}
	}
	if text[:i]+text[j:] != wantMetrics {
		t.Errorf("the metrics are:\n%s%s\nwant:\n%s", text[:i], text[j:], wantMetrics)
	}
}

const wantMetrics = `# HELP agnes_http_failed_logins_total
# TYPE agnes_http_failed_logins_total counter
agnes_http_failed_logins_total{reason="token_unknown"} 1
# HELP agnes_http_request_seconds
# TYPE agnes_http_request_seconds histogram
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="0.001"} 0
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="0.004"} 0
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="0.016"} 0
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="0.064"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="0.256"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="1.024"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="4.096"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="16.384"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="65.536"} 1
agnes_http_request_seconds_bucket{route="/api/v2/scan",le="+Inf"} 1
agnes_http_request_seconds_sum{route="/api/v2/scan"} 0.02
agnes_http_request_seconds_count{route="/api/v2/scan"} 1
# HELP agnes_http_requests_total
# TYPE agnes_http_requests_total counter
agnes_http_requests_total{method="POST",route="/api/v2/scan",status="200"} 1
# HELP agnes_v2_scan_bytes_total
# TYPE agnes_v2_scan_bytes_total counter
agnes_v2_scan_bytes_total{user="7"} 1073741824
# HELP agnes_v2_scan_concurrent_gauge
# TYPE agnes_v2_scan_concurrent_gauge gauge
agnes_v2_scan_concurrent_gauge{user="7"} 1
# HELP agnes_v2_scan_latency_seconds
# TYPE agnes_v2_scan_latency_seconds summary
agnes_v2_scan_latency_seconds_count 1
# HELP agnes_v2_scan_request_total
# TYPE agnes_v2_scan_request_total counter
agnes_v2_scan_request_total{status="ok",user="7"} 1
`

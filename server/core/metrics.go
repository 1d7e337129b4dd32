package core

import (
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/metrics"
)

// Metrics counts what the server does. Labels come from short lists. User ids are
// a label only if the instance enables that, because ten thousand users make ten
// thousand series.
type Metrics struct {
	registry *metrics.Registry
	perUser  bool

	http       metrics.Number
	httpTime   metrics.Histogram
	logins     metrics.Number
	bytes      metrics.Number
	concurrent metrics.Number
	latency    metrics.Summary
	requests   metrics.Number
}

// NewMetrics returns counters at zero.
func NewMetrics(perUser bool) *Metrics {
	r := &metrics.Registry{}
	return &Metrics{
		registry: r, perUser: perUser,
		logins: r.Counter("agnes_http_failed_logins_total", "Requests without a valid token, by reason.", "reason"),
		httpTime: r.Histogram("agnes_http_request_seconds", "Time of HTTP requests, by route.",
			[]float64{0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384, 65.536}, "route"),
		http:       r.Counter("agnes_http_requests_total", "HTTP requests, by route and status.", "method", "route", "status"),
		bytes:      r.Counter("agnes_v2_scan_bytes_total", "Bytes of results, as Arrow buffers.", "user"),
		concurrent: r.Gauge("agnes_v2_scan_concurrent_gauge", "Scans and remote queries that run.", "user"),
		latency: r.Summary("agnes_v2_scan_latency_seconds", "Time from the request to the end of its result.",
			map[float64]float64{0.5: 0.05, 0.9: 0.01, 0.99: 0.001}),
		requests: r.Counter("agnes_v2_scan_request_total", "Scans and remote queries that have ended, by status.", "status", "user"),
	}
}

// user is the label of a caller: an id that means nothing to others, or "".
func (m *Metrics) user(p Principal) string {
	if !m.perUser || p.UserID == 0 {
		return ""
	}
	return strconv.FormatInt(p.UserID, 10)
}

// request counts a completed call.
func (m *Metrics) request(r *record) {
	if r.event.EventType != api.EventScan && r.event.EventType != api.EventQuery {
		return
	}
	m.requests.Add(1, r.event.Data.Status, m.user(r.who))
	if n := r.event.Data.ResultBytes; n != nil {
		m.bytes.Add(float64(*n), m.user(r.who))
	}
	m.latency.Observe(time.Since(r.start).Seconds())
}

func (m *Metrics) running(p Principal, delta float64) {
	m.concurrent.Add(delta, m.user(p))
}

// answered counts an HTTP request.
func (m *Metrics) answered(route, method string, status int, took time.Duration) {
	m.http.Add(1, method, route, strconv.Itoa(status))
	m.httpTime.Observe(took.Seconds(), route)
}

func (m *Metrics) failedLogin(reason string) {
	if reason == "" {
		reason = "token_unknown"
	}
	m.logins.Add(1, reason)
}

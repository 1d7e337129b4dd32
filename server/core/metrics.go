package core

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/agnes-data/da/api"
)

// Metrics counts what the server does. Labels come from short lists. User ids are
// a label only if the instance enables that, because ten thousand users make ten
// thousand series.
type Metrics struct {
	registry *prometheus.Registry
	perUser  bool

	requests   *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	latency    *prometheus.SummaryVec
	concurrent *prometheus.GaugeVec
	http       *prometheus.CounterVec
	httpTime   *prometheus.HistogramVec
	logins     *prometheus.CounterVec
}

// NewMetrics returns counters at zero.
func NewMetrics(perUser bool) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), perUser: perUser}
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "agnes_v2_scan_request_total", Help: "Scans and remote queries that have ended, by status.",
	}, []string{"status", "user"})
	m.bytes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "agnes_v2_scan_bytes_total", Help: "Bytes of results, as Arrow buffers.",
	}, []string{"user"})
	m.latency = prometheus.NewSummaryVec(prometheus.SummaryOpts{
		Name: "agnes_v2_scan_latency_seconds", Help: "Time from the request to the end of its result.",
		Objectives: map[float64]float64{0.5: 0.05, 0.9: 0.01, 0.99: 0.001}, MaxAge: 10 * time.Minute,
	}, nil)
	m.concurrent = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "agnes_v2_scan_concurrent_gauge", Help: "Scans and remote queries that run.",
	}, []string{"user"})
	m.http = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "agnes_http_requests_total", Help: "HTTP requests, by route and status.",
	}, []string{"route", "method", "status"})
	m.httpTime = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "agnes_http_request_seconds", Help: "Time of HTTP requests, by route.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
	}, []string{"route"})
	m.logins = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "agnes_http_failed_logins_total", Help: "Requests without a valid token, by reason.",
	}, []string{"reason"})
	m.registry.MustRegister(m.requests, m.bytes, m.latency, m.concurrent, m.http, m.httpTime, m.logins,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
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
	m.requests.WithLabelValues(r.event.Data.Status, m.user(r.who)).Inc()
	if n := r.event.Data.ResultBytes; n != nil {
		m.bytes.WithLabelValues(m.user(r.who)).Add(float64(*n))
	}
	m.latency.WithLabelValues().Observe(time.Since(r.start).Seconds())
}

func (m *Metrics) running(p Principal, delta float64) {
	m.concurrent.WithLabelValues(m.user(p)).Add(delta)
}

// answered counts an HTTP request.
func (m *Metrics) answered(route, method string, status int, took time.Duration) {
	m.http.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.httpTime.WithLabelValues(route).Observe(took.Seconds())
}

func (m *Metrics) failedLogin(reason string) {
	if reason == "" {
		reason = "token_unknown"
	}
	m.logins.WithLabelValues(reason).Inc()
}

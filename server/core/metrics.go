package core

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/agnes-data/da/api"
)

// Metrics counts what the server does. Labels come from short lists. User ids are
// a label only if the instance enables that, because ten thousand users make ten
// thousand series.
type Metrics struct {
	set     *metrics.Set
	latency *metrics.Summary
	perUser bool
}

// requestSeconds are the upper bounds of the times of requests.
var requestSeconds = []float64{0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384, 65.536}

// NewMetrics returns counters at zero.
func NewMetrics(perUser bool) *Metrics {
	set := metrics.NewSet()
	return &Metrics{
		set: set, perUser: perUser,
		latency: set.NewSummaryExt("agnes_v2_scan_latency_seconds", 10*time.Minute, []float64{0.5, 0.9, 0.99}),
	}
}

// Text returns all figures as they are now, those of the process included, in the
// text format of Prometheus.
func (m *Metrics) Text() []byte {
	var out bytes.Buffer
	metrics.ExposeMetadata(true)
	m.set.WritePrometheus(&out)
	metrics.WriteProcessMetrics(&out)
	return out.Bytes()
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
	m.set.GetOrCreateCounter(fmt.Sprintf("agnes_v2_scan_request_total{status=%q,user=%q}", r.event.Data.Status, m.user(r.who))).Inc()
	if n := r.event.Data.ResultBytes; n != nil {
		m.set.GetOrCreateCounter(fmt.Sprintf("agnes_v2_scan_bytes_total{user=%q}", m.user(r.who))).AddInt64(*n)
	}
	m.latency.UpdateDuration(r.start)
}

// running counts a scan or remote query that begins (1) or ends (-1).
func (m *Metrics) running(p Principal, delta float64) {
	m.set.GetOrCreateGauge(fmt.Sprintf("agnes_v2_scan_concurrent_gauge{user=%q}", m.user(p)), nil).Add(delta)
}

// answered counts an HTTP request.
func (m *Metrics) answered(route, method string, status int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf("agnes_http_requests_total{method=%q,route=%q,status=\"%d\"}", method, route, status)).Inc()
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("agnes_http_request_seconds{route=%q}", route), requestSeconds).Update(took.Seconds())
}

func (m *Metrics) failedLogin(reason string) {
	if reason == "" {
		reason = "token_unknown"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("agnes_http_failed_logins_total{reason=%q}", reason)).Inc()
}

package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Exporter sends spans and figures to a collector. A nil one sends nothing.
type Exporter struct {
	o       Options
	spans   chan span
	started time.Time
	client  *http.Client
}

// Options say where the collector is.
type Options struct {
	Endpoint string            // as in http://127.0.0.1:4318
	Headers  map[string]string // sent with each request, such as a key
	Every    time.Duration     // how often figures are sent
	Metrics  func() []byte     // in the text format of Prometheus
	Log      *slog.Logger
}

// Limits of what waits for the collector, and of the time to send it.
const (
	mostSpans   = 4096
	batchSpans  = 512
	spansEvery  = 5 * time.Second
	sendTimeout = 10 * time.Second
)

// New returns an exporter. Run makes it send.
func New(o Options) *Exporter {
	return &Exporter{
		o: o, spans: make(chan span, mostSpans), started: time.Now(),
		client: &http.Client{Timeout: sendTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// ParseHeaders reads headers as OpenTelemetry's variables have them: name=value, with
// commas between.
func ParseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("it is not name=value, with commas between")
		}
		headers[name] = value
	}
	return headers, nil
}

// Span is a request that has ended.
type Span struct {
	Trace
	Method, Route, Request, Code string // Code is the error's; empty: none
	Status                       int
	Start                        time.Time
	Took                         time.Duration
}

// End hands a span over. It never waits.
func (e *Exporter) End(s Span) {
	if e == nil || !s.sampled() {
		return
	}
	select {
	case e.spans <- s.wire():
	default: // the queue is full: the span is lost, as no request may wait for the collector
	}
}

// Run sends until ctx ends, and then what is left.
func (e *Exporter) Run(ctx context.Context) {
	if e == nil {
		return
	}
	flush, measure := time.NewTicker(spansEvery), time.NewTicker(e.o.Every)
	defer flush.Stop()
	defer measure.Stop()
	var batch []span
	for {
		select {
		case s := <-e.spans:
			if batch = append(batch, s); len(batch) < batchSpans {
				continue
			}
		case <-flush.C:
		case <-measure.C:
			e.sendMetrics(ctx)
			continue
		case <-ctx.Done():
			ctx, end := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout/2)
			defer end()
			for len(e.spans) > 0 {
				batch = append(batch, <-e.spans)
			}
			e.sendSpans(ctx, batch)
			e.sendMetrics(ctx)
			return
		}
		e.sendSpans(ctx, batch)
		batch = batch[:0]
	}
}

func (e *Exporter) sendSpans(ctx context.Context, batch []span) {
	if len(batch) == 0 {
		return
	}
	e.send(ctx, "/v1/traces", map[string]any{"resourceSpans": []any{map[string]any{
		"resource": resource(), "scopeSpans": []any{map[string]any{"scope": scope(), "spans": batch}},
	}}})
}

func (e *Exporter) sendMetrics(ctx context.Context) {
	e.send(ctx, "/v1/metrics", map[string]any{"resourceMetrics": []any{map[string]any{
		"resource": resource(), "scopeMetrics": []any{map[string]any{
			"scope": scope(), "metrics": metricsOf(e.o.Metrics(), e.started, time.Now()),
		}},
	}}})
}

// send tries once. Some telemetry may be lost; a server must not keep it for a collector
// that is gone. What is sent is in no log.
func (e *Exporter) send(ctx context.Context, path string, v any) {
	body, err := json.Marshal(v)
	if err == nil {
		err = e.post(ctx, path, body)
	}
	if err != nil && ctx.Err() == nil {
		e.o.Log.Warn("the collector of telemetry took nothing", "path", path, "cause", err.Error())
	}
}

func (e *Exporter) post(ctx context.Context, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.o.Endpoint, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range e.o.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, 1<<16) // so that the connection can be used again
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}

func (s *Span) wire() span {
	const server, failed = 2, 2
	w := span{
		TraceID: s.ID, SpanID: s.Trace.Span, Parent: s.Parent, Name: s.Method + " " + s.Route, Kind: server,
		Start: nanoseconds(s.Start), End: nanoseconds(s.Start.Add(s.Took)),
		Attributes: []attribute{
			textAttribute("http.request.method", s.Method), textAttribute("http.route", s.Route), textAttribute("agnes.request_id", s.Request),
			{"http.response.status_code", map[string]any{"intValue": strconv.Itoa(s.Status)}},
		},
	}
	if s.Code != "" {
		w.Attributes = append(w.Attributes, textAttribute("error.type", s.Code))
	}
	if s.Status >= http.StatusInternalServerError {
		w.Status = map[string]int{"code": failed}
	}
	return w
}

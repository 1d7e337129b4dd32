// Package telemetry sends a span for each request, and the figures of /metrics, to a
// collector by OpenTelemetry's protocol. It sends no statements, values or names of
// users, and nothing at all unless an instance names a collector.
package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

// Header is the HTTP header that carries a trace, by W3C's Trace Context. Variable is the
// environment variable that carries one to a command.
const (
	Header   = "Traceparent"
	Variable = "TRACEPARENT"
)

// Trace is a request's place in a trace.
type Trace struct {
	ID     string // of the trace, 32 hex digits
	Span   string // of this request, 16
	Parent string // of who asked; empty: this is where the trace begins
	flags  string
}

// Begin takes a trace over from a header, or begins one.
func Begin(header string) Trace {
	t := Trace{Span: random(8)}
	id, parent, flags, ok := parse(header)
	if !ok {
		t.ID, t.flags = random(16), "01"
		return t
	}
	t.ID, t.Parent, t.flags = id, parent, flags
	return t
}

// Valid reports whether a header can be passed on.
func Valid(header string) bool {
	_, _, _, ok := parse(header)
	return ok
}

func parse(header string) (id, parent, flags string, ok bool) {
	parts := strings.Split(header, "-")
	if len(header) > 512 || len(parts) < 4 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 {
		return "", "", "", false
	}
	for i, digits := range []int{2, 32, 16, 2} {
		if len(parts[i]) != digits || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return "", "", "", false
		}
	}
	ok = strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
	return parts[1], parts[2], parts[3], ok
}

// sampled reports whether who began the trace wants to see it.
func (t Trace) sampled() bool {
	b, err := hex.DecodeString(t.flags)
	return err == nil && len(b) == 1 && b[0]&1 == 1
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

type key struct{}

// With returns a context whose requests to others belong to the trace.
func With(ctx context.Context, t Trace) context.Context { return context.WithValue(ctx, key{}, t) }

// Pass adds the trace of ctx to a request, if there is one.
func Pass(ctx context.Context, h http.Header) {
	if t, ok := ctx.Value(key{}).(Trace); ok && t.ID != "" {
		h.Set(Header, "00-"+t.ID+"-"+t.Span+"-"+t.flags)
	}
}

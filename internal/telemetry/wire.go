package telemetry

import (
	"strconv"
	"time"

	"github.com/agnes-data/da/internal/build"
)

// span is a span as the protocol has it in JSON.
type span struct {
	TraceID    string         `json:"traceId"`
	SpanID     string         `json:"spanId"`
	Parent     string         `json:"parentSpanId,omitempty"`
	Name       string         `json:"name"`
	Kind       int            `json:"kind"`
	Start      string         `json:"startTimeUnixNano"`
	End        string         `json:"endTimeUnixNano"`
	Attributes []attribute    `json:"attributes"`
	Status     map[string]int `json:"status"`
}

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

func textAttribute(key, value string) attribute {
	return attribute{key, map[string]any{"stringValue": value}}
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func resource() map[string]any {
	version := textAttribute("service.version", build.Current().Version)
	return map[string]any{"attributes": []attribute{textAttribute("service.name", "da"), version}}
}

func scope() map[string]any { return map[string]any{"name": "da"} }

func (a attribute) same(b attribute) bool {
	return a.Key == b.Key && a.Value["stringValue"] == b.Value["stringValue"]
}

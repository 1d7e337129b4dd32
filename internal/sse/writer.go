package sse

import (
	"net/http"
	"time"
)

// Heartbeat is how often a stream on which nothing happens says that it lives.
const Heartbeat = 15 * time.Second

// Writer writes a stream of events as the answer to a request.
type Writer struct {
	W http.ResponseWriter
	// Err is what ended the stream; what is written after it is dropped.
	Err   error
	begun bool
}

// Write sends a text at once. The first one begins the answer.
func (o *Writer) Write(text string) {
	if o.Err != nil {
		return
	}
	if !o.begun {
		o.begun = true
		h := o.W.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		o.W.WriteHeader(http.StatusOK)
	}
	if _, o.Err = o.W.Write([]byte(text)); o.Err == nil {
		o.Err = http.NewResponseController(o.W).Flush()
	}
}

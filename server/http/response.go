package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/telemetry"
	"github.com/agnes-data/da/server/fault"
)

// headerBuffering tells a reverse proxy whether to buffer a response.
const headerBuffering = "X-Accel-Buffering"

// writePiece is the size in bytes of a piece of a response that has its own
// deadline.
const writePiece = 256 << 10

const cutEvery = 100 * time.Millisecond

// response is a ResponseWriter that tracks what it has sent, and does not wait
// for ever for a slow client.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration // for one piece
	id      string
	route   string
	user    string
	trace   telemetry.Trace   // without an ID: nobody asks for one
	before  func(http.Header) // called before the header is sent; may be nil
	err     error             // what the route returned
	told    error             // an error that a door has told in its own way
	status  int               // 0: nothing sent yet
	bytes   int64             // of the body
	coding  string            // encoding that the body may use; may be empty
	framed  bool              // HTTP/2, where a deadline that passes ends a stream that waits, too
	plain   *plainError       // an error that a library has written in place of ours
}

// plainError is an error that a library writes as text, such as net/http for an
// invalid range. It is held back and sent as JSON instead.
type plainError struct {
	status int
	text   []byte
}

// maxPlain limits the text that is kept.
const maxPlain = 1000

// isPlain reports whether a response with this status is such an error.
func (w *response) isPlain(status int) bool {
	return status >= http.StatusBadRequest && w.status == 0 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
}

// failure returns the error in our vocabulary; nil if there was no error.
func (p *plainError) failure() error {
	if p == nil {
		return nil
	}
	text := strings.TrimSpace(string(p.text))
	if p.status >= http.StatusInternalServerError {
		return errors.New(text) // for the log
	}
	return &api.Error{Code: api.CodeBadRequest, Message: cmp.Or(text, http.StatusText(p.status))}
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.isPlain(status) {
		w.plain = &plainError{status: status}
		return
	}
	if status >= http.StatusOK && w.status == 0 {
		w.status = status
		if w.before != nil {
			w.before(w.Header())
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. It splits large writes into pieces, each
// with its own deadline, so that a slow link is not mistaken for a dead one.
func (w *response) Write(p []byte) (int, error) {
	if w.plain != nil && w.status == 0 {
		w.plain.text = append(w.plain.text, p[:min(len(p), maxPlain-len(w.plain.text))]...)
		return len(p), nil
	}
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	done := 0
	defer w.rest()
	for {
		w.extend()
		n, err := w.ResponseWriter.Write(p[done:min(done+writePiece, len(p))])
		done += n
		w.bytes += int64(n)
		if err != nil || done == len(p) {
			return done, err
		}
	}
}

// extend renews the deadline for the next piece. It ignores writers without
// deadlines, as in some tests.
func (w *response) extend() { _ = w.control.SetWriteDeadline(time.Now().Add(w.limit)) }

// cutOnce ends writes to a client that does not read, once gone is closed, until ctx is
// done.
func (w *response) cutOnce(ctx context.Context, gone <-chan struct{}) {
	select {
	case <-gone:
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(cutEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = w.control.SetWriteDeadline(time.Now()) // a write that begins now has set another
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// rest ends the deadline of the last piece where it would pass while nothing is
// written.
func (w *response) rest() {
	if w.framed {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}

// flush sends what is buffered. If the client has gone away, the next write
// fails.
func (w *response) flush() {
	w.extend()
	_ = w.control.Flush()
	w.rest()
}

// Told notes an error that a door has told in its own way.
func (w *response) Told(err error) { w.told = err }

// Unwrap lets http.ResponseController find the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// json sends v as the whole response.
func (w *response) json(status int, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	body, err := w.pack(status, &b)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // ignore a client that has gone away
	return nil
}

// fail sends err as the whole response.
func (w *response) fail(err error) {
	e := *fault.Visible(err)
	e.RequestID = w.id
	h := w.Header()
	// Headers that a route set for its result do not apply to an error.
	for _, name := range []string{
		"Trailer", headerBuffering, "ETag", "Content-Length", "Content-Disposition",
		wire.HeaderEffectiveAsOf, wire.HeaderOrdered,
	} {
		h.Del(name)
	}
	switch e.Code {
	case api.CodeUnauthorized:
		challenge := `Bearer realm="agnes"`
		if e.Kind != api.KindTokenMissing {
			challenge += `, error="invalid_token"`
		}
		h.Set("WWW-Authenticate", challenge)
		if seconds, ok := retryAfter(e.Details); ok {
			h.Set("Retry-After", strconv.FormatInt(seconds, 10))
		}
	case api.CodeQuota, api.CodeBudget, api.CodeUnavailable:
		if seconds, ok := retryAfter(e.Details); ok {
			h.Set("Retry-After", strconv.FormatInt(seconds, 10))
		}
	}
	status := statusOf(&e)
	if w.plain != nil && w.err == nil {
		status = w.plain.status
	}
	if jsonErr := w.json(status, e.Body()); jsonErr != nil {
		// Details that cannot be encoded are a bug of ours; send the error
		// without them.
		e.Details = nil
		_ = w.json(status, e.Body())
	}
}

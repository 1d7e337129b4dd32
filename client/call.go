package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/telemetry"
)

// request is one request to the server. All requests take the same path: send,
// once, failure.
type request struct {
	method string
	path   []string // unescaped segments
	query  url.Values
	body   any // encoded as JSON; nil: no body
	accept string
	header map[string]string // additional headers
	// again says that the request may be sent twice, because it changes nothing
	// and costs nothing. Other requests are repeated only if they cannot have
	// reached a server.
	again bool
	// packed says that the answer may be compressed.
	packed bool
	// onQueue, if set, is told the place of the request in the server's queue.
	onQueue func(place int)
	// long says that the server may take long before it answers.
	long bool
}

// maxInterim is how many interim responses a server may send. Ours sends one
// every 15 s.
const maxInterim = 10_000

// errInterim ends a request after too many interim responses.
var errInterim = errors.New("too many interim responses")

// answer is a response with a status of success. Its body must be closed.
type answer struct {
	header http.Header
	body   *watchedBody
}

// send repeats the request until it gets a usable answer or a retry cannot help.
// use reads the answer and closes its body.
func (c *Client) send(ctx context.Context, r request, use func(*answer) *failure) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return &api.Error{Code: api.CodeUnexpected, Message: "cannot encode the request", Err: err}
		}
	}
	for try := 1; ; try++ {
		a, failed := c.once(ctx, r, body)
		if failed == nil {
			failed = use(a)
		}
		if failed == nil {
			return nil
		}
		pause, again := failed.retry(r.again, try)
		if !again || ctx.Err() != nil {
			return failed.err
		}
		if err := c.wait(ctx, pause); err != nil {
			return interrupted(ctx)
		}
	}
}

// once sends the request a single time.
func (c *Client) once(ctx context.Context, r request, body []byte) (*answer, *failure) {
	w := newWatch(ctx, c.stall)
	if !r.long {
		w.bound()
	}
	var connected atomic.Bool
	var interim atomic.Int64
	traced := httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			connected.Store(true)
			w.arm()
		},
		Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
			if place, err := strconv.Atoi(h.Get(wire.HeaderQueue)); err == nil && r.onQueue != nil && place > 0 {
				r.onQueue(place)
			}
			if interim.Add(1) > maxInterim {
				return errInterim
			}
			w.arm()
			return nil
		},
	})
	req, err := c.newRequest(traced, r, body)
	if err != nil {
		w.end()
		return nil, &failure{err: &api.Error{Code: api.CodeUnexpected, Message: "cannot form the request", Err: err}}
	}
	res, err := c.http.Do(req) //nolint:bodyclose // the watchedBody closes it
	if err != nil {
		defer w.end()
		return nil, c.transportFailure(ctx, w, err, connected.Load())
	}
	wb := &watchedBody{body: res.Body, watch: w, parent: ctx}
	if interim.Load() > 0 {
		// Some proxies mistake an interim response for the final one. The
		// connection is then out of step, so it must not be reused.
		wb.after = c.transport.CloseIdleConnections
	}
	if r.succeeded(res.StatusCode) {
		return &answer{header: res.Header, body: wb}, nil
	}
	defer wb.Close()
	return nil, c.statusFailure(res, wb)
}

// succeeded reports whether the status is one that our servers use for success.
// Partial content counts only if a range was requested.
func (r request) succeeded(status int) bool {
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent:
		return true
	case http.StatusPartialContent:
		return r.header["Range"] != ""
	}
	return false
}

func (c *Client) newRequest(ctx context.Context, r request, body []byte) (*http.Request, error) {
	u := c.base.JoinPath(escaped(r.path)...)
	u.RawQuery = r.query.Encode()
	var rd io.Reader
	if r.body != nil {
		rd = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), rd)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", r.accept)
	if r.packed {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set(wire.HeaderInterim, wire.InterimWanted)
	c.origin.set(req.Header)
	return req, nil
}

// set writes the origin into headers.
func (o Origin) set(h http.Header) {
	for name, value := range map[string]string{wire.HeaderClient: o.Agent, wire.HeaderSession: o.Session, telemetry.Header: o.Trace} {
		if value != "" {
			h.Set(name, value)
		}
	}
	for name, n := range map[string]*int64{wire.HeaderMaxScanBytes: o.MaxScanBytes, wire.HeaderSessionBudget: o.SessionBudget} {
		if n != nil {
			h.Set(name, strconv.FormatInt(*n, 10))
		}
	}
}

func escaped(segments []string) []string {
	out := make([]string, len(segments))
	for i, s := range segments {
		out[i] = url.PathEscape(s)
	}
	return out
}

// get sends r and decodes its JSON answer into dst; nil expects no content.
func (c *Client) get(ctx context.Context, r request, dst any) error {
	if dst == nil {
		return c.getBy(ctx, r, nil)
	}
	return c.getBy(ctx, r, func(dec *json.Decoder) error { return dec.Decode(dst) })
}

// getBy is get for answers that decode reads bit by bit.
func (c *Client) getBy(ctx context.Context, r request, decode func(*json.Decoder) error) error {
	r.accept = "application/json"
	// Compression is useless on the same machine. Results are requested in their
	// own formats and hashed in transit, so this does not apply to them.
	r.packed = !isLoopback(c.base.Hostname())
	return c.send(ctx, r, func(a *answer) *failure { return c.readJSON(ctx, a, decode) })
}

// own is an error of who reads an answer, not of the answer.
type own struct{ error }

func (c *Client) readJSON(ctx context.Context, a *answer, decode func(*json.Decoder) error) *failure {
	defer a.body.Close()
	if decode == nil {
		return nil
	}
	if !isMediaType(a.header, "application/json") {
		return &failure{err: c.notAgnes("it sent no JSON")}
	}
	a.body.watch.bound()
	body := &boundedJSON{r: unpacked(a.header, a.body)}
	dec := json.NewDecoder(body)
	err := decode(dec)
	if err == nil {
		if _, err = dec.Token(); err == nil {
			err = errors.New("more follows the answer")
		} else if errors.Is(err, io.EOF) {
			return nil
		}
	}
	var mine own
	if errors.As(err, &mine) {
		var known *api.Error
		if !errors.As(mine.error, &known) {
			known = &api.Error{Code: api.CodeUnexpected, Message: "cannot keep the answer", Err: mine.error}
		}
		return &failure{err: known}
	}
	return c.unread(ctx, a, body, err)
}

// unread is the failure of an answer that was not read to its end.
func (c *Client) unread(ctx context.Context, a *answer, body *boundedJSON, err error) *failure {
	var known *api.Error
	switch {
	case errors.Is(body.failed, errTooMuch):
		return &failure{err: c.notAgnes(errTooMuch.Error())}
	case errors.As(body.failed, &known):
		return &failure{err: known}
	case body.failed != nil && !errors.Is(body.failed, io.EOF):
		return c.transportFailure(ctx, a.body.watch, body.failed, true)
	}
	e := c.notAgnes("its answer cannot be read")
	e.Err = err
	return &failure{err: e}
}

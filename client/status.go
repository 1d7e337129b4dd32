package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/internal/wire"
)

// maxErrorBody bounds what is read of an error.
const maxErrorBody = 64 << 10

// statusFailure turns an answer without success into an error.
func (c *Client) statusFailure(res *http.Response, body *watchedBody) *failure {
	// An error that breaks off is still an error: what has arrived may say more.
	body.watch.bound()
	data, _ := io.ReadAll(io.LimitReader(unpacked(res.Header, body), maxErrorBody))
	wait := retryAfter(res.Header, time.Now())
	e, ours := envelope(res, data)
	if !ours {
		e = c.byStatus(res)
	}
	if e.RequestID == "" {
		e.RequestID = clean(res.Header.Get(wire.HeaderRequestID), maxRequestID)
	}
	if wait > 0 && e.Details["retry_after_seconds"] == nil {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		e.Details["retry_after_seconds"] = int64(wait / time.Second)
	}
	f := &failure{err: e, after: wait}
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		f.passing = true
	case http.StatusGatewayTimeout:
		// A server of ours that gave up has worked for minutes: the next try
		// would do no better.
		f.passing = !ours
	}
	return f
}

// Bounds of texts from a server, in runes.
const (
	maxMessage   = 2000
	maxHint      = 4000
	maxRequestID = 64
)

// envelope reads the JSON of an error as our servers send it.
func envelope(res *http.Response, data []byte) (*api.Error, bool) {
	if !isMediaType(res.Header, "application/json") {
		return nil, false
	}
	b, ok := parse(data)
	if !ok || !sentByServers(b.Code) {
		return nil, false
	}
	e := b.Error()
	e.Kind = clean(e.Kind, maxRequestID)
	e.Message = clean(e.Message, maxMessage)
	e.Hint = api.Clip(printable.Text(e.Hint), maxHint)
	e.RequestID = clean(e.RequestID, maxRequestID)
	e.Details, _ = cleanValue(e.Details, 0).(map[string]any)
	if e.Message == "" {
		e.Message = fmt.Sprintf("the server answered '%s'", e.Code)
	}
	return e, true
}

func parse(data []byte) (b api.ErrorBody, ok bool) {
	err := json.Unmarshal(data, &b)
	return b, err == nil
}

// sentByServers reports whether a code is one that travels. Others would have
// the client speak of its own disk or flags.
func sentByServers(c api.Code) bool {
	return c == api.CodeInternal || c.HTTPStatus() != http.StatusInternalServerError
}

// byStatus makes an error of a status alone: a proxy's, or some other program's.
func (c *Client) byStatus(res *http.Response) *api.Error {
	status := res.StatusCode
	said := fmt.Sprintf("%d %s", status, http.StatusText(status))
	e := &api.Error{
		Message: fmt.Sprintf("%s answered %s, without saying why", c.base.Redacted(), said),
		Hint:    "Something between you and the server may have answered in its place.",
		Details: map[string]any{"status": status},
	}
	switch status {
	case http.StatusUnauthorized:
		e.Code, e.Hint = api.CodeUnauthorized, "Use a valid token, which the server's operator issues: log in, or set DA_TOKEN."
		e.Next = []api.Step{api.Do(api.ActionLogin, "store a token")}
	case http.StatusForbidden:
		e.Code = api.CodeForbidden
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		e = c.notAgnes("it answered " + said)
	case http.StatusProxyAuthRequired:
		e.Code, e.Hint = api.CodeUnreachable, "The proxy requires credentials: put them into HTTPS_PROXY."
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		e.Code = api.CodeTimeout
	case http.StatusTooManyRequests:
		e.Code, e.Hint = api.CodeQuota, "Wait, then try again."
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		e.Code, e.Hint = api.CodeUnavailable, "The server may be restarting; try again."
	case http.StatusInternalServerError:
		e.Code, e.Hint = api.CodeInternal, "Try again."
	default:
		switch {
		case status >= 500:
			e.Code = api.CodeUnavailable
		case status >= 400:
			e.Code = api.CodeBadRequest
		default: // a redirect without a target, or the like
			e = c.notAgnes("it answered " + said)
		}
	}
	return e
}

func isMediaType(h http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && got == want
}

// clean makes a line from a server safe to show.
func clean(s string, n int) string { return api.Clip(printable.Line(s), n) }

// cleanValue does so for all text inside a JSON value.
func cleanValue(v any, depth int) any {
	const maxDepth = 8
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case string:
		return clean(v, maxMessage)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i], depth+1)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[clean(k, maxRequestID)] = cleanValue(x, depth+1)
		}
		return out
	}
	return v
}

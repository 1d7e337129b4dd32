package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/words/printable"
)

// lasting are faults of sources that are the same at the next try.
var lasting = []string{
	api.KindBadPath, api.KindNoBucket, api.KindNoDatabase, api.KindNoFiles, api.KindNoRelation, api.KindNotFound, api.KindOutsideRoot,
	api.KindTooWide,
	api.KindUnlikeFiles, api.KindUnsupportedServer,
}

// maxErrorBody limits how much of an error body is read, in bytes.
const maxErrorBody = 64 << 10

// statusFailure turns a response without success into a failure.
func (c *Client) statusFailure(res *http.Response, body *watchedBody) *failure {
	// Use an incomplete error body, too: what has arrived may be enough.
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
		f.passing = !slices.Contains(lasting, e.Kind)
	case http.StatusGatewayTimeout:
		// If our own server gave up, it has worked for minutes: a retry would not
		// do better.
		f.passing = !ours
	}
	return f
}

// Limits on text from a server, in runes.
const (
	maxMessage   = 2000
	maxHint      = 4000
	maxRequestID = 64
)

// envelope decodes the JSON of an error as our servers send it.
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

// sentByServers reports whether a code is one that servers send. Other codes
// would blame the client's own disk or flags.
func sentByServers(c api.Code) bool {
	return c == api.CodeInternal || c.HTTPStatus() != http.StatusInternalServerError
}

// byStatus makes an error from the status alone, for answers of proxies and other
// programs.
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
		default: // for example a redirect without a target
			e = c.notAgnes("it answered " + said)
		}
	}
	return e
}

func isMediaType(h http.Header, want string) bool {
	got, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && got == want
}

// clean makes a line from a server safe to show, and cuts it to n runes.
func clean(s string, n int) string { return api.Clip(printable.Line(s), n) }

// cleanCaveats does the same for the texts of caveats, in place.
func cleanCaveats(caveats []api.Caveat) {
	for i := range caveats {
		c := &caveats[i]
		c.Text, c.Reason, c.Next = clean(c.Text, maxMessage), clean(c.Reason, maxRequestID), nil
		c.About = api.Subject{Table: clean(c.About.Table, maxRequestID), File: clean(c.About.File, maxRequestID),
			Sheet: clean(c.About.Sheet, maxRequestID), Columns: c.About.Columns}
		for j, name := range c.About.Columns {
			c.About.Columns[j] = printable.Line(name)
		}
	}
}

// cleanValue does the same for all strings in a JSON value.
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

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// DetailBegun is a detail of errors: true if the provider had started to answer,
// and so may charge for the request.
const DetailBegun = "begun"

// longestPause is the longest wait that a provider can ask for; a longer one is a
// failure.
const longestPause = time.Minute

// errSilent is the cause when a request is aborted because nothing arrived.
var errSilent = errors.New("nothing came for too long")

// passing is a temporary failure: the same request may succeed later.
type passing struct {
	err   *api.Error
	after time.Duration // wait requested by the provider; 0: none given
	begun bool          // the reply had started
}

func (p *passing) Error() string { return p.err.Message }

// pause is how long to wait after so many tries.
func (p *passing) pause(try int) time.Duration {
	if p.after > 0 {
		return p.after
	}
	full := min(time.Second<<(try-1), 20*time.Second)
	return full/2 + rand.N(full/2) //nolint:gosec // it only spreads the requests of many
}

// cut is the failure of a reply that broke off.
func cut(err error) error {
	return &passing{begun: true, err: &api.Error{Code: api.CodeStreamCut, Message: "the reply of the model broke off", Err: err}}
}

// silent is the failure of a request that was ended because nothing came. It is not
// sent again by itself: a slow model would begin anew each time, and cost each time.
func silent(d time.Duration) error {
	return &api.Error{Code: api.CodeStalled, Message: fmt.Sprintf("the model sent nothing for %s", d),
		Details: map[string]any{DetailBegun: true}, Hint: "It may need longer than that to load, or for a request of this size."}
}

// noAnswer is the failure of a request that got no answer at all.
func (c *client) noAnswer(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return silent(c.Silence)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which the message has
	}
	return &passing{err: &api.Error{Code: api.CodeUnreachable,
		Message: fmt.Sprintf("the model's provider at %s cannot be reached: %s", c.host(), c.hide(err.Error())),
		Hint:    "Check that it runs, the base URL and the network."}}
}

// host is where the provider is.
func (c *client) host() string {
	u, err := url.Parse(c.base)
	if err != nil {
		return ""
	}
	return u.Host
}

// complaint is a provider's error message for a refused request, in the forms
// that servers use.
type complaint struct {
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
	Message string          `json:"message"`
}

// complaintOf reads the body of an error.
func complaintOf(body []byte) complaint {
	var in struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message string          `json:"message"`
	}
	c := complaint{}
	if json.Unmarshal(body, &in) != nil {
		return complaint{Message: strings.TrimSpace(string(body))}
	}
	if json.Unmarshal(in.Error, &c) == nil && c.Message != "" {
		return c
	}
	for _, raw := range []json.RawMessage{in.Error, in.Detail} {
		if json.Unmarshal(raw, &c.Message) != nil && len(raw) > 0 {
			c.Message = string(raw)
		}
		if c.Message != "" {
			return c
		}
	}
	c.Message = in.Message
	return c
}

// is reports whether a complaint is of that type or code.
func (c complaint) is(names ...string) bool {
	for _, name := range names {
		if c.Type == name || string(c.Code) == strconv.Quote(name) {
			return true
		}
	}
	return false
}

// tooLong reports whether a complaint is about the length of the request. Only
// one protocol has a code for it.
func (c complaint) tooLong() bool {
	text := strings.ToLower(c.Message)
	return c.is("context_length_exceeded", "exceed_context_size_error") || strings.Contains(text, "prompt is too long") ||
		strings.Contains(text, "context length") || strings.Contains(text, "context window")
}

// refused returns the error for an HTTP response that is not a reply.
func (c *client) refused(res *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // use what could be read
	said := complaintOf(body)
	after := retryAfter(res.Header.Get("Retry-After"))
	switch status := res.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return c.keyRefused(status)
	case status >= 300 && status < 400:
		return &api.Error{Code: api.CodeConfig, Message: "the model's provider at " + c.host() +
			" sends elsewhere, and redirects are not followed", Hint: "Give the base URL that it leads to."}
	case status == http.StatusTooManyRequests && said.is("insufficient_quota"):
		return &api.Error{Code: api.CodeQuota, Message: c.withReply("the model's provider says that its quota is used up", said),
			Hint: "Look at the account of the key."}
	case status == http.StatusTooManyRequests:
		return &passing{after: after, err: &api.Error{Code: api.CodeQuota,
			Message: c.withReply("the model's provider limits how often it is asked", said)}}
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status >= 500:
		return &passing{after: after, err: &api.Error{Code: api.CodeUnavailable,
			Message: c.withReply(fmt.Sprintf("the model's provider answers with status %d", status), said)}}
	case status == http.StatusNotFound:
		return &api.Error{Code: api.CodeConfig, Message: c.withReply(fmt.Sprintf("the model's provider at %s has no model '%s', or not at this base URL", c.host(), c.Model), said), Hint: "Check model and base URL."}
	default:
		return c.complained(said, status)
	}
}

// keyRefused does not repeat the provider's message, because some providers quote
// the key.
func (c *client) keyRefused(status int) error {
	e := &api.Error{Code: api.CodeUnauthorized, Message: fmt.Sprintf("the model's provider at %s refuses the key (status %d)", c.host(),
		status)}
	switch {
	case c.Key == "":
		e.Message, e.Hint = "the model's provider at "+c.host()+" asks for a key, and none is set", "Set the variable that holds the key."
	case c.KeyFrom != "":
		e.Hint = "The key is that of " + c.KeyFrom + "."
	}
	return e
}

// complained is the failure of a request that the provider does not accept.
func (c *client) complained(said complaint, status int) error {
	if a, ok := c.protocol.(adapter); ok && a.adapt(said) {
		return &passing{after: time.Millisecond, err: &api.Error{Code: api.CodeBadRequest,
			Message: "the model has no reasoning that can be kept"}}
	}
	e := &api.Error{Code: api.CodeBadRequest, Message: c.withReply("the model's provider does not accept the request", said),
		Details: map[string]any{"status": status}}
	if said.tooLong() {
		e.Kind = api.KindContextTooLong
	}
	return e
}

// broken returns the error for a failure that a provider reports in the middle of
// a reply.
func (c complaint) broken() error {
	e := &api.Error{Code: api.CodeUnavailable, Message: "the model's provider gave up in the middle of the reply: " + api.Clip(c.Message, 300)}
	switch {
	case c.is("invalid_request_error", "invalid_prompt", "context_length_exceeded", "authentication_error", "permission_error",
		"not_found_error"), c.tooLong():
		e.Code = api.CodeBadRequest
		e.Details = map[string]any{DetailBegun: true}
		if c.tooLong() {
			e.Kind = api.KindContextTooLong
		}
		return e
	}
	return &passing{begun: true, err: e}
}

// withReply appends the provider's message to a sentence, without the key.
func (c *client) withReply(sentence string, said complaint) string {
	text := strings.TrimRight(c.hide(strings.Join(strings.Fields(said.Message), " ")), ".")
	if text == "" {
		return sentence
	}
	return sentence + ": " + api.Clip(text, 300)
}

// hide removes the key from a text, even if only its beginning and end are shown.
func (c *client) hide(text string) string {
	if len(c.Key) < 8 {
		return text
	}
	text = strings.ReplaceAll(text, c.Key, "…")
	words := strings.Fields(text)
	for i, w := range words {
		if strings.Contains(w, c.Key[:4]) && strings.ContainsAny(w, "*…") {
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

// explain completes the errors that a reader returns, which does not know the key.
func (c *client) explain(err error) error {
	var e *api.Error
	if errors.As(err, &e) {
		out := *e
		out.Message = c.hide(e.Message)
		return &out
	}
	return err
}

// givenUp is the error after the last try.
func (c *client) givenUp(p *passing, tries int, pause time.Duration) error {
	e := *p.err
	e.Message = c.hide(e.Message)
	e.Details = map[string]any{"tries": tries, DetailBegun: p.begun}
	if p.after > 0 {
		e.Details["retry_after_seconds"] = int(pause.Round(time.Second).Seconds())
	}
	return &e
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

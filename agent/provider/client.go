package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// Options say which model to ask, and how.
type Options struct {
	Kind  Kind
	Model string
	// BaseURL is the URL to which the protocol's paths are appended; empty: the
	// provider's own. Compatible has no default.
	BaseURL string
	// Key is only sent to BaseURL; empty: no key is sent. KeyFrom names its
	// origin in messages, such as the name of a variable.
	Key, KeyFrom string
	// AllowInsecureHTTP lets key and data travel in the clear beyond loopback.
	AllowInsecureHTTP bool
	// Tries bounds how often one request is sent; 0: DefaultTries.
	Tries int
	// Silence aborts a reply when nothing arrives for so long; 0: DefaultSilence.
	Silence time.Duration
	// Wait waits between tries; nil: time passes.
	Wait func(context.Context, time.Duration) error
}

// Defaults of Options.
const (
	DefaultTries   = 5
	DefaultSilence = 5 * time.Minute
)

// protocol covers the differences between the protocols.
type protocol interface {
	// home returns the provider's own base URL, and path the path of requests.
	home() string
	path() string
	// sign puts the key into the headers.
	sign(h http.Header, key string)
	// counting returns the path for counting the tokens of a request, and the fields of
	// body that must be left out there. The path is empty if the protocol has none.
	counting() (path string, aboutReply []string)
	// body is the request as JSON.
	body(model string, req Request) object
	// read returns a reader for one reply.
	read() reader
}

// adapter is a protocol that can change the request after certain refusals.
type adapter interface {
	// adapt reports whether the next request will differ.
	adapt(said complaint) bool
}

// reader puts the events of one reply together.
type reader interface {
	// take reads one event.
	take(ev event, say func(Delta)) error
	// finish returns the reply. whole is false if the end of the reply has not
	// arrived.
	finish() (r Reply, whole bool)
}

// client is a Provider of one protocol.
type client struct {
	Options
	protocol protocol
	base     string
	http     *http.Client
}

// New returns the provider that o describes. Invalid options are a CodeConfig
// error.
func New(o Options) (Provider, error) {
	protocols := map[Kind]protocol{Anthropic: anthropic{}, OpenAI: &openai{}, Compatible: compatible{}}
	p := protocols[o.Kind]
	if p == nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("there is no provider '%s'", api.Clip(string(o.Kind), 40)),
			Hint: "Providers are anthropic, openai and compatible."}
	}
	if o.Model == "" {
		return nil, &api.Error{Code: api.CodeConfig, Message: "no model is named", Hint: "Name one that the provider has."}
	}
	base, err := checkBase(cmp.Or(o.BaseURL, p.home()), o.AllowInsecureHTTP)
	if err != nil {
		return nil, err
	}
	o.Tries, o.Silence = cmp.Or(o.Tries, DefaultTries), cmp.Or(o.Silence, DefaultSilence)
	if o.Wait == nil {
		o.Wait = sleep
	}
	return &client{Options: o, protocol: p, base: base, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// join joins a base URL and a path. Both may have the version of the protocol.
func join(base, path string) string {
	if strings.HasPrefix(path, "/v1/") {
		base = strings.TrimSuffix(base, "/v1")
	}
	return base + path
}

// checkBase validates a base URL and removes the slash at its end.
func checkBase(text string, insecure bool) (string, error) {
	bad := func(what string) (string, error) {
		return "", &api.Error{Code: api.CodeConfig, Message: "the base URL of the model's provider " + what,
			Hint: "It is a URL as in http://localhost:11434/v1."}
	}
	u, err := url.Parse(text)
	switch {
	case text == "":
		return bad("is missing")
	case err != nil: // the error text may contain a password
		return bad("cannot be read")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return bad("must begin with https:// or http:// and name a host")
	case u.User != nil:
		return bad("must not hold a user or password; the key has its own place")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return bad("must not have a query or a fragment")
	case u.Scheme == "http" && !insecure && !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		return bad("is plain HTTP to another machine, where others can read along")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Send implements Provider.
func (c *client) Send(ctx context.Context, req Request, say func(Delta)) (Reply, error) {
	if say == nil {
		say = func(Delta) {}
	}
	for try := 1; ; try++ {
		reply, err := c.once(ctx, req, say)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return Reply{}, &api.Error{Code: api.CodeInterrupted, Message: "the request to the model was cancelled", Err: ctx.Err()}
		}
		var again *passing
		if !errors.As(err, &again) {
			return Reply{}, c.explain(err)
		}
		pause := again.pause(try)
		if try >= c.Tries || pause > longestPause {
			return Reply{}, c.givenUp(again, try, pause)
		}
		say(Delta{Again: true, Why: c.hide(again.err.Message), Begun: again.begun})
		if err := c.Wait(ctx, pause); err != nil {
			return Reply{}, &api.Error{Code: api.CodeInterrupted, Message: "the request to the model was cancelled", Err: err}
		}
	}
}

// once sends the request one time.
func (c *client) once(ctx context.Context, req Request, say func(Delta)) (Reply, error) {
	body, err := marshal(c.protocol.body(c.Model, req))
	if err != nil {
		return Reply{}, fmt.Errorf("write a request: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.Silence, func() { cancel(errSilent) })
	defer watch.Stop()
	res, err := c.post(ctx, c.protocol.path(), "text/event-stream", body)
	if err != nil {
		return Reply{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return Reply{}, c.refused(res)
	}
	alive := &heard{Reader: res.Body, watch: watch, silence: c.Silence}
	reply, err := c.readReply(res.Header.Get("Content-Type"), alive, say)
	if err == nil && (reply.Usage.Total() == 0 || !reply.Usage.Possible()) {
		reply.Usage = Usage{Input: int64(len(body)), Output: alive.bytes, Estimated: true}
	}
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return Reply{}, silent(c.Silence)
	}
	return reply, err
}

// post sends a body. The caller closes that of the answer.
func (c *client) post(ctx context.Context, path, accept string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, join(c.base, path), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", accept)
	if c.Key != "" {
		c.protocol.sign(r.Header, c.Key)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, c.noAnswer(ctx, err)
	}
	return res, nil
}

// Count implements Provider.
func (c *client) Count(ctx context.Context, req Request) int64 {
	path, aboutReply := c.protocol.counting()
	fields := c.protocol.body(c.Model, req)
	for _, name := range aboutReply {
		delete(fields, name)
	}
	body, err := marshal(fields)
	if path == "" || err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, c.Silence)
	defer cancel()
	res, err := c.post(ctx, path, "application/json", body)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	var counted struct {
		Tokens int64 `json:"input_tokens"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, maxEvent)).Decode(&counted) != nil {
		return 0
	}
	return min(max(counted.Tokens, 0), mostTokens)
}

// readReply reads a stream, or a reply that comes as one piece because a server
// does not stream.
func (c *client) readReply(contentType string, body io.Reader, say func(Delta)) (Reply, error) {
	in := c.protocol.read()
	if kind, _, _ := mime.ParseMediaType(contentType); kind == "application/json" {
		whole, err := io.ReadAll(io.LimitReader(body, maxEvent))
		if err != nil {
			return Reply{}, cut(err)
		}
		if err := in.take(event{data: whole}, say); err != nil {
			return Reply{}, err
		}
	} else if err := readEvents(body, in, say); err != nil {
		return Reply{}, err
	}
	reply, whole := in.finish()
	if !whole {
		return Reply{}, cut(io.ErrUnexpectedEOF)
	}
	reply.Blocks = named(reply.Blocks)
	return reply, nil
}

// readEvents passes all events to a reader, up to the end of the reply.
func readEvents(body io.Reader, in reader, say func(Delta)) error {
	list := newEvents(body)
	for {
		ev, err := list.next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errEnd):
			return nil
		case errors.Is(err, errTooLarge):
			return &api.Error{Code: api.CodeStreamCut, Message: errTooLarge.Error(), Err: err}
		case err != nil:
			if _, whole := in.finish(); whole {
				return nil // the failure came after the end of the reply
			}
			return cut(err)
		}
		if err := in.take(ev, say); errors.Is(err, errEnd) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// errEnd is returned by a reader for the event that ends a reply.
var errEnd = errors.New("the reply has ended")

// heard puts the end of patience off whenever something comes.
type heard struct {
	io.Reader
	watch   *time.Timer
	silence time.Duration
	bytes   int64
}

// Read implements io.Reader.
func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.bytes += int64(n)
	h.watch.Reset(h.silence)
	return n, err
}

// named gives each call of a reply a unique id, because results refer to it.
func named(blocks []Block) []Block {
	seen := map[string]bool{}
	for i, b := range blocks {
		if b.Call == nil {
			continue
		}
		id := b.Call.ID
		for n := 2; id == "" || seen[id]; n++ {
			id = fmt.Sprintf("%s_%d", cmp.Or(b.Call.ID, "call"), n)
		}
		seen[id] = true
		blocks[i].Call.ID = id
	}
	return blocks
}

// marshal writes JSON as models read it best: without escaped brackets.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

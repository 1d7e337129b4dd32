// Package client is the service of another machine: api.Data and
// api.Administration over HTTP. Only this package turns a URL and a token into
// requests, and responses or their absence into errors of the shared vocabulary.
//
// It does not cache or print, and decides nothing about the user's data. It must
// not import the server or the snapshot store. What a server sends is untrusted:
// sizes are limited, text is made printable, redirects to other hosts are not
// followed, and a result counts only once its end has been verified.
package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// DefaultStallTimeout is how long the client waits for the next byte.
const DefaultStallTimeout = 60 * time.Second

// Limits of a connection.
const (
	dialTimeout = 30 * time.Second
	tlsTimeout  = 15 * time.Second
	// idleTimeout is shorter than that of any server, so that requests rarely use
	// a connection that the server is closing.
	idleTimeout     = 15 * time.Second
	readBuffer      = 128 << 10
	maxHeaderBytes  = 1 << 20
	maxIdlePerHost  = 8
	keepAliveProbes = 15 * time.Second
)

// Options say how to reach a server.
type Options struct {
	// URL is the server's base URL, http or https; it may have a path.
	URL string
	// Token is sent with each request; empty sends no token.
	Token string
	// AllowInsecureHTTP allows sending the token over unencrypted HTTP beyond
	// loopback.
	AllowInsecureHTTP bool
	// Origin is sent with each request; the zero value sends nothing.
	Origin Origin
	// StallTimeout is how long to wait for the next byte; 0 means the default.
	// There is no limit for the whole request.
	StallTimeout time.Duration
	// UserAgent names the program in the server's logs.
	UserAgent string
	// Trace, if set, is called when a request has ended, or when its answer
	// begins; status is 0 without an answer.
	Trace func(r *http.Request, status int, took time.Duration)
	// Wait waits before a retry, or returns the error of ctx if that is done
	// first; nil uses a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Proxy selects a proxy as http.Transport does; nil uses the environment.
	Proxy func(*http.Request) (*url.URL, error)
}

// Origin describes the caller of requests, and limits what they may cost.
type Origin struct {
	Agent         string // the calling program
	Trace         string // what the caller's trace is called, as TRACEPARENT has it; may be empty
	MaxScanBytes  *int64 // nil: no limit
	Session       string // the conversation; may be empty
	SessionBudget *int64 // nil: the server's default
}

// Client is a server on another machine. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	inClear   error // why no token may travel to the server or from it; may be nil
	token     string
	userAgent string
	origin    Origin
	stall     time.Duration
	wait      func(context.Context, time.Duration) error
	http      *http.Client
	transport *http.Transport
}

// New checks o and returns a client, without connecting yet. Errors are
// CodeConfig.
func New(o Options) (*Client, error) {
	base, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &api.Error{
			Code: api.CodeConfig, Message: "the token holds characters that no token has",
			Hint: "Check DA_TOKEN, or the token file, for spaces and line breaks.",
		}
	}
	var inClear error
	if base.Scheme == "http" && !isLoopback(base.Hostname()) && !o.AllowInsecureHTTP {
		inClear = &api.Error{
			Code: api.CodeConfig, Kind: api.KindInsecureHTTP,
			Message: fmt.Sprintf("the token is not sent to %s in the clear", base.Redacted()),
			Hint:    "Use https; or, if you trust the network in between, set DA_ALLOW_HTTP=1.",
		}
	}
	if o.Token != "" && inClear != nil {
		return nil, inClear
	}
	c := &Client{base: base, inClear: inClear, token: o.Token, userAgent: o.UserAgent, origin: o.Origin, stall: o.StallTimeout, wait: o.Wait}
	if c.stall <= 0 {
		c.stall = DefaultStallTimeout
	}
	if c.userAgent == "" {
		c.userAgent = "da"
	}
	if c.wait == nil {
		c.wait = sleep
	}
	c.transport = newTransport(o.Proxy)
	c.http = &http.Client{Transport: c.transport, CheckRedirect: c.checkRedirect}
	if o.Trace != nil {
		c.http.Transport = traced{c.transport, o.Trace}
	}
	return c, nil
}

// traced reports each request.
type traced struct {
	http.RoundTripper
	tell func(r *http.Request, status int, took time.Duration)
}

// RoundTrip implements http.RoundTripper.
func (t traced) RoundTrip(r *http.Request) (*http.Response, error) {
	started := time.Now()
	answer, err := t.RoundTripper.RoundTrip(r)
	status := 0
	if answer != nil {
		status = answer.StatusCode
	}
	t.tell(r, status, time.Since(started))
	return answer, err
}

// Data returns the services for users.
func (c *Client) Data() api.Data {
	return api.Data{Catalog: c, Searcher: c, Modeler: c, Knower: c, Scanner: c, Filer: c, Querier: c, Syncer: c, Identifier: c, Meter: c}
}

// Administration returns the services for admins.
func (c *Client) Administration() api.Administration {
	return api.Administration{
		CacheAdmin: c, SourceAdmin: c, HealthAdmin: c, UserAdmin: c, GroupAdmin: c,
		TokenAdmin: c, GrantAdmin: c, TableAdmin: c, AuditAdmin: c, DashboardAdmin: c, RunAdmin: c, ViewAdmin: c,
	}
}

// URL returns the server's base URL.
func (c *Client) URL() string { return c.base.String() }

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func newTransport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	t := &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAliveProbes}).DialContext,
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         readBuffer,
		// Results are hashed in transit, so no proxy should compress them.
		DisableCompression: true,
		// HTTP/2 has no advantage for one stream at a time.
		Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return t
}

func parseURL(text string) (*url.URL, error) {
	bad := func(what string) error {
		return &api.Error{
			Code: api.CodeConfig, Message: "the server's URL " + what,
			Hint: "A server is a URL as in https://data.example.com.",
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, bad("cannot be read") // the parse error could contain a password
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, bad("must begin with https:// or http:// and name a host")
	case u.User != nil:
		return nil, bad("must not hold a user or password; the token has its own place")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, bad("must not have a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxRedirects limits how many redirects are followed.
const maxRedirects = 3

// redirectError says why a redirect was not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// checkRedirect allows redirects only on the same host, with the same method, and
// not from https to http. All others would expose the token.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	upgrade := last.URL.Scheme == "http" && next.URL.Scheme == "https"
	switch {
	case len(via) > maxRedirects:
		return &redirectError{"it redirects too often"}
	case !strings.EqualFold(next.URL.Hostname(), last.URL.Hostname()),
		port(next.URL) != port(last.URL) && !upgrade:
		return &redirectError{"it redirects to another server, " + next.URL.Scheme + "://" + next.URL.Host}
	case next.URL.Scheme != last.URL.Scheme && !upgrade:
		return &redirectError{"it redirects from https to " + next.URL.Scheme}
	case next.Method != last.Method:
		return &redirectError{"it redirects a " + last.Method + " request so that its body is lost"}
	}
	return nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

package bucket

import (
	"net"
	"net/http"
	"net/url"

	"github.com/agnes-data/da/internal/googleauth"
)

// bearer adds a token to requests to one endpoint. A request to any other
// address, for example after a redirect, gets no token.
type bearer struct {
	next     http.RoundTripper
	endpoint *url.URL
	tokens   *googleauth.Tokens
}

// RoundTrip implements http.RoundTripper.
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != b.endpoint.Scheme || origin(r.URL) != origin(b.endpoint) {
		return b.next.RoundTrip(r)
	}
	token, err := b.tokens.Token(r.Context())
	if err != nil {
		return nil, err
	}
	if token != "" {
		r = r.Clone(r.Context()) // the caller's stays as it is
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return b.next.RoundTrip(r)
}

// origin is a URL's host with its port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// confidential reports whether nobody on the way could read what is sent.
func confidential(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

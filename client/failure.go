package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// Retries: the maximum number of tries, the first pause, and the longest pause
// that a server can ask for.
const (
	maxTries      = 3
	firstPause    = 250 * time.Millisecond
	maxRetryAfter = 30 * time.Second
)

// failure describes a failed try.
type failure struct {
	err *api.Error
	// passing says that a retry may succeed.
	passing bool
	// unsent says that the request cannot have reached a server.
	unsent bool
	// after is how long the server asks to wait; 0 if it does not say.
	after time.Duration
}

// retry decides whether to try again, and after which pause. again says that the
// request may be sent twice.
func (f *failure) retry(again bool, try int) (time.Duration, bool) {
	if !f.passing || try >= maxTries || !again && !f.unsent || f.after > maxRetryAfter {
		return 0, false
	}
	pause := firstPause << (try - 1)
	pause += rand.N(pause) // so that clients do not all come back at the same time
	return max(pause, f.after), true
}

// transportFailure describes a failure without an answer.
func (c *Client) transportFailure(ctx context.Context, w *watch, err error, connected bool) *failure {
	if ctx.Err() != nil {
		return &failure{err: interrupted(ctx)}
	}
	if fault := w.fault(); fault != nil {
		return &failure{err: fault}
	}
	if errors.Is(err, errInterim) {
		return &failure{err: c.notAgnes("it only ever says that it is at work")}
	}
	var redirect *redirectError
	if errors.As(err, &redirect) {
		e := c.notAgnes(redirect.why)
		e.Kind = api.KindRedirect
		return &failure{err: e}
	}
	what, hint, passing := diagnose(err)
	return &failure{
		err: &api.Error{
			Code:    api.CodeUnreachable,
			Message: fmt.Sprintf("cannot reach %s: %s", c.base.Redacted(), what),
			Hint:    hint,
			Err:     err,
		},
		passing: passing,
		unsent:  !connected,
	}
}

// diagnose explains an error of the transport. passing is false if a retry cannot
// help.
func diagnose(err error) (what, hint string, passing bool) {
	var (
		dns       *net.DNSError
		unknownCA x509.UnknownAuthorityError
		wrongHost x509.HostnameError
		invalid   x509.CertificateInvalidError
		noTLS     tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
		timeout   net.Error
	)
	const network = "Check the address and the network, then try again."
	switch {
	case errors.As(err, &dns):
		what = fmt.Sprintf("the name '%s' cannot be looked up", printable.Line(dns.Name))
		if dns.IsNotFound {
			what = fmt.Sprintf("there is no host '%s'", printable.Line(dns.Name))
		}
		return what, network, !dns.IsNotFound
	case errors.As(err, &unknownCA):
		return "its certificate is signed by nobody that this machine trusts",
			"Have the signing certificate installed, or point SSL_CERT_FILE at it.", false
	case errors.As(err, &wrongHost):
		return "its certificate is for another name", "Use the name that the certificate is for.", false
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "its certificate is not valid", "Check this machine's clock, and inform the server's operator.", false
	case errors.As(err, &noTLS), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS", "Check the address: is it http rather than https?", false
	case errors.As(err, &alert):
		return "TLS failed", network, false
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused", "Is the server running, and is this its address?", true
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no route to it", network, true
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time", network, true
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was closed", "Try again.", true
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // drop the URL, which the message has already
	}
	return api.Clip(printable.Line(err.Error()), 200), network, true
}

// notAgnes is the error for an address where something other than our server
// answers.
func (c *Client) notAgnes(why string) *api.Error {
	return &api.Error{
		Code: api.CodeConfig, Kind: api.KindNotAgnes,
		Message: fmt.Sprintf("%s is not an Agnes server: %s", c.base.Redacted(), printable.Line(why)),
		Hint:    "Check the server's address; a login page or a proxy may be answering in its place.",
	}
}

// retryAfter reads the header Retry-After, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}

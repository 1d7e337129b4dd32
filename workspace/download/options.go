package download

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
)

// Options say which hosts files may be downloaded from.
type Options struct {
	// Hosts are the allowed hosts: a name, *.name for all of its subdomains, or *
	// for any host.
	Hosts   []string
	Timeout time.Duration // 0: DefaultTimeout

	// Resolve, Dial and TLS are the system's if they are nil.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	TLS     *tls.Config
}

func (o *Options) complete() {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
}

// check refuses an address that may not be downloaded.
func (o Options) check(u *url.URL) error {
	switch {
	case u.Scheme != "https":
		return refused(api.KindScheme, "only https:// addresses are downloaded, and this one is '"+api.Clip(u.Scheme, 20)+"'", "")
	case u.Hostname() == "":
		return refused(api.KindURL, "the address names no host", "")
	case u.User != nil:
		return refused(api.KindURL, "the address holds a user or a password", "Use an address without them.")
	case !allows(o.Hosts, u.Hostname()):
		return refused(api.KindHost, "files may not be downloaded from '"+api.Clip(u.Hostname(), 80)+"'",
			"The hosts that are allowed are those of files.download_hosts in the config.")
	}
	return nil
}

const (
	// DefaultTimeout limits the time of a whole download.
	DefaultTimeout = 2 * time.Minute
	maxRedirects   = 5
)

// allows reports whether a host is one of the list: a name, *.name for all below
// it, or * for any.
func allows(hosts []string, host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, h := range hosts {
		h = strings.ToLower(strings.TrimSpace(h))
		if h == "*" || h == host || strings.HasPrefix(h, "*.") && strings.HasSuffix(host, h[1:]) {
			return true
		}
	}
	return false
}

func refused(kind, message, hint string) *api.Error {
	return &api.Error{Code: api.CodeValidation, Kind: kind, Message: message, Hint: hint}
}

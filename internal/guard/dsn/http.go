package dsn

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"time"

	"github.com/agnes-data/da/api"
)

// HTTP parses the address of an engine that is spoken to over HTTP, and returns how
// its host is reached. form shows the parts of such an address. A password goes to
// other machines only by TLS. caFile holds the certificates of the authorities that
// may sign the engine's; empty: the system's.
func HTTP(text, form, caFile string) (*url.URL, *http.Transport, error) {
	bad := func(what string) error {
		return &api.Error{Code: api.CodeConfig, Message: what, Hint: "It is " + form + "."}
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" {
		return nil, nil, bad("the dsn of the source is not valid") // the parser's own error quotes it
	}
	if _, secret := u.User.Password(); secret && u.Scheme == "http" && !here(u.Hostname()) {
		return nil, nil, bad("the dsn would send a password without TLS to another machine: it must begin with https://")
	}
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableCompression: true, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, nil, &api.Error{Code: api.CodeConfig, Message: "ca_file cannot be read", Err: err}
		}
		t.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("ca_file: %s holds no certificate", caFile)}
		}
	}
	return u, t, nil
}

func here(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

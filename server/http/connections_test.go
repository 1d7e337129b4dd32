package httpapi

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestTooManyConnectionsAreRefusedInWords fills a server with connections that
// say nothing.
func TestTooManyConnectionsAreRefusedInWords(t *testing.T) {
	cert, key, pool := certificate(t)
	for _, l := range []Listen{{}, {TLSCert: cert, TLSKey: key}} {
		l.Addr, l.MaxConnections = "127.0.0.1:0", 3
		r := runServe(t, l, &testService{})
		_, addr, _ := strings.Cut(r.url, "://")
		silent := make([]net.Conn, l.MaxConnections)
		for i := range silent {
			var err error
			if silent[i], err = net.Dial("tcp", addr); err != nil {
				t.Fatal(err)
			}
		}
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
		get := func() (int, string, string) {
			res, err := c.Get(r.url + "/healthz")
			if err != nil { // while one refusal is told in words, others are not
				return 0, "", err.Error()
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			return res.StatusCode, res.Header.Get("Retry-After"), string(body)
		}
		status, retry, body := get()
		if status != 503 || retry != "1" || !strings.Contains(body, `"kind":"connections"`) {
			t.Errorf("TLS %t: %d, retry after %q\n%s", l.TLSCert != "", status, retry, body)
		}
		for _, s := range silent {
			_ = s.Close()
		}
		for status != 200 { // the server learns of it soon
			status, _, _ = get()
		}
		r.stop()
		r.wait(t)
	}
}

// TestRefusalsLeaveDescriptorsToTheAdmitted holds that words for those who are
// not admitted take fewer connections than those who are.
func TestRefusalsLeaveDescriptorsToTheAdmitted(t *testing.T) {
	for most, want := range map[int]int{1: 1, 4: 1, 16: 4, 10_000: maxRefusals} {
		if l := boundConnections(nil, most, nil); cap(l.refusals) != want {
			t.Errorf("%d connections: %d refusals in words, want %d", most, cap(l.refusals), want)
		}
	}
}

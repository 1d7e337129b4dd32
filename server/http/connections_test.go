package httpapi

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestTooManyConnectionsAreRefusedInWords fills a server with connections that
// say nothing.
func TestTooManyConnectionsAreRefusedInWords(t *testing.T) {
	cert, key, pool := certificate(t)
	for _, l := range []Listen{{}, {TLSCert: cert, TLSKey: key}} {
		l.Addr, l.MaxConnections = "127.0.0.1:0", 3
		l.Flight, l.FlightWrap = "127.0.0.1:0", func(h http.Handler) http.Handler { return h } // the limit is of both
		r := runServe(t, l, &testService{})
		silent := make([]net.Conn, l.MaxConnections)
		for i := range silent {
			var err error
			_, addr, _ := strings.Cut([]string{r.url, r.flight}[i%2], "://")
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
		for tries := 0; status != 503 && tries < 10_000; tries++ { // each address accepts in its own time
			status, retry, body = get()
		}
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
		if l := boundConnections(nil, &room{most: int64(most)}, nil); cap(l.refusals) != want {
			t.Errorf("%d connections: %d refusals in words, want %d", most, cap(l.refusals), want)
		}
	}
}

// TestABalancerLearnsBeforeAServerIsFull holds that readiness ends while those who are
// here are still answered.
func TestABalancerLearnsBeforeAServerIsFull(t *testing.T) {
	r := runServe(t, Listen{Addr: "127.0.0.1:0", MaxConnections: 20}, &testService{})
	_, addr, _ := strings.Cut(r.url, "://")
	status := func(path string) int {
		res, err := http.Get(r.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	for n := 2; n <= 20; n++ { // the client's own connection is the first
		want := http.StatusOK
		if n > 18 {
			want = http.StatusServiceUnavailable
		}
		silent, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		got := status("/readyz")
		for got < want { // the server accepts it soon
			got = status("/readyz")
		}
		if got != want {
			t.Errorf("%d connections: %d, want %d", n, got, want)
		}
	}
}

// TestACertificateIsToldBeforeItEnds looks three weeks ahead.
func TestACertificateIsToldBeforeItEnds(t *testing.T) {
	const day = 24 * time.Hour
	for left, want := range map[time.Duration]string{90 * day: api.CheckOK, 5 * day: api.CheckWarning, -time.Hour: api.CheckFailed} {
		if got := certificateCheck(left); got.Status != want || want != api.CheckOK && got.Fix == "" {
			t.Errorf("%s: %+v, want %s", left, got, want)
		}
	}
}

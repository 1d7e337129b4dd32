package httpapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// running is a server started by Serve.
type running struct {
	url    string
	flight string
	stop   context.CancelFunc
	done   chan error
}

func runServe(t *testing.T, l Listen, s service) running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := running{stop: stop, done: make(chan error, 1)}
	listening := make(chan string, 1)
	l.OnListen = func(url, flight string) error { r.flight = flight; listening <- url; return nil }
	go func() { r.done <- Serve(ctx, l, testBackend{s}, slog.New(slog.DiscardHandler)) }()
	select {
	case r.url = <-listening:
	case err := <-r.done:
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return r
}

func (r running) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-r.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
	}
}

// TestAServerOnLoopbackHasItsOwnNames asks it as a page does whose name leads to this machine.
func TestAServerOnLoopbackHasItsOwnNames(t *testing.T) {
	alone := runServe(t, Listen{Addr: "127.0.0.1:0"}, &testService{})
	behind := runServe(t, Listen{Addr: "127.0.0.1:0", Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, &testService{})
	for host, want := range map[string]int{"evil.example": 403, "127.0.0.1.evil.example:8400": 403, "localhost:1": 200, "[::1]:8400": 200} {
		(&browser{t: t, url: alone.url}).want(host, want, "GET", "/", "", "Host", host)
		(&browser{t: t, url: behind.url}).want(host+" behind a proxy", 200, "GET", "/", "", "Host", host)
	}
}

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &priv.PublicKey, priv)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC " + "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, pool
}

func TestServeOverTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	r := runServe(t, Listen{Addr: "127.0.0.1:0", TLSCert: cert, TLSKey: key}, &testService{})
	if !strings.HasPrefix(r.url, "https://127.0.0.1:") {
		t.Errorf("url %q", r.url)
	}
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	res, err := c.Get(r.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 200 || res.TLS.Version < tls.VersionTLS12 {
		t.Errorf("%s, TLS %x", res.Status, res.TLS.Version)
	}
	r.stop()
	r.wait(t)
}

func TestServeRefusesWhatIsUnsafeOrWrong(t *testing.T) {
	cert, key, _ := certificate(t)
	_, otherKey, _ := certificate(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop() // should one of them start after all, it ends at once
	for what, c := range map[string]struct {
		l    Listen
		code api.Code
		hint string
	}{
		"every address":       {Listen{Addr: "0.0.0.0:0"}, api.CodeUsage, "insecure"},
		"every address, IPv6": {Listen{Addr: "[::]:0"}, api.CodeUsage, "tls"},
		"no host":             {Listen{Addr: ":0"}, api.CodeUsage, "insecure"},
		"another machine's":   {Listen{Addr: "192.0.2.1:0"}, api.CodeUsage, "insecure"},
		"no such address":     {Listen{Addr: "192.0.2.1:0", Insecure: true}, api.CodeConfig, "listen"},
		"a port that is used": {Listen{Addr: taken.Addr().String()}, api.CodeConfig, "free port"},
		"no port":             {Listen{Addr: "127.0.0.1"}, api.CodeConfig, "listen"},
		"half a certificate":  {Listen{Addr: "127.0.0.1:0", TLSCert: cert}, api.CodeUsage, "tls"},
		"another key":         {Listen{Addr: "127.0.0.1:0", TLSCert: cert, TLSKey: otherKey}, api.CodeConfig, "belong together"},
		"no such file":        {Listen{Addr: "127.0.0.1:0", TLSCert: cert + "x", TLSKey: key}, api.CodeConfig, "PEM"},
	} {
		err := Serve(ctx, c.l, testBackend{&testService{}}, slog.New(slog.DiscardHandler))
		known, ok := err.(*api.Error)
		if !ok {
			t.Errorf("%s: %#v", what, err)
			continue
		}
		says := known.Hint
		for _, s := range known.Next {
			says += " " + s.Text("option") + " " + s.Why
		}
		if known.Code != c.code || !strings.Contains(says, c.hint) {
			t.Errorf("%s: %+v", what, known)
		}
	}
	for what, l := range map[string]Listen{
		"loopback":            {Addr: "127.0.0.1:0"},
		"loopback by name":    {Addr: "localhost:0"},
		"insecure on purpose": {Addr: "0.0.0.0:0", Insecure: true},
		"TLS everywhere":      {Addr: ":0", TLSCert: cert, TLSKey: key},
	} {
		if err := Serve(ctx, l, testBackend{&testService{}}, slog.New(slog.DiscardHandler)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// get asks for a scan of r and reads it whole.
func (r running) scan() (*http.Response, []byte, error) {
	req, err := http.NewRequest("POST", r.url+"/api/v2/scan", strings.NewReader(sound["/api/v2/scan"]))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+userToken)
	req.Header.Set("Content-Type", "application/json")
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

func TestShutdownLetsRequestsEnd(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	r := runServe(t, Listen{Addr: "127.0.0.1:0"}, scans(func(i int) (arrow.RecordBatch, error) {
		switch i {
		case 0:
			return batchOf(0, 10), nil
		case 1:
			close(running)
			<-release
			return batchOf(10, 10), nil
		}
		return nil, nil
	}))
	type outcome struct {
		body []byte
		err  error
	}
	got := make(chan outcome, 1)
	go func() {
		_, body, err := r.scan()
		got <- outcome{body, err}
	}()
	soon(t, running, "the scan runs")
	r.stop()
	for { // until nobody new is let in
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(release)
	o := soon(t, got, "the scan ends")
	out, err := wire.Decode(strings.NewReader(string(o.body)))
	if err != nil || o.err != nil {
		t.Fatal(err, o.err)
	}
	defer out.Close()
	for out.Batches.Next() {
	}
	if out.Batches.Err() != nil || out.End().Rows != 20 {
		t.Errorf("%+v, %v", out.End(), out.Batches.Err())
	}
	r.wait(t)
}

func TestShutdownCutsWhatTakesTooLong(t *testing.T) {
	running, closed := make(chan struct{}), make(chan struct{})
	r := runServe(t, Listen{Addr: "127.0.0.1:0", Drain: 20 * time.Millisecond}, &testService{
		scan: func(ctx context.Context, _ api.ScanRequest) (*api.Stream, error) {
			out := streamFrom(func(i int) (arrow.RecordBatch, error) {
				if i == 0 {
					return batchOf(0, 10), nil
				}
				close(running)
				<-ctx.Done()
				<-time.After(50 * time.Millisecond) // an engine takes a moment to stop
				return nil, ctx.Err()
			})
			out.CloseFunc = func() { close(closed) }
			return out, nil
		},
	})
	got := make(chan error, 1)
	go func() {
		_, _, err := r.scan()
		got <- err
	}()
	soon(t, running, "the scan runs")
	r.stop()
	if err := soon(t, got, "the scan is cut"); err == nil {
		t.Error("the client saw no cut")
	}
	r.wait(t)
	select {
	case <-closed:
	default:
		t.Error("Serve returned before the request had let go of its stream")
	}
}

func TestSlowHeadersAreNotWaitedFor(t *testing.T) {
	r := runServe(t, Listen{Addr: "127.0.0.1:0", headerLimit: 50 * time.Millisecond}, &testService{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nX-A: "); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		close(closed)
	}()
	soon(t, closed, "the connection is closed")
}

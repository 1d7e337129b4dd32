package cli

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// nginxFront is nginx with the site that packaging/nginx.conf shows, in front of
// something.
type nginxFront struct {
	url  string
	cert string // file of its certificate, which is its own authority
	http *http.Client
}

// newNginx runs the real nginx. Of the site only the addresses and the
// certificate's files are other than in the file that is shipped.
func newNginx(t *testing.T, upstream string) *nginxFront {
	t.Helper()
	dir := nginxFolder(t)
	cert, pool := writeCertificate(t, dir)
	listen, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	runNginx(t, dir, listen, shippedSite(t, "../build/packaging/nginx.conf", map[string]string{
		"server 127.0.0.1:8400;": "server " + upstream + ";", "listen 443 ssl;": "listen " + listen + " ssl;",
		"/etc/ssl/da/cert.pem": cert, "/etc/ssl/da/key.pem": filepath.Join(dir, "key.pem"),
	}))
	return &nginxFront{url: "https://" + listen, cert: cert,
		http: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}}
}

// nginxFolder is a folder that its workers, who need not be the user of t.TempDir, can
// use. Without nginx the test is skipped.
func nginxFolder(t *testing.T) string {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	testneed.Program(t, "nginx")
	dir, err := os.MkdirTemp("", "da-nginx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// shippedSite is a site that is shipped, with what is other here.
func shippedSite(t *testing.T, file string, here map[string]string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	site := string(text)
	for shipped, now := range here {
		if strings.Count(site, shipped) != 1 {
			t.Fatalf("%s does not say %q once", file, shipped)
		}
		site = strings.Replace(site, shipped, now, 1)
	}
	return site
}

// runNginx runs a site until the test ends.
func runNginx(t *testing.T, dir, listen, site string) {
	t.Helper()
	conf := filepath.Join(dir, "nginx.conf")
	main := "daemon off;\npid " + dir + "/pid;\nerror_log stderr info;\nevents {}\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		main += kind + "_temp_path " + dir + "/" + kind + ";\n"
	}
	if os.Geteuid() == 0 {
		main = "user root;\n" + main // its folders are ours
	}
	if err := os.WriteFile(conf, []byte(main+site+"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nginx", "-p", dir, "-c", conf, "-e", "stderr")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", listen)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ends: %v\n%s", err, log.String())
		}
	}
}

// writeCertificate makes cert.pem and key.pem for 127.0.0.1.
func writeCertificate(t *testing.T, dir string) (file string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "data.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"data.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(cert)
	return filepath.Join(dir, "cert.pem"), pool
}

// TestBehindNginx uses da through the site that is shipped: TLS, streams,
// parts of synced tables, and errors that are da's own.
func TestBehindNginx(t *testing.T) {
	p := newPlace(t)
	instance := strings.Replace(fixtureInstance, "path: airports.csv,", "path: airports.csv, query_mode: local,", 1)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	direct := p.served()
	u, err := url.Parse(direct.get("DA_SERVER"))
	if err != nil {
		t.Fatal(err)
	}
	front := newNginx(t, u.Host)
	token := direct.get("DA_TOKEN")
	c := p.with("DA_SERVER="+front.url, "DA_TOKEN="+token, "SSL_CERT_FILE="+front.cert)
	if out := c.run("fetch", "flights", "--as", "all"); out.code != 0 || !strings.Contains(out.stdout+out.stderr, "600 rows") {
		t.Errorf("fetch: exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	c.ok("sync")
	if got := c.ok("query", "SELECT count(*) AS n FROM airports", "-o", "csv"); got != "n\n3\n" {
		t.Errorf("the synced table has %q", got)
	}
	if got := c.run("fetch", "nothere"); got.code != 2 { // the token is an admin's
		t.Errorf("an unknown table: exit %d\n%s", got.code, got.stderr)
	}
	if got := c.with("DA_TOKEN=da_wrong").run("fetch", "flights", "--as", "x"); got.code != 7 {
		t.Errorf("a wrong token: exit %d\n%s", got.code, got.stderr)
	}
	if got := c.with("SSL_CERT_FILE=").run("whoami"); got.code != 9 {
		t.Errorf("a certificate of nobody: exit %d\n%s", got.code, got.stderr)
	}

	ask := func(method, path, body string, header ...string) (*http.Response, []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, front.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := front.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, data
	}
	// Trailers are lost here: the fetch above was proven whole without them.
	if res, _ := ask("POST", "/api/v2/scan", `{"table_id":"flights"}`); res.StatusCode != 200 || res.Trailer.Get("X-Agnes-Rows") != "" {
		t.Errorf("a scan: %s, trailers %v: nginx passes them on now, and the manual may say so", res.Status, res.Trailer)
	}
	whole, file := ask("GET", "/api/sync/tables/airports", "")
	part, bytesOfIt := ask("GET", "/api/sync/tables/airports", "", "Range", "bytes=10-19", "If-Match", whole.Header.Get("ETag"))
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(bytesOfIt, file[10:20]) {
		t.Errorf("a part of a file: %s, %q", part.Status, bytesOfIt)
	}
	if res, _ := ask("GET", "/api/sync/tables/airports", "", "Range", "bytes=10-19", "If-Match", `"other"`); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("a part of another file: %s", res.Status)
	}
	for size, want := range map[int]string{60 << 10: "unknown_column", 1<<20 + 1: "too_large"} {
		where := "nothere = '" + strings.Repeat("x", size) + "'"
		if size > 1<<20 {
			where = strings.Repeat("x", size)
		}
		res, body := ask("POST", "/api/v2/scan", `{"table_id":"flights","where":"`+where+`"}`)
		if res.StatusCode != 400 || !bytes.Contains(body, []byte(want)) {
			t.Errorf("a body of %d bytes: %s %s", size, res.Status, body[:min(len(body), 300)])
		}
	}
}

// TestNginxHoldsNothingBack sends the rest of an answer only when its beginning
// has arrived: a proxy that collects would wait for ever.
func TestNginxHoldsNothingBack(t *testing.T) {
	arrived := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first ")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-arrived:
			_, _ = io.WriteString(w, "second")
		case <-time.After(30 * time.Second):
		case <-r.Context().Done():
		}
	}))
	defer upstream.Close()
	front := newNginx(t, upstream.Listener.Addr().String())
	res, err := front.http.Get(front.url + "/api/v2/scan")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 6)
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "first " {
		t.Fatalf("%q, %v", first, err)
	}
	close(arrived)
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(rest) != "second" {
		t.Errorf("nginx held the beginning back until the end: then came %q, %v", rest, err)
	}
}

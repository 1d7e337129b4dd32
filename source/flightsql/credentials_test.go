package flightsql

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/flighttest"
)

// certificate makes one for this machine, and a file that holds it.
func certificate(t *testing.T) (*tls.Config, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, file
}

// TestCredentials tries the ways of proving who one is, each with the right
// words and with wrong ones, which no error may repeat.
func TestCredentials(t *testing.T) {
	config, ca := certificate(t)
	for name, c := range map[string]struct {
		server flighttest.Options
		right  Options
		wrong  Options
	}{
		"bearer":          {flighttest.Options{TLS: config, Token: "good"}, Options{Token: "good"}, Options{Token: "bad-secret"}},
		"basic, exchange": {flighttest.Options{TLS: config, User: "u", Password: "p:w"}, Options{User: "u", Password: "p:w"}, Options{User: "u", Password: "bad-secret"}},
		"basic, each call": {flighttest.Options{TLS: config, User: "u", Password: "pw", NoHandshake: true},
			Options{User: "u", Password: "pw"}, Options{User: "u", Password: "bad-secret"}},
		"nobody": {flighttest.Options{TLS: config, Token: "good"}, Options{Token: "good"}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			server := flighttest.New(t, c.server)
			exec(t, server, "CREATE TABLE t AS SELECT range AS n FROM range(3)")
			c.right.URI, c.right.CAFile = server.SecureURI(), ca
			f := opened(t, c.right)
			defer closed(t, f)
			if n, err := count(t, f); n != 3 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
			server.Revoke()
			if n, err := count(t, f); n != 3 || err != nil {
				t.Errorf("once the token is outdated: %d rows, %v", n, err)
			}
			c.wrong.URI, c.wrong.CAFile = server.SecureURI(), ca
			f = opened(t, c.wrong)
			defer closed(t, f)
			if _, err := count(t, f); !api.CodeSource.Is(err) || strings.Contains(err.Error(), "bad-secret") {
				t.Errorf("with wrong credentials: %v", err)
			}
		})
	}
}

// TestTLS holds that a certificate that nobody vouches for ends the connection.
func TestTLS(t *testing.T) {
	config, _ := certificate(t)
	_, other := certificate(t)
	server := flighttest.New(t, flighttest.Options{TLS: config, Token: "good"})
	for _, ca := range []string{"", other} {
		f := opened(t, Options{URI: server.SecureURI(), CAFile: ca, Token: "good"})
		if _, err := count(t, f); !api.CodeSource.Is(err) {
			t.Errorf("ca_file %q: %v", ca, err)
		}
		closed(t, f)
	}
}

package s3test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"
)

// Google comes before a server as Cloud Storage does before its buckets: who
// has a token may read, and tokens are for who has the key of one service
// account. It looks at keys, signatures and tokens as Google does, and leaves
// listings and objects to the server. A token is good beside those made after
// it, and here for as long as the test runs, whatever it is said to last: what
// a test finds depends on no clock. Made tells who asks for one in time.
type Google struct {
	// URL is where clients find the buckets.
	URL string
	// TokenURL is where they ask for tokens.
	TokenURL string

	server  *Server
	account *rsa.PrivateKey
	scope   string

	mu      sync.Mutex
	life    time.Duration // of tokens, as they are told
	made    map[string]bool
	current string // the last of them
	blind   bool   // the account may not read
}

// NewGoogle starts one that ends with the test. Tokens are in this scope.
func NewGoogle(t testing.TB, server *Server, scope string) *Google {
	t.Helper()
	g := &Google{server: server, account: newKey(t), scope: scope, life: time.Hour, made: map[string]bool{}}
	tokens := httptest.NewServer(http.HandlerFunc(g.token))
	store := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(tokens.Close)
	t.Cleanup(store.Close)
	g.URL, g.TokenURL = store.URL, tokens.URL
	return g
}

// Secure is where clients find the buckets with TLS. The test trusts it, so it
// runs beside no other one.
func (g *Google) Secure(t testing.TB) (url string) {
	t.Helper()
	store := httptest.NewTLSServer(http.HandlerFunc(g.serve))
	t.Cleanup(store.Close)
	path := filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: store.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", path)
	return store.URL
}

func newKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// KeyFile writes the key file of the account, or one with a key that is not
// the account's.
func (g *Google) KeyFile(t testing.TB, genuine bool) string {
	t.Helper()
	key := g.account
	if !genuine {
		key = newKey(t)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "reader@company.example", "private_key_id": "1", "token_uri": g.TokenURL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE" + " KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Last is how long tokens are said to live that are made from now on.
func (g *Google) Last(life time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.life = life
}

// Forbid takes the account's right to read.
func (g *Google) Forbid() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blind = true
}

// Made is how many tokens were made, and the last one.
func (g *Google) Made() (n int, last string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.made), g.current
}

// token answers who asks for one.
func (g *Google) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if why := g.check(r.PostFormValue("grant_type"), r.PostFormValue("assertion")); why != "" {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_description": why})
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = "ya29." + rand.Text()
	g.made[g.current] = true
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": g.current, "token_type": "Bearer", "expires_in": int(g.life.Seconds())})
}

// check says what is wrong with an assertion; "" if nothing is.
func (g *Google) check(grant, assertion string) string {
	parts := strings.Split(assertion, ".")
	if grant != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(parts) != 3 {
		return "Not an assertion."
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(&g.account.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return "Invalid JWT Signature."
	}
	var claims struct{ Iss, Aud, Scope string }
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(data, &claims) != nil || claims.Iss != "reader@company.example" || claims.Aud != g.TokenURL || claims.Scope != g.scope {
		return fmt.Sprintf("Invalid claims: %s", data)
	}
	return ""
}

// serve forwards requests with the token, signed anew.
func (g *Google) serve(w http.ResponseWriter, r *http.Request) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	g.mu.Lock()
	known, blind := bearer && g.made[token], g.blind
	g.mu.Unlock()
	switch {
	case !known:
		refuse(w, http.StatusUnauthorized, "AuthenticationRequired")
		return
	case blind:
		refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, g.server.URL+r.URL.RequestURI(), http.NoBody)
	if err != nil {
		refuse(w, http.StatusBadRequest, "InvalidURI")
		return
	}
	for _, name := range []string{"Range", "If-Match"} {
		if v := r.Header.Get(name); v != "" {
			out.Header.Set(name, v)
		}
	}
	out.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	resp, err := http.DefaultTransport.RoundTrip(signer.SignV4(*out, AccessKey, SecretKey, "", Region))
	if err != nil {
		refuse(w, http.StatusBadGateway, "InternalError")
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // to a client that may have gone
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>No.</Message></Error>", code)
}

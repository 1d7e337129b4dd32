package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/googleauth"
	"github.com/agnes-data/da/internal/testing/s3test"
)

const content = "Objects of a company, of which some must be read."

// newGoogle is a store of one object, company/lake/a.txt, behind tokens.
func newGoogle(t *testing.T) (*s3test.Server, *s3test.Google) {
	t.Helper()
	server := s3test.New(t)
	if err := server.Client.MakeBucket(t.Context(), "company", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Client.PutObject(t.Context(), "company", "lake/a.txt", strings.NewReader(content), int64(len(content)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	return server, s3test.NewGoogle(t, server, googleauth.ReadStorage)
}

// all reads the only object in two parts.
func all(ctx context.Context, o Options) (string, error) {
	b, err := Open(o)
	if err != nil {
		return "", err
	}
	var found []Object
	if err := b.List(ctx, "", func(o Object) error { found = append(found, o); return nil }); err != nil {
		return "", err
	}
	if len(found) != 1 || found[0].Key != "a.txt" {
		return "", fmt.Errorf("listed %v", found)
	}
	var out bytes.Buffer
	for _, part := range [][2]int64{{0, 7}, {7, found[0].Size - 7}} {
		r, err := b.Read(ctx, found[0], part[0], part[1])
		if err != nil {
			return "", err
		}
		_, err = io.Copy(&out, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// silent holds that no cause of an error tells a secret.
func silent(t *testing.T, err error, secrets ...string) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, s := range append(secrets, "PRIVATE") {
			if s != "" && strings.Contains(fmt.Sprintf("%v %+v", err, err), s) {
				t.Errorf("an error tells %q", s)
			}
		}
	}
}

func TestAServiceAccountReads(t *testing.T) {
	_, google := newGoogle(t)
	o := Options{URL: "gs://company/lake", Endpoint: google.URL, CredentialsFile: google.KeyFile(t, true)}
	got, err := all(t.Context(), o)
	if err != nil || got != content {
		t.Fatalf("%q, %v", got, err)
	}
	if n, _ := google.Made(); n != 1 {
		t.Errorf("%d tokens were made for three requests", n)
	}
	// A token that is about to end is replaced before it does.
	google.Last(5 * time.Second)
	if got, err := all(t.Context(), o); err != nil || got != content {
		t.Errorf("with tokens of five seconds: %q, %v", got, err)
	}
	if n, _ := google.Made(); n < 4 {
		t.Errorf("%d tokens in all", n)
	}
}

func TestTheEnvironmentsAccountReads(t *testing.T) {
	_, google := newGoogle(t)
	o := Options{URL: "gs://company/lake", Endpoint: google.Secure(t)}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", google.KeyFile(t, true))
	if got, err := all(t.Context(), o); err != nil || got != content {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "nothing.json"))
	_, err := all(t.Context(), o)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != api.KindCredentials || !strings.Contains(e.Hint, "GOOGLE_APPLICATION_CREDENTIALS") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestTheEnvironmentsAccountStaysAtHome holds that what listens on this machine
// without TLS gets nothing of it, and that who asks in vain is told why.
func TestTheEnvironmentsAccountStaysAtHome(t *testing.T) {
	_, google := newGoogle(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", google.KeyFile(t, true))
	var requests atomic.Int64
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Error("a server without TLS got the token")
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(local.Close)
	for _, endpoint := range []string{local.URL, strings.Replace(local.URL, "http", "HTTP", 1)} {
		requests.Store(0)
		_, err := all(t.Context(), Options{URL: "gs://company/lake", Endpoint: endpoint})
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != api.KindPermissionDenied || !strings.Contains(e.Hint, "https://") {
			t.Errorf("%s: %v", endpoint, err)
		}
		if n, _ := google.Made(); n != 0 || requests.Load() == 0 {
			t.Errorf("%s: %d tokens for %d requests", endpoint, n, requests.Load())
		}
	}
}

func TestKeysStillRead(t *testing.T) {
	server, _ := newGoogle(t)
	got, err := all(t.Context(), Options{URL: "gs://company/lake", Endpoint: server.URL, Region: s3test.Region, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey})
	if err != nil || got != content {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhoMayNotReadIsTold(t *testing.T) {
	_, google := newGoogle(t)
	refused := func(what string, o Options, kind, hint string) {
		t.Helper()
		_, err := all(t.Context(), o)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != kind || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v", what, err)
		}
		_, token := google.Made()
		silent(t, err, token)
	}
	o := Options{URL: "gs://company/lake", Endpoint: google.URL, CredentialsFile: google.KeyFile(t, false)}
	refused("a key that was deleted", o, api.KindCredentials, "credentials_file")
	o.CredentialsFile = google.KeyFile(t, true)
	google.Forbid()
	refused("an account without a role", o, api.KindPermissionDenied, "Storage Object Viewer")
	o.AccessKey, o.SecretKey, o.CredentialsFile, o.Region = "GOOG1", "secret-of-hmac", "", "auto"
	refused("keys where tokens are wanted", o, api.KindPermissionDenied, "keys")
}

// TestATokenServerThatTellsTooMuch has one that answers with the token in an
// error, with nothing, and not at all.
func TestATokenServerThatTellsTooMuch(t *testing.T) {
	_, google := newGoogle(t)
	const secret = "ya29.very-secret"
	var answer atomic.Pointer[http.HandlerFunc]
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) }))
	google.TokenURL = tokens.URL
	o := Options{URL: "gs://company/lake", Endpoint: google.URL, CredentialsFile: google.KeyFile(t, true)}
	for name, a := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"access_token": "`+secret+`"}`, http.StatusForbidden)
		},
		"a failure": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusBadGateway) },
		"nonsense":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, secret) },
		"nothing":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		answer.Store(&a)
		_, err := all(t.Context(), o)
		if !api.CodeSource.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
		silent(t, err, secret)
	}
	// One who is interrupted does not wait for it.
	asked, end := make(chan struct{}), make(chan struct{})
	late := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-end })
	answer.Store(&late)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := all(ctx, o); !api.CodeInterrupted.Is(err) {
		t.Errorf("interrupted: %v", err)
	}
	close(end)
	tokens.Close()
}

// TestTheTokenStaysAtHome holds that nobody but the endpoint gets the token,
// wherever it sends the client.
func TestTheTokenStaysAtHome(t *testing.T) {
	_, google := newGoogle(t)
	abroad := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another host got the token")
		}
	}))
	t.Cleanup(abroad.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ya29.") {
				t.Error("the endpoint got no token")
			}
			w.Header().Set("x-amz-bucket-region", "abroad")
			http.Redirect(w, r, abroad.URL, status)
		}))
		_, err := all(t.Context(), Options{URL: "gs://company/lake", Endpoint: home.URL, CredentialsFile: google.KeyFile(t, true)})
		if !api.CodeSource.Is(err) {
			t.Errorf("%d: %v", status, err)
		}
		home.Close()
	}
	// The transport itself knows its own, too.
	tokens, err := googleauth.Open(google.KeyFile(t, true), googleauth.ReadStorage)
	if err != nil {
		t.Fatal(err)
	}
	endpoint := &url.URL{Scheme: "https", Host: "storage.example.com"}
	for to, gets := range map[string]bool{
		"https://storage.example.com/b": true, "https://storage.example.com:443/b": true, "https://storage.example.com:444/b": false,
		"http://storage.example.com/b": false, "http://storage.example.com:443/b": false, "https://example.com/b": false, "https://a.storage.example.com/b": false,
		"https://storage.example.com.evil.example/b": false,
	} {
		var seen string
		b := &bearer{endpoint: endpoint, tokens: tokens, next: seeing(func(r *http.Request) { seen = r.Header.Get("Authorization") })}
		r := httptest.NewRequest(http.MethodGet, to, nil)
		if _, err := b.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
		if (seen != "") != gets || r.Header.Get("Authorization") != "" {
			t.Errorf("%s gets %q", to, seen)
		}
	}
}

// seeing is a network on which requests are looked at.
type seeing func(*http.Request)

// RoundTrip implements http.RoundTripper.
func (s seeing) RoundTrip(r *http.Request) (*http.Response, error) {
	s(r)
	return &http.Response{}, nil
}

func TestCredentialsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := write("key.json", `{"type": "service_account", "client_email": "a@b", "private_key": "very-secret", "token_uri": "https://t.example"}`)
	for name, o := range map[string]Options{
		"no file":          {URL: "gs://b", CredentialsFile: filepath.Join(dir, "none.json")},
		"no JSON":          {URL: "gs://b", CredentialsFile: write("a.json", "very-secret")},
		"a user's":         {URL: "gs://b", CredentialsFile: write("b.json", `{"type": "authorized_user", "refresh_token": "very-secret"}`)},
		"another store":    {URL: "s3://b", CredentialsFile: key},
		"beside keys":      {URL: "gs://b", CredentialsFile: key, AccessKey: "k", SecretKey: "very-secret"},
		"an open endpoint": {URL: "gs://b", CredentialsFile: key, Endpoint: "http://storage.example.com"},
	} {
		_, err := Open(o)
		if !api.CodeConfig.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
		silent(t, err, "very-secret")
	}
}

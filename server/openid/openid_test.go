package openid

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/agnes-data/da/internal/config"
)

// finish signs in at a provider whose ID token has the claims, besides those that every
// token has.
func finish(t *testing.T, claims map[string]any) (string, error) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var nonce string
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	say := func(path string, value func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value())
		})
	}
	say("/.well-known/openid-configuration", func() any {
		return map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/auth", "token_endpoint": s.URL + "/token", "jwks_uri": s.URL + "/keys"}
	})
	say("/keys", func() any { return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey}}} })
	say("/token", func() any {
		all := map[string]any{"iss": s.URL, "sub": "7", "aud": "da", "nonce": nonce, "exp": time.Now().Add(time.Hour).Unix(), "email_verified": true}
		for k, v := range claims {
			all[k] = v
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Error(err)
		}
		signed, err := signer.Sign(text)
		if err != nil {
			t.Error(err)
		}
		token, err := signed.CompactSerialize()
		if err != nil {
			t.Error(err)
		}
		return map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": token}
	})
	claim := "email"
	if _, ok := claims["email"]; !ok {
		claim = "preferred_username"
	}
	p := New(config.OpenID{Issuer: s.URL, ClientID: "da", Claim: claim}, "secret")
	_, flow, err := p.Begin(t.Context(), "http://127.0.0.1/callback")
	if err != nil {
		t.Fatal(err)
	}
	nonce = flow.Nonce
	return p.Finish(t.Context(), "http://127.0.0.1/callback", flow, url.Values{"state": {flow.State}, "code": {"x"}})
}

// TestNamesOfTokens holds whom a token names: for whom it was made, and as which user.
func TestNamesOfTokens(t *testing.T) {
	for _, c := range []struct {
		claims map[string]any
		want   string
	}{
		{map[string]any{"email": "Ann@Example.com"}, "ann@example.com"},
		{map[string]any{"preferred_username": " U1"}, " U1"}, // the state has no such name
		{map[string]any{"email": "a@b", "aud": []string{"other", "da"}}, ""},
		{map[string]any{"email": "a@b", "aud": []string{"other", "da"}, "azp": "other"}, ""},
		{map[string]any{"email": "a@b", "azp": "other"}, ""},
		{map[string]any{"email": "a@b", "aud": []string{"other", "da"}, "azp": "da"}, "a@b"},
		{map[string]any{"email": "a@b", "aud": "other"}, ""},
	} {
		if name, err := finish(t, c.claims); name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c.claims, name, err)
		}
	}
}

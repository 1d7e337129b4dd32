package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestOpenIDProvider(t *testing.T) {
	inst, err := parseInstance(t, "oidc: { issuer: https://login.example.com/realm, client_id: da, client_secret_file: data/key.json }\n")
	if err != nil {
		t.Fatal(err)
	}
	o := inst.OpenID
	if o.Claim != "email" || o.Scopes != "openid profile email" || !filepath.IsAbs(o.SecretFile) {
		t.Errorf("%+v", o)
	}
	for text, want := range map[string]string{
		"{ issuer: http://login.example.com, client_id: da }":              "https://",
		"{ issuer: login.example.com, client_id: da }":                     "address",
		"{ issuer: 'https://u:p@login.example.com', client_id: da }":       "address",
		"{ issuer: https://login.example.com }":                            "client_id",
		"{ client_id: da }":                                                "issuer",
		"{ issuer: https://a.b, client_id: d, client_secret_env: '' }":     "empty",
		"{ issuer: https://a.b, client_id: d, client_secret: plain-text }": "client_secret",
	} {
		if _, err := parseInstance(t, "oidc: "+text+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := parseInstance(t, "oidc: { issuer: 'http://127.0.0.1:9998', client_id: da }\n"); err != nil {
		t.Errorf("on this machine: %v", err)
	}
}

func TestOpenIDSecret(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Places{Getenv: func(name string) string { return map[string]string{"SET": "from-env"}[name] }}
	for want, o := range map[string]OpenID{"s3cret": {SecretFile: file}, "from-env": {SecretEnv: "SET"}, "": {}} {
		if got, err := p.OpenIDSecret(o); got != want || err != nil {
			t.Errorf("%+v: %q, %v", o, got, err)
		}
	}
	if _, err := p.OpenIDSecret(OpenID{SecretEnv: "UNSET"}); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), "UNSET") {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.OpenIDSecret(OpenID{SecretFile: file}); !api.CodeConfig.Is(err) || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}

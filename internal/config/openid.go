package config

import (
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
)

// OpenID names a provider at which people sign in to the page.
type OpenID struct {
	Issuer   string // its address; empty if not configured
	ClientID string
	// SecretEnv is the variable with the client's secret, SecretFile the absolute
	// path of a file with it. If both are empty, the client is public and relies
	// on PKCE alone.
	SecretEnv  string
	SecretFile string
	// Claim is the claim with the user's name.
	Claim  string
	Scopes string // separated by spaces
	Name   string // of the provider, for people; empty: the issuer's host
}

// openID reads the section oidc.
func (p *instanceReader) openID(n ast.Node) {
	o := &p.inst.OpenID
	o.Claim, o.Scopes = "email", "openid profile email"
	seen := p.readFields(p.entries(n, "oidc"), []field{
		{"issuer", p.text(&o.Issuer, checkIssuer)},
		{"client_id", p.text(&o.ClientID, notEmpty)},
		{"client_secret_env", p.text(&o.SecretEnv, notEmpty)},
		{"client_secret_file", p.text(&o.SecretFile, notEmpty)},
		{"claim", p.text(&o.Claim, notEmpty)},
		{"scopes", p.text(&o.Scopes, notEmpty)},
		{"name", p.text(&o.Name, notEmpty)},
	})
	for _, key := range []string{"issuer", "client_id"} {
		if _, ok := seen[key]; !ok {
			p.faultAt(nodePosition(n), "oidc: %s is missing", key)
		}
	}
}

// checkIssuer requires TLS beyond this machine: a person who can change the provider's
// answers can sign in as any user.
func checkIssuer(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "must be the provider's address, as in https://login.example.com"
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return ""
	}
	return "must begin with https://"
}

// OpenIDSecret returns the secret of o's client; empty if it has none.
func (p Places) OpenIDSecret(o OpenID) (string, error) {
	switch {
	case o.SecretFile != "":
		return secretFile(o.SecretFile, "the secret of the OpenID client", "oidc.client_secret_file")
	case o.SecretEnv != "":
		secret := strings.TrimSpace(p.Getenv(o.SecretEnv))
		if secret == "" {
			return "", &api.Error{Code: api.CodeConfig, Kind: api.KindNoClientSecret,
				Message: "the variable " + o.SecretEnv + " is not set; it holds the secret of the OpenID client",
				Hint:    "Set it, or name another one in oidc.client_secret_env."}
		}
		return checkToken(secret, o.SecretEnv)
	}
	return "", nil
}

// secretFile reads a file with a secret, which a key of the config names.
func secretFile(file, what, key string) (string, error) {
	if err := checkModes(file, maxTokenBytes); err != nil {
		return "", &api.Error{Code: api.CodeConfig, Message: what + " cannot be used: " + err.Error(), Err: err,
			Hint: key + " names a file that only you can read, in a folder that only you can read."}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", tokenError(file, "cannot be read: "+reason(err), "", err)
	}
	return checkToken(strings.TrimSpace(string(data)), file)
}

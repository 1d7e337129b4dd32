package secrets_test

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/secrets"
)

// TestSecretsAreTakenOut spells secrets out of halves, so that none is in the
// repository.
func TestSecretsAreTakenOut(t *testing.T) {
	c := secrets.New("hunter2hunter2", "", "short", "hunter2hunter2-longer")
	for _, secret := range []string{
		"hunter2hunter2", "hunter2hunter2-longer", "AKIA" + strings.Repeat("A", 16), "AIza" + strings.Repeat("a", 35), "ghp" + "_" + strings.Repeat("a", 36),
		"xoxb" + "-1234567890-abc", "eyJ" + "hbGciOiJIUzI1" + ".eyJ" + "zdWIiOiIxMjM0" + ".c2ln", "sk" + "-ant-" + strings.Repeat("a", 30), "da" + "_" + strings.Repeat("a", 40),
		"-----BEGIN RSA PRIVATE" + " KEY-----\nabc\n-----END RSA PRIVATE" + " KEY-----", "postgres://ann:" + "geheim@",
	} {
		text, n := c.Clean("a " + secret + " z")
		if n != 1 || strings.Contains(text, secret) || !strings.HasPrefix(text, "a ") || !strings.HasSuffix(text, " z") {
			t.Errorf("%q is left as %q, %d found", secret, text, n)
		}
	}
	const plain = `{"sql":"SELECT short FROM da_table WHERE url = 'https://example.com:8080/x@y'","id":"data-0123456789ab","sk-1":2}`
	if text, n := c.Clean(plain); text != plain || n != 0 {
		t.Errorf("plain text became %q", text)
	}
}

// TestPlacesAreNamed has paths below known folders, and no others, tell nothing of the
// machine.
func TestPlacesAreNamed(t *testing.T) {
	p := secrets.NewPlaces(map[string]string{"/users/ann": "~", "/users/ann/.agnes": "DA_HOME", "/users/ann/.agnes/talks/1/files/": "", "/": "ROOT"})
	for text, want := range map[string]string{
		`{"file":"import:/users/ann/.agnes/talks/1/files/in/x.csv"}`:                           `{"file":"import:in/x.csv"}`,
		"outside of the root /users/ann/.agnes/talks/1/files":                                  "outside of the root .",
		"/users/ann/.agnes/config, /users/ann/x and /users/ann":                                "DA_HOME/config, ~/x and ~",
		"https://x.org/users/ann/y, /srv/users/ann, /users/anna, /users/ann-b and /etc/passwd": "https://x.org/users/ann/y, /srv/users/ann, /users/anna, /users/ann-b and /etc/passwd",
	} {
		if got := p.Hide(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	if got := (secrets.Places{}).Hide("/x"); got != "/x" {
		t.Errorf("without places %s", got)
	}
}

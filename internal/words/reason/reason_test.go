package reason

import (
	"strings"
	"testing"
)

func TestCausesAreOneLineWithoutPasswords(t *testing.T) {
	for said, want := range map[string]string{
		"failed to connect:\n\ta: refused\n\tb: \x1b[1mrefused": `failed to connect: a: refused; b: \x1b[1mrefused`,
		"failed to connect:\n\ta: refused\n\ta: refused":        "failed to connect: a: refused",
		"cannot parse postgres://u:p@ss:w@h/db":                 "cannot parse postgres://u:xxxxx@h/db",
		"parsing host=h password='a b' user=u":                  "parsing host=h password=xxxxx user=u",
		"parsing PASSWORD = secret user=u":                      "parsing PASSWORD = xxxxx user=u",
		"parsing password=a;b,c&d user=u":                       "parsing password=xxxxx user=u",
		"parsing u:p:w@tcp(h:3306)/db":                          "parsing u:xxxxx@tcp(h:3306)/db",
		"dial tcp 127.0.0.1:1: connection refused":              "dial tcp 127.0.0.1:1: connection refused",
	} {
		if got := Line(said, 500); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if got := Line(strings.Repeat("x", 600), 500); len([]rune(got)) > 501 {
		t.Errorf("%d characters", len(got))
	}
}

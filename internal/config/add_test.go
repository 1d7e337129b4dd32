package config_test

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source/registry"
)

// TestAddSource holds that a source is one more line, wherever the sources stand.
func TestAddSource(t *testing.T) {
	const line = `  new: { type: spark, uri: "sc://h:15002" }`
	for name, c := range map[string]struct{ before, after string }{
		"no file":    {"", "sources:\n" + line + "\n"},
		"no sources": {"# mine\napi:\n  scan: { max_limit: 5 }", "# mine\napi:\n  scan: { max_limit: 5 }\nsources:\n" + line + "\n"},
		"empty":      {"sources: {}\ntables: []\n", "sources: \n" + line + "\ntables: []\n"},
		"last":       {"sources:\n    a:\n      type: trino # why\n      dsn_env: X\n\n# the tables\ntables: []\n", "sources:\n    a:\n      type: trino # why\n      dsn_env: X\n  " + line + "\n\n# the tables\ntables: []\n"},
		"at the end": {"sources:\n  a: { type: trino, dsn_env: X }\n  # b: { type: trino }\n", "sources:\n  a: { type: trino, dsn_env: X }\n  # b: { type: trino }\n" + line + "\n"},
		"CRLF":       {"sources:\r\n  a: { type: trino, dsn_env: X }\r\n", "sources:\r\n  a: { type: trino, dsn_env: X }\r\n" + line + "\r\n"},
	} {
		text, inst, err := config.AddSource("instance.yaml", []byte(c.before), "new", []config.Pair{{Key: "type", Value: "spark"}, {Key: "uri", Value: "sc://h:15002"}}, registry.Types())
		if err != nil || string(text) != c.after || inst.Sources[len(inst.Sources)-1].Text["uri"] != "sc://h:15002" {
			t.Errorf("%s: %q, want %q, %v", name, text, c.after, err)
		}
	}
}

// TestAddSourceRefuses leaves alone what it cannot change line by line.
func TestAddSourceRefuses(t *testing.T) {
	for before, says := range map[string]string{
		"sources: { a: { type: trino, dsn_env: X } }\n":        "cannot be added to line by line",
		"\"sources\":\n  a: { type: trino, dsn_env: X }\n":     "cannot be added to line by line",
		"sources:\n  new: { type: trino, dsn_env: X }\n":       "there is a source new already, at instance.yaml:2:3",
		"sources:\n  a: { type: nothing }\n":                   "unknown source type",
		"sources:\n  a:\n    { type: trino,\n dsn_env: X }\n#": "",
	} {
		text, _, err := config.AddSource("instance.yaml", []byte(before), "new", []config.Pair{{Key: "type", Value: "trino"}, {Key: "dsn_env", Value: "Y"}}, registry.Types())
		if says == "" {
			if err == nil && !strings.Contains(string(text), "new: ") {
				t.Errorf("%q: %q", before, text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), says) || !api.CodeConfig.Is(err) && !api.CodeUsage.Is(err) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

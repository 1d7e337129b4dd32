package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// example is a value that a key takes.
func example(k Setting) string {
	switch {
	case k.Name == "server":
		return "https://data.example.com"
	case k.Name == "agent.provider":
		return "openai"
	case k.Name == "query.fetch":
		return "auto"
	case k.Name == "agent.values":
		return "hidden"
	case k.Name == "agent.reuse":
		return "approved"
	case k.Name == "agent.python":
		return "on"
	case k.Type == "text":
		return "true # no: \"comment\""
	case k.Type == "boolean":
		return "false"
	}
	return "5000"
}

func TestEachKeyIsSetAndUnset(t *testing.T) {
	const before = "# mine\nsnapshot_quota_gb: 3   # small\n\nfiles:\n    max_file_mb: 7\n\n# the end\n"
	for _, start := range []string{"", before} {
		for _, k := range SettingsOf(map[string]any{"alias.mine": "x"}) {
			value := example(k)
			text, err := Edited("config", []byte(start), k, &value)
			if err != nil {
				t.Errorf("%s: %v\n%s", k.Name, err, text)
				continue
			}
			values, err := Values("config", text)
			if err != nil || fmt.Sprint(values[k.Name]) != value {
				t.Errorf("%s is %v, %v", k.Name, values[k.Name], err)
			}
			text, err = Edited("config", text, k, nil)
			if values, _ = Values("config", text); err != nil || values[k.Name] != nil {
				t.Errorf("%s is %v, %v", k.Name, values[k.Name], err)
			}
			if !strings.Contains(string(text), strings.Split(start, "\n")[0]) || !strings.HasSuffix(string(text), start[max(0, len(start)-10):]) && k.Name != "server" && strings.HasPrefix(k.Name, "files") {
				t.Errorf("%s: %s", k.Name, text)
			}
		}
	}
	value := "4"
	text, err := Edited("config", []byte(before), Setting{Name: "snapshot_quota_gb", Type: "number"}, &value)
	if err != nil || !strings.Contains(string(text), "snapshot_quota_gb: 4 # small\n") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestEditedRefuses(t *testing.T) {
	bad := "many"
	for _, tt := range []struct{ text, key string }{
		{"", "snapshot_quota_gb"}, {"", "server"}, {"", "fetch_default_estimate"}, {"", "agent.provider"},
		{"files: {max_file_mb: 3}\n", "files.max_total_mb"}, {"nonsense: 1\n", "server"},
	} {
		k, err := FindSetting(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Edited("config", []byte(tt.text), k, &bad); !api.CodeConfig.Is(err) {
			t.Errorf("%s in %q: %v", tt.key, tt.text, err)
		}
	}
	if _, err := FindSetting("snapshot_quota"); !api.CodeUsage.Is(err) || !strings.Contains(err.(*api.Error).Hint, "snapshot_quota_gb") {
		t.Errorf("%v", err)
	}
}

// TestKeysAreThoseThatAreRead holds that the table has every key that the
// reader knows.
func TestKeysAreThoseThatAreRead(t *testing.T) {
	found := 0
	for _, file := range []string{"client.go", "model.go", "agent.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, m := range regexp.MustCompile(`\{"([a-z_]+)", r\.(text|number|boolean|integer)\(`).FindAllStringSubmatch(string(text), -1) {
			found++
			known := false
			for _, k := range Settings() {
				known = known || k.Name[strings.LastIndexByte(k.Name, '.')+1:] == m[1]
			}
			if !known {
				t.Errorf("%s has no row", m[1])
			}
		}
	}
	if found != len(Settings())-1 { // aliases have names of the user's
		t.Errorf("%d keys are read, %d are told", found, len(Settings()))
	}
}

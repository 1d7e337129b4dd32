package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// places builds the places of a test: an empty home and working folder, and
// an environment.
func places(t *testing.T, env map[string]string) Places {
	t.Helper()
	return Places{
		Getenv: func(name string) string { return env[name] },
		Home:   t.TempDir(),
		Dir:    t.TempDir(),
	}
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	// WriteFile's mode passes through the umask.
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestClientConfig(t *testing.T) {
	env := map[string]string{}
	p := places(t, env)
	got, err := LoadClient(p)
	if want := (Client{SnapshotQuotaGB: 10, SnapshotStaleWarnDays: 7, FetchDefaultEstimate: true, QueryFetch: "off", QueryFetchMaxBytes: 1_000_000_000, PartsQuotaGB: 5, Files: DefaultFiles()}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without a file: %+v, %v", got, err)
	}
	write(t, filepath.Join(p.Home, ".agnes", "config"),
		"server: https://data.example.com/base\nsnapshot_quota_gb: 2.5\nsnapshot_stale_warn_days: 0\nfetch_default_estimate: false\n", 0o600)
	got, err = LoadClient(p)
	if want := (Client{Server: "https://data.example.com/base", SnapshotQuotaGB: 2.5, QueryFetch: "off", QueryFetchMaxBytes: 1_000_000_000, PartsQuotaGB: 5, Files: DefaultFiles()}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("from ~/.agnes/config: %+v, %v", got, err)
	}

	env[EnvConfig] = "other"
	_, err = LoadClient(p)
	if faults := faultsOf(t, err); !strings.Contains(faults[0], "no such client config") {
		t.Errorf("a named file that is not there: %v", faults)
	}
	write(t, filepath.Join(p.Dir, "other"), "server: ''\n", 0o600)
	if got, err = LoadClient(p); err != nil || !reflect.DeepEqual(got, DefaultClient()) {
		t.Errorf("from DA_CONFIG: %+v, %v", got, err)
	}
}

func TestClientConfigFaults(t *testing.T) {
	_, err := ParseClient("config", []byte("servr: x\nserver: ftp://x\nsnapshot_quota_gb: -1\nfetch_default_estimate: 1\n"))
	want := []string{
		`1:1 unknown key "servr"; did you mean "server"?`,
		`2:9 a server is a URL as in https://data.example.com`,
		`3:20 must be a number that is not negative`,
		`4:25 must be true or false, and is a number`,
	}
	if got := faultsOf(t, err); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
	for _, server := range []string{"x", "https://", "http://ann:pw@x", "https://x?q", "https://x/#f", "http://%zz"} {
		if CheckServer(server) == "" {
			t.Errorf("%q passes", server)
		}
	}
}

func TestPlaces(t *testing.T) {
	env := map[string]string{}
	p := places(t, env)
	check := func(what string, get func() (string, error), want string) {
		t.Helper()
		if got, err := get(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q, %v; want %q", what, got, err, want)
		}
	}
	check("data", p.Data, filepath.Join(p.Home, "agnes-data", "user"))
	check("config", p.ClientConfig, filepath.Join(p.Home, ".agnes", "config"))
	check("token file", p.TokenFile, filepath.Join(p.Home, ".agnes", "token"))
	env[EnvHome], env[EnvConfig] = "/somewhere/", "sub/c"
	check("data", p.Data, "/somewhere")
	check("config", p.ClientConfig, filepath.Join(p.Dir, "sub/c"))

	delete(env, EnvHome)
	delete(env, EnvConfig)
	p.Home = ""
	for _, get := range []func() (string, error){p.Data, p.ClientConfig, p.TokenFile} {
		if got, err := get(); !api.CodeConfig.Is(err) {
			t.Errorf("without a home: %q, %v", got, err)
		}
	}
	if token, err := p.Token(); token != "" || err != nil {
		t.Errorf("token without a home: %q, %v", token, err)
	}
}

func TestInstanceSearchOrder(t *testing.T) {
	env := map[string]string{}
	p := places(t, env)
	check := func(flag, want string) {
		t.Helper()
		if got, err := p.Instance(flag); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	if _, err := p.Instance(""); !api.CodeConfig.Is(err) || !strings.Contains(err.Error(), p.Home) {
		t.Errorf("with no instance: %v", err)
	}
	atHome := filepath.Join(p.Home, ".agnes", "instance.yaml")
	write(t, atHome, "", 0o600)
	check("", atHome)
	here := filepath.Join(p.Dir, "instance.yaml")
	write(t, here, "", 0o600)
	check("", here)
	env[EnvInstance] = "named.yaml"
	check("", filepath.Join(p.Dir, "named.yaml"))
	check("/flag.yaml", "/flag.yaml")
}

func TestToken(t *testing.T) {
	env := map[string]string{}
	p := places(t, env)
	file := filepath.Join(p.Home, ".agnes", "token")
	check := func(what, want string) {
		t.Helper()
		if got, err := p.Token(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	refused := func(what, says string) {
		t.Helper()
		var hint string
		got, err := p.Token()
		if e := (*api.Error)(nil); errors.As(err, &e) {
			hint = e.Hint
		}
		if got != "" || !api.CodeConfig.Is(err) || !strings.Contains(err.Error()+" "+hint, says) {
			t.Errorf("%s: %q, %v, hint %q", what, got, err, hint)
		}
	}
	check("no file", "")
	write(t, file, "da_abc\n", 0o600)
	check("a file", "da_abc")
	env[EnvToken] = " da_env\n"
	check("DA_TOKEN beats the file", "da_env")
	env[EnvToken] = "a b"
	refused("a token with a space", EnvToken)
	env[EnvToken] = ""

	write(t, file, "da_abc", 0o640)
	refused("a readable file", "chmod 0600 "+file)
	write(t, file, "da_abc", 0o400)
	check("a read-only file", "da_abc")
	if err := os.Chmod(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	refused("a readable folder", "chmod 0700 "+filepath.Dir(file))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("a readable folder without a token", "")
	if err := os.Chmod(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for text, says := range map[string]string{"": "holds no token", "a\nb": "printable", strings.Repeat("x", 5000): "not a token file"} {
		write(t, file, text, 0o600)
		refused("a file of "+text[:min(len(text), 3)], says)
	}
}

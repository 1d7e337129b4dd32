package cli

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// onDesktop is the place in a session of its own with a real Secret Service, after start
// has begun it. The keyring is in the folder of the place.
func (p *place) onDesktop(start string) *place {
	p.t.Helper()
	testneed.Program(p.t, "dbus-run-session")
	testneed.Program(p.t, "gnome-keyring-daemon")
	run := p.t.TempDir()
	if err := os.Chmod(run, 0o700); err != nil {
		p.t.Fatal(err)
	}
	q := p.with("XDG_RUNTIME_DIR=" + run)
	q.wrap = []string{"dbus-run-session", "--", "sh", "-c", start + `exec "$@"`, "sh"}
	return q
}

// unlocked begins a keyring with a password, which is made at its first start.
const unlocked = "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null; "

// TestTokensLieInTheKeyring logs in on a desktop and without one, and reads the token
// where it cannot be had.
func TestTokensLieInTheKeyring(t *testing.T) {
	t.Parallel()
	admin := newPlace(t).served()
	url, token := admin.get("DA_SERVER"), admin.get("DA_TOKEN")
	home := t.TempDir()
	p := admin.with("HOME="+home, "DA_HOME="+filepath.Join(home, "home"), "DA_INSTANCE=", "DA_SERVER=", "DA_TOKEN=")
	desktop := p.onDesktop(unlocked)
	file := filepath.Join(home, ".agnes", "logins.json")
	holds := func(want bool) {
		t.Helper()
		if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), token) != want {
			t.Errorf("the token is in the file is %v: %s, %v", !want, data, err)
		}
	}
	login := func(at *place, where string, args ...string) outcome {
		t.Helper()
		o := at.with("DA_TOKEN=" + token).run(append([]string{"login", url, "--name", "here", "--json"}, args...)...)
		var said struct {
			TokenIn string `json:"token_in"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &said); err != nil || said.TokenIn != where {
			t.Fatalf("%+v, %v", o, err)
		}
		holds(where == "file")
		return o
	}
	login(desktop, "keyring")
	desktop.ok("catalog")
	if out := desktop.ok("doctor", "--json"); !strings.Contains(out, "you are admin, by a token in the system's keyring") {
		t.Error(out)
	}
	if out := p.with("DA_TOKEN=" + token).ok("whoami"); !strings.Contains(out, "admin") {
		t.Error(out)
	}
	silent, err := net.Listen("unix", filepath.Join(p.get("TMPDIR"), "bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, c := range map[string]struct {
		at   *place
		want string
	}{
		"no session":         {p, "DBUS_SESSION_BUS_ADDRESS is not set"},
		"locked":             {p.onDesktop(""), "it is locked, and was not unlocked"},
		"silent":             {p.with("DBUS_SESSION_BUS_ADDRESS=unix:path=" + silent.Addr().String()), "does not answer within 5s"},
		"another one's keys": {p.with("XDG_DATA_HOME=" + t.TempDir()).onDesktop(unlocked), "it is not there"},
	} {
		for _, command := range []string{"whoami", "logout"} {
			if name == "another one's keys" && command == "logout" {
				continue // what is not there is forgotten
			}
			o := c.at.run(command)
			if o.code != 2 || !strings.Contains(o.stderr, c.want) || !strings.Contains(o.stderr, "--in-file") {
				t.Errorf("%s, %s: %+v", name, command, o)
			}
		}
	}
	holds(false)

	// A later login there goes into the file, and says why; so does one that asks for it.
	at := p.onDesktop("")
	if o := at.with("DA_TOKEN="+token).run("login", url, "--name", "here"); o.code != 0 || !strings.Contains(o.stdout, "in a file that you alone can read") || !strings.Contains(o.stderr, "keyring does not keep the token: it is locked") {
		t.Errorf("%+v", o)
	}
	p.ok("whoami")
	login(desktop, "keyring")
	login(desktop, "file", "--in-file")
	if o := desktop.run("logout"); o.code != 0 {
		t.Errorf("%+v", o)
	}
	login(p, "file")

	// Logging out takes the token out of the keyring.
	login(desktop, "keyring")
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	desktop.ok("logout")
	if err := os.WriteFile(file, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := desktop.run("whoami"); o.code != 2 || !strings.Contains(o.stderr, "it is not there") {
		t.Errorf("after the logout: %+v", o)
	}
}

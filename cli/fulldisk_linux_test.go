package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
)

// TestAServerWithAFullDiskSaysSo fills the disk that holds a server's state, and
// makes room again.
func TestAServerWithAFullDiskSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	state := filepath.Join(p.dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	mount := `mount -t tmpfs -o size=2m tmpfs "$0" || exit 77; exec "$@"`
	p.wrap = []string{"unshare", "-m", "sh", "-c", mount, state}
	if out, err := exec.Command(p.wrap[0], append(p.wrap[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this machine lets tests mount nothing: %v %s", err, out)
	}
	server, client := p.server()
	client.wrap = nil
	// The disk is the server's alone, and so is the way to it.
	ballast := fmt.Sprintf("/proc/%d/root%s/ballast", server.Process.Pid, state)
	fill(t, ballast) // before the token is used for the first time, which is noted
	for range 2 {
		client.ok("whoami")
		o := client.run("fetch", "flights", "--json", "--select", "delay", "--as", "during")
		if e := o.lastJSON(t); e.Code != "unavailable" || e.Kind != "state" || !e.Retryable || o.code != exit.Server {
			t.Errorf("exit %d: %s", o.code, o.stderr)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	client.ok("fetch", "flights", "--select", "delay", "--as", "after")
}

// TestAFullDiskUnderTheStateIsExit4 opens a state where nothing can be written: as
// a server, as an operator, and in a run that must be recorded.
func TestAFullDiskUnderTheStateIsExit4(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	state := filepath.Join(p.dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	full := `mount -t tmpfs -o size=64k tmpfs "$0" || exit 77; head -c 1M /dev/zero > "$0"/ballast 2> /dev/null; exec "$@"`
	p.wrap = []string{"unshare", "-m", "sh", "-c", full, state}
	if out, err := exec.Command(p.wrap[0], append(p.wrap[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this machine lets tests mount nothing: %v %s", err, out)
	}
	for _, c := range []struct {
		env  string
		args []string
	}{
		{"", []string{"admin", "user", "list"}},
		{"", []string{"serve", "--listen", "127.0.0.1:0"}},
		{"DA_SESSION=report", []string{"fetch", "flights", "--limit", "1"}},
	} {
		o := p.with(c.env).run(append(c.args, "--json")...)
		if e := o.lastJSON(t); o.code != exit.Disk || e.Code != api.CodeDiskFull || e.Kind != "state" || e.Retryable {
			t.Errorf("%v: exit %d: %s", c.args, o.code, o.stderr)
		}
	}
}

// fill writes to a file until its disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(bytes.Repeat([]byte("x"), size))
		}
	}
}

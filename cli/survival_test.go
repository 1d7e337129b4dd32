package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agnes-data/da/cli/exit"
)

// rawMCP is a da mcp that is spoken to in lines.
type rawMCP struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	from *bufio.Reader
}

func (p *place) rawMCP(t *testing.T) *rawMCP {
	t.Helper()
	r := &rawMCP{t: t, cmd: p.command("mcp")}
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it may have ended
		_ = r.cmd.Wait()
	})
	r.in, r.from = in, bufio.NewReader(out)
	if code, _ := r.ask(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`); code != 0 {
		t.Fatalf("initialize: %d", code)
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return r
}

// ask sends a line and returns the code of the error that is answered, and the id.
func (r *rawMCP) ask(line string) (code int, id string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Fatalf("%.60q: %v", line, err)
	}
	answer, err := r.from.ReadString('\n')
	var said struct {
		ID    json.RawMessage `json:"id"`
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err != nil || json.Unmarshal([]byte(answer), &said) != nil {
		r.t.Fatalf("%.60q: %q, %v", line, answer, err)
	}
	return said.Error.Code, string(said.ID)
}

func TestBrokenMessagesDoNotEndASession(t *testing.T) {
	t.Parallel()
	r := newPlace(t).rawMCP(t)
	for _, c := range []struct {
		line, id string
		code     int
	}{
		{`{}`, "null", -32600}, {`null`, "null", -32600}, {`[]`, "null", -32600}, {`7`, "null", -32600}, {`[1]`, "null", -32600},
		{`not json`, "null", -32700}, {"\xff", "null", -32700}, {`{"jsonrpc":"2.0"`, "null", -32700},
		{`{"jsonrpc":"1.0","id":4,"method":"ping"}`, "4", -32600}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", -32600},
		{`{"jsonrpc":"2.0","id":5,"method":6}`, "5", -32600},
		{strings.Repeat("x", 50<<20), "null", -32600},
		{`{"jsonrpc":"2.0","id":8,"method":"nothing"}`, "8", -32601},
	} {
		code, id := r.ask(c.line)
		if code != c.code || id != c.id {
			t.Errorf("%.60q: code %d, id %s", c.line, code, id)
		}
	}
	_, _ = io.WriteString(r.in, "\n"+`{"jsonrpc":"2.0","id":99,"result":{}}`+"\n") // nobody has asked
	if code, id := r.ask(`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`); code != 0 || id != "9" {
		t.Errorf("after all of it: code %d, id %s", code, id)
	}
}

// TestACrashDoesNotLookLikeAWrongCall sends what the system sends a process that
// reads where it must not.
func TestACrashDoesNotLookLikeAWrongCall(t *testing.T) {
	t.Parallel()
	r := newPlace(t).rawMCP(t)
	if err := r.cmd.Process.Signal(syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // the state tells
	status := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() {
		t.Errorf("ended by %v", r.cmd.ProcessState)
	}
}

// TestLittleAddressSpaceIsSaid runs da where Go's runtime would end it with the
// code for a wrong call, and where an engine has no room for its work.
func TestLittleAddressSpaceIsSaid(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "rows.csv"), []byte("a,b\n1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kilobytes := range []int{300_000, 900_000, 1_700_000} {
		p.wrap = []string{"sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$@"`, kilobytes), "sh"}
		for _, args := range [][]string{{"version"}, {"table", "stats", "rows.csv"}, {"query", "--json", "SELECT 1"}} {
			if o := p.run(args...); o.code != exit.Quota || !strings.Contains(o.stderr, "ulimit -v") {
				t.Errorf("%d kB, %q: exit %d\n%.600s", kilobytes, args, o.code, o.stderr)
			}
		}
	}
}

// TestFewDescriptorsAreSaid runs da where it cannot open what it needs.
func TestFewDescriptorsAreSaid(t *testing.T) {
	p := newPlace(t)
	p.ok("fetch", "flights", "--select", "delay", "--as", "here")
	for n := 8; n < 40; n += 3 {
		// Files of an engine in the test's own process are open in its children, too.
		p.wrap = []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-`, n), "sh"}
		for _, args := range [][]string{{"query", "--json", "SELECT count(*) FROM here"}, {"fetch", "flights", "--json", "--select", "delay", "--as", "there", "--force", "--fresh"}} {
			o := p.run(args...)
			if o.code == 0 {
				continue
			}
			if e := o.lastJSON(t); o.code != exit.Server || e.Code != "unavailable" || e.Kind != "descriptors" || !strings.Contains(e.Hint, "ulimit") {
				t.Errorf("%d descriptors, %q: exit %d\n%.600s", n, args, o.code, o.stderr)
			}
		}
	}
}

// TestNothingOfOursIsOpenToOthers takes a tour where the umask hides nothing.
func TestNothingOfOursIsOpenToOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.wrap = []string{"sh", "-c", `umask 0; exec "$@"`, "sh"}
	csv := filepath.Join(p.dir, "rows.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,x\n2,y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.ok("fetch", "flights", "--select", "delay", "--as", "here")
	p.ok("snapshot", "refresh", "here")
	p.ok("query", "SELECT count(*) FROM here")
	p.ok("query", "--json", "--max-tokens", "300", "SELECT i FROM range(5000) t(i)")
	p.ok("table", "query", csv, "SELECT * FROM data")
	p.ok("table", "map", csv)
	p.ok("snapshot", "import", csv, "--as", "imported")
	client := p.served()
	client.ok("catalog")
	client.ok("sync")
	client.ok("query", "--remote", "SELECT count(*) FROM flights")
	seen := 0
	for _, root := range []string{p.get("DA_HOME"), filepath.Join(p.dir, "state"), filepath.Join(p.dir, ".agnes")} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Type() == fs.ModeSymlink {
				return nil //nolint:nilerr // what is not there is not open
			}
			info, err := d.Info()
			if err != nil {
				return nil //nolint:nilerr // it has gone
			}
			seen++
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%v %s", info.Mode(), path)
			}
			return nil
		})
	}
	if seen < 10 {
		t.Errorf("%d files: where are they?", seen)
	}
}

// TestLeftoversBesideATargetGo kills exports and lets others follow.
func TestLeftoversBesideATargetGo(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	out := t.TempDir()
	csv := filepath.Join(p.dir, "rows.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,x\n2,y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	long := "SELECT i, i * 2 AS j FROM range(100000000000) t(i)"
	for _, c := range []struct{ slow, quick []string }{
		{[]string{"query", "--out", out + "/a.csv", long}, []string{"query", "--out", out + "/b.csv", "SELECT 1 AS a"}},
		{[]string{"query", "--out", out + "/a.parquet", long}, []string{"query", "--out", out + "/b.parquet", "SELECT 1 AS a"}},
		{[]string{"table", "export", csv, "--out", out + "/a.csv", "--query", long}, []string{"table", "export", csv, "--out", out + "/c.csv"}},
		{[]string{"table", "export", csv, "--out", out + "/a.parquet", "--query", long}, []string{"table", "export", csv, "--out", out + "/c.parquet"}},
	} {
		cmd := p.command(append(c.slow, "--force")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for made := []string{}; len(made) == 0; made, _ = filepath.Glob(out + "/.da-out-*/*") {
			select {
			case err := <-ended:
				t.Fatalf("%q: %v", c.slow, err)
			case <-time.After(5 * time.Millisecond):
			}
		}
		_ = cmd.Process.Kill()
		<-ended
		p.ok(append(c.quick, "--force")...)
		var left []string
		entries, _ := os.ReadDir(out)
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if slices.ContainsFunc(left, func(name string) bool { return strings.HasPrefix(name, ".") }) {
			t.Errorf("%q: left %q", c.slow, left)
		}
	}
}

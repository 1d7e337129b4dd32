package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/internal/testing/freeport"
)

// TestExitCodes runs the real binary into every failure that it knows, and
// wants the exit code, in text and as JSON; and what was there before to be
// there still, with nothing beside it.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	fetch := []string{"fetch", "flights", "--as", "kept", "--force"}
	for _, c := range []struct {
		name  string
		exit  int
		code  api.Code
		place func(*testing.T, *place) *place
		args  []string
	}{
		{"wrong predicate", 2, api.CodeRejected, nil, append(slices.Clone(fetch), "--where", "nothere = 1")},
		{"bad flag", 2, api.CodeUsage, nil, []string{"fetch", "--no-such-flag"}},
		{"broken instance", 2, api.CodeConfig, brokenInstance, fetch},
		{"missing snapshot", 2, api.CodeUnknownSnapshot, nil, []string{"snapshot", "show", "nothere"}},
		{"file too large", 4, api.CodeDiskFull, smallFiles, fetch},
		{"server failed", 5, api.CodeInternal, answering(http.StatusInternalServerError, `{"error":"internal","message":"internal error","details":{},"request_id":"r1"}`), fetch},
		{"server failed without an envelope", 5, api.CodeUnavailable, answering(http.StatusBadGateway, "<html>bad gateway</html>"), fetch},
		{"stream cut", 5, api.CodeStreamCut, cutting, fetch},
		{"snapshot exists", 6, api.CodeSnapshotExists, nil, []string{"fetch", "flights", "--as", "kept"}},
		{"target exists", 6, api.CodeTargetExists, nil, []string{"query", "SELECT 1", "--out", "data/events.jsonl"}},
		{"wrong token", 7, api.CodeUnauthorized, wrongToken, fetch},
		{"no token", 7, api.CodeUnauthorized, noToken, fetch},
		{"forbidden", 8, api.CodeForbidden, answering(http.StatusForbidden, `{"error":"forbidden","message":"no","details":{},"request_id":"r1"}`), fetch},
		{"nobody listens", 9, api.CodeUnreachable, unreachable, fetch},
		{"no such host", 9, api.CodeUnreachable, noHost, fetch},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.ok("fetch", "airports", "--as", "kept")
			before := p.ok("query", "SELECT * FROM kept", "-o", "csv")
			hit := p
			if c.place != nil {
				hit = c.place(t, p)
			}
			o := hit.run(c.args...)
			if o.code != c.exit || !strings.HasPrefix(lastError(o.stderr), "Error: ") {
				t.Errorf("text: exit %d, want %d\n%s", o.code, c.exit, o.stderr)
			}
			if o.stdout != "" {
				t.Errorf("stdout of a failure: %q", o.stdout)
			}
			o = hit.run(append(slices.Clone(c.args), "--json")...)
			if o.code != c.exit {
				t.Errorf("JSON: exit %d, want %d\n%s", o.code, c.exit, o.stderr)
			}
			e := o.lastJSON(t)
			if e.Code != c.code || e.ExitCode != c.exit || e.Message == "" {
				t.Errorf("the error says %+v, want %s with %d", e, c.code, c.exit)
			}
			if after := p.ok("query", "SELECT * FROM kept", "-o", "csv"); after != before {
				t.Errorf("the snapshot changed:\n%s", after)
			}
			if files := p.files(); !slices.Equal(files, whole("kept")) {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

// lastError is the part of stderr from the error on.
func lastError(stderr string) string {
	if i := strings.Index(stderr, "Error: "); i > 0 {
		return stderr[i:]
	}
	return stderr
}

func brokenInstance(t *testing.T, p *place) *place {
	file := filepath.Join(p.dir, "broken.yaml")
	if err := os.WriteFile(file, []byte("tables: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.with("DA_INSTANCE=" + file)
}

func unreachable(t *testing.T, p *place) *place {
	addr, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	return p.with("DA_SERVER=http://"+addr, "DA_TOKEN=x")
}

func noHost(_ *testing.T, p *place) *place {
	return p.with("DA_SERVER=https://nowhere.invalid", "DA_TOKEN=x")
}

func wrongToken(_ *testing.T, p *place) *place {
	return p.served().with("DA_TOKEN=da_wrong")
}

func noToken(_ *testing.T, p *place) *place {
	return p.served().with("DA_TOKEN=")
}

// answering is a server that gives one answer to everything.
func answering(status int, body string) func(*testing.T, *place) *place {
	return func(t *testing.T, p *place) *place {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return p.with("DA_SERVER="+s.URL, "DA_TOKEN=x")
	}
}

// proxied puts a proxy before a real server.
func proxied(t *testing.T, p *place, change func(*http.Response) error) *place {
	t.Helper()
	client := p.served()
	target, err := url.Parse(client.get("DA_SERVER"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = change
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return client.with("DA_SERVER=" + s.URL)
}

// cutting passes on the first part of a scan and then ends the body as if it
// were whole.
func cutting(t *testing.T, p *place) *place {
	return proxied(t, p, func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/scan") {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.LimitReader(r.Body, 300), r.Body}
			r.Trailer = nil
			r.Header.Del("ETag") // nor does the server keep the file to go on from
		}
		return nil
	})
}

// smallFiles runs da under a limit on the size of files, which the kernel
// enforces as it does a full disk.
func smallFiles(_ *testing.T, p *place) *place {
	limited := p.with()
	limited.wrap = []string{"sh", "-c", `ulimit -f 1 && exec "$0" "$@"`}
	return limited
}

// TestFullDisk fetches into a file system that has no room for the result.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Join(p.dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("cannot mount a small file system here (%v); 'file too large' of TestExitCodes stands for it", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) })
	p.ok("fetch", "airports", "--as", "kept")
	o := p.run("fetch", "noise", "--as", "kept", "--force", "--json")
	if e := o.lastJSON(t); o.code != 4 || e.Code != api.CodeDiskFull {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	if n := p.ok("query", "SELECT count(*) AS n FROM kept", "-o", "csv"); n != "n\n3\n" {
		t.Errorf("the snapshot has %q rows", n)
	}
	if files := p.files(); !slices.Equal(files, whole("kept")) {
		t.Errorf("left behind: %v", files)
	}
}

// TestTextWithoutRoom reads a table of text, whose copy finds no room: that is this
// machine's disk, not the source's.
func TestTextWithoutRoom(t *testing.T) {
	t.Parallel()
	whole := newPlace(t)
	text := "id,name\n"
	for i := range 20_000 {
		text += fmt.Sprintf("%d,name %d\n", i, i*7919)
	}
	for name, content := range map[string]string{"long.csv": text, "instance.yaml": "sources: {files: {type: lake, root: .}}\ntables: [{id: long, source: files, path: long.csv, public: true}]\n"} {
		if err := os.WriteFile(filepath.Join(whole.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole.ok("catalog") // its files may be larger than the limit
	p := smallFiles(t, whole)
	for _, args := range [][]string{
		{"fetch", "long"}, {"query", "--fetch", "SELECT count(*) FROM long"}, {"query", "--remote", "SELECT count(*) FROM long"},
	} {
		o := p.run(append(args, "--json")...)
		if e := o.lastJSON(t); o.code != exit.Disk || e.Code != api.CodeDiskFull || e.Retryable || !strings.Contains(fmt.Sprint(e.Hint), "disk-info") {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
	}
}

// TestReadOnlyHome reads files where nothing can be kept of them.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Join(p.dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", home, "tmpfs", syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot mount a file system here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) })
	if err := os.WriteFile(filepath.Join(p.dir, "a.csv"), []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	p = p.with("TMPDIR=" + temp)
	for _, args := range [][]string{
		{"table", "map", "a.csv"}, {"table", "stats", "a.csv"}, {"table", "rows", "a.csv"}, {"table", "query", "a.csv", "SELECT a + b FROM data"}, {"query", "SELECT 1"},
	} {
		if o := p.run(args...); o.code != 0 || o.stderr != "" {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestExportsWithoutRoom end with one code in every format.
func TestExportsWithoutRoom(t *testing.T) {
	t.Parallel()
	p := smallFiles(t, newPlace(t))
	for _, name := range []string{"a.parquet", "a.csv", "a.arrow", "a.xlsx"} {
		o := p.run("query", "SELECT random() AS r, uuid()::VARCHAR AS u FROM range(20000)", "--out", name, "--json")
		if e := o.lastJSON(t); o.code != 4 || e.Code != api.CodeDiskFull || e.Retryable {
			t.Errorf("%s: exit %d: %s", name, o.code, o.stderr)
		}
	}
}

// TestABrokenFileIsTheInputsFault holds that a broken file is exit 2 and not retryable.
func TestABrokenFileIsTheInputsFault(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "data", "many.parquet"), []byte("PAR1 is how it begins, and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]*place{"embedded": p, "served": p.served()} {
		o := p.run("fetch", "many", "--as", "a", "--json")
		if e := o.lastJSON(t); o.code != 2 || e.Code != api.CodeSource || e.Retryable {
			t.Errorf("%s: exit %d: %s", what, o.code, o.stderr)
		}
	}
}

// TestABudgetWithoutASession binds the run that has it, and no other.
func TestABudgetWithoutASession(t *testing.T) {
	t.Parallel()
	for what, p := range map[string]*place{"embedded": newPlace(t), "served": newPlace(t).served()} {
		p = p.with("DA_SESSION_BUDGET=4000")
		for range 2 {
			if o := p.run("fetch", "flights", "--as", "a", "--force"); o.code != 0 {
				t.Errorf("%s: within the budget: exit %d: %s", what, o.code, o.stderr)
			}
		}
		o := p.with("DA_SESSION_BUDGET=1KB").run("fetch", "flights", "--as", "b", "--fresh", "--json")
		if e := o.lastJSON(t); o.code != 3 || e.Kind != "session_bytes" || e.Retryable {
			t.Errorf("%s: beyond the budget: exit %d: %s", what, o.code, o.stderr)
		}
		if o := p.with("DA_SESSION_BUDGET=lots").run("catalog"); o.code != 2 {
			t.Errorf("%s: an invalid budget: exit %d: %s", what, o.code, o.stderr)
		}
	}
}

// TestOutputThatCannotBeWritten: whatever a command prints, it has failed if
// that was lost.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{
		{"version"}, {"version", "--json"}, {"help"}, {"--help"}, {"fetch", "--help"}, {"snapshot"}, {"completion", "bash"},
		{"fetch", "airports"}, {"fetch", "airports", "--estimate"}, {"catalog"}, {"catalog", "--json"}, {"snapshot", "list"},
		{"disk-info"}, {"query", "SELECT 1"}, {"query", "SELECT 1", "-o", "csv"}, {"__complete", "fetch", ""},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := p.command(args...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = full, &errs
		_ = cmd.Run() // the code tells
		full.Close()
		if code := cmd.ProcessState.ExitCode(); code != 4 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("da %s: exit %d\n%s", strings.Join(args, " "), code, errs.String())
		}
	}
}

// TestReadersThatLeave end a command silently, by the signal for it.
func TestReadersThatLeave(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{{"version"}, {"help"}, {"query", "SELECT * FROM range(100000)", "-o", "csv"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := p.command(args...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = w, &errs
		_ = cmd.Run() // the signal tells
		w.Close()
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGPIPE || errs.String() != "" {
			t.Errorf("da %s: %v\n%s", strings.Join(args, " "), cmd.ProcessState, errs.String())
		}
	}
}

// TestProxyThatDropsTrailers: the end record is enough.
func TestProxyThatDropsTrailers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	client := proxied(t, p, func(r *http.Response) error {
		r.Header.Del("Trailer")
		r.Trailer = nil
		return nil
	})
	client.ok("fetch", "flights")
	if n := client.ok("query", "SELECT count(*) AS n FROM flights", "-o", "csv"); n != "n\n600\n" {
		t.Errorf("the snapshot has %q rows", n)
	}
}

// TestInterrupt ends a fetch by a signal while rows are on their way.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "kept")
	started, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	client := proxied(t, p, func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/scan") {
			r.Body = &pausing{ReadCloser: r.Body, started: started, release: release}
		}
		return nil
	})
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := client.command("fetch", "flights", "--as", "kept", "--force", "--json")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			<-started
			_ = cmd.Process.Signal(signal)
		}()
		o := finish(t, cmd)
		<-ctx.Done()
		if e := o.lastJSON(t); o.code != 130 || e.Code != api.CodeInterrupted || e.ExitCode != 130 {
			t.Errorf("exit %d: %s", o.code, o.stderr)
		}
		if n := p.ok("query", "SELECT count(*) AS n FROM kept", "-o", "csv"); n != "n\n3\n" {
			t.Errorf("the snapshot has %q rows", n)
		}
		if files := p.files(); !slices.Equal(files, whole("kept")) {
			t.Errorf("left behind: %v", files)
		}
	}
}

// pausing delivers the beginning of a body, says so, and then waits.
type pausing struct {
	io.ReadCloser
	started, release chan struct{}
	said             bool
}

func (b *pausing) Read(p []byte) (int, error) {
	if b.said {
		<-b.release
	}
	n, err := b.ReadCloser.Read(p)
	if !b.said {
		b.said = true
		go func() { b.started <- struct{}{} }()
	}
	return n, err
}

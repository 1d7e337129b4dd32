package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/setup"
)

// place is a folder with the scripts' data, in which tests run da.
type place struct {
	t   testing.TB
	dir string
	env []string
	// wrap, if any, is a command that runs the one that follows it.
	wrap []string
}

// newPlace returns a place that is in embedded mode until told otherwise.
func newPlace(t testing.TB) *place {
	t.Helper()
	dir := t.TempDir()
	if err := writeFixture(dir); err != nil {
		t.Fatal(err)
	}
	return &place{t: t, dir: dir, env: []string{
		"XDG_CACHE_HOME=" + testCache(t),
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "DA_HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + t.TempDir(),
		"DA_INSTANCE=" + filepath.Join(dir, "instance.yaml"),
	}}
}

// testCache is a folder of caches that tests share, since the library for PDF files
// takes seconds to compile.
func testCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "da-tests")
}

// with returns the place with further variables.
func (p *place) with(env ...string) *place {
	return &place{t: p.t, dir: p.dir, env: append(slices.Clone(p.env), env...), wrap: p.wrap}
}

// command is da, not started.
func (p *place) command(args ...string) *exec.Cmd {
	all := slices.Concat(p.wrap, []string{daPath}, args)
	cmd := exec.Command(all[0], all[1:]...)
	if len(p.wrap) == 0 {
		cmd.Args[0] = "da"
	}
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// outcome is a finished command.
type outcome struct {
	code           int // -1: killed by a signal
	stdout, stderr string
}

func (p *place) run(args ...string) outcome {
	p.t.Helper()
	return finish(p.t, p.command(args...))
}

// finish runs a prepared command to its end.
func finish(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// ok runs a command that must succeed and returns its stdout.
func (p *place) ok(args ...string) string {
	p.t.Helper()
	o := p.run(args...)
	if o.code != 0 {
		p.t.Fatalf("da %s: exit %d\n%s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// workbook makes PATH.xlsx, a path without its ending, of a text in CSV.
func (p *place) workbook(path, csv string) {
	p.t.Helper()
	text := filepath.Join(p.t.TempDir(), "text.csv")
	if err := os.WriteFile(text, []byte(csv), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.ok("table", "export", text, "--out", path+".xlsx")
}

// lastJSON reads the last line of stderr as the JSON error that it must be.
func (o outcome) lastJSON(t testing.TB) exit.JSON {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n")
	var body map[string]exit.JSON
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &body); err != nil {
		t.Fatalf("stderr ends in no JSON error: %v\n%s", err, o.stderr)
	}
	return body["error"]
}

// served starts a server on the place's instance and returns the place of a
// client of it.
func (p *place) served() *place {
	p.t.Helper()
	_, client := p.server()
	return client
}

// server is served, and the process of the server.
func (p *place) server() (*exec.Cmd, *place) {
	p.t.Helper()
	cmd := p.command("serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	url, token, err := setup.Announced(stderr)
	if err != nil {
		p.t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // a server waits for who reads its log
	return cmd, p.with("DA_SERVER="+url, "DA_TOKEN="+token)
}

// get returns a variable of the place.
func (p *place) get(name string) string {
	for i := len(p.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(p.env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// kept are the files that a store keeps for good, whatever it holds, and what a
// snapshot was before its last refresh. What is known of footers is saved beside a command's
// own steps, so a kill can hit it at any moment; the next save removes its temporary file.
var kept = regexp.MustCompile(`^((previous/)?snapshots/(\.lock|\.names/\w+|\.used/\w+)|previous/snapshots/\w+(-[0-9a-f]{16}\.parquet|\.meta\.json|\.parquet)|duckdb/analytics\.duckdb|state/\w+/(\.lock|state\.db(-shm|-wal)?|footers/(\.lock|[0-9a-f]+\.json|\.[0-9a-f]+\.json\.tmp-[0-9a-f]{16})))$`)

// files lists the files below the home that belong to snapshots, with
// generations as NAME-*.parquet.
func (p *place) files() []string {
	p.t.Helper()
	home := filepath.Join(p.dir, "home")
	generation := regexp.MustCompile(`-[0-9a-f]{16}\.parquet$`)
	var files []string
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(home, path)
		if !kept.MatchString(rel) {
			files = append(files, generation.ReplaceAllString(rel, "-*.parquet"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// whole are the files of undisturbed snapshots.
func whole(names ...string) []string {
	var files []string
	for _, n := range names {
		files = append(files, "snapshots/"+n+"-*.parquet", "snapshots/"+n+".meta.json", "snapshots/"+n+".parquet")
	}
	slices.Sort(files)
	return files
}

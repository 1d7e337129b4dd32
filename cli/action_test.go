package cli

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// action is what of build/action/action.yml a runner does.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, If, Run string
			Env           map[string]string
		}
	}
}

var actionInput = regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`)

// runAction runs the steps as the runner of GitHub does: inputs come by the environment,
// and a step's additions to the path are there for the next. It returns what was printed
// and the error of the step that failed.
func runAction(t *testing.T, p *place, inputs map[string]string) (string, error) {
	t.Helper()
	folder, err := filepath.Abs("../build/action")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	input := func(name string) string {
		if v, given := inputs[name]; given {
			return v
		}
		if _, known := a.Inputs[name]; !known {
			t.Fatalf("there is no input %q", name)
		}
		return a.Inputs[name].Default
	}
	paths := filepath.Join(t.TempDir(), "path")
	printed := ""
	temp := t.TempDir()
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Fatalf("%s: an input stands in the text of a script", s.Name)
		}
		if name, isCondition := strings.CutPrefix(s.If, "inputs."); isCondition && input(strings.TrimSuffix(name, " != ''")) == "" {
			continue
		}
		added, _ := os.ReadFile(paths)
		path := strings.Join(append(strings.Fields(string(added)), "/usr/local/bin:/usr/bin:/bin"), ":")
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir = p.dir
		cmd.Env = append(p.command("version").Env, "PATH="+path, "GITHUB_PATH="+paths, "RUNNER_TEMP="+temp, "GITHUB_ACTION_PATH="+folder)
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+actionInput.ReplaceAllStringFunc(value, func(m string) string { return input(actionInput.FindStringSubmatch(m)[1]) }))
		}
		out, err := cmd.CombinedOutput()
		printed += string(out)
		if err != nil {
			return printed, err
		}
	}
	return printed, nil
}

// releases serves an archive of a program da, as a release has it.
func releases(t *testing.T, program []byte, sum func([]byte) string, after ...func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	archive := filepath.Join(dir, fmt.Sprintf("da_1.2.3_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH))
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.NoCompression)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "da", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(program)
	_, _ = w.Close(), z.Close()
	_ = f.Close()
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sum(whole)+"  "+filepath.Base(archive)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range after {
		f(dir)
	}
	s := httptest.NewServer(http.StripPrefix("/v1.2.3/", http.FileServer(http.Dir(dir))))
	t.Cleanup(s.Close)
	return s.URL
}

// TestAction installs a release and checks a snapshot with it.
func TestAction(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "tar"} {
		testneed.Program(t, tool)
	}
	p := newPlace(t)
	program, err := os.ReadFile(daPath)
	if err != nil {
		t.Fatal(err)
	}
	right := releases(t, program, func(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) })
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("checks; touch x.yaml", "tables: {airports: {checks: [rows: {min: 1}]}}")
	write("bad.yaml", "tables: {airports: {checks: [rows: {min: 1000}]}}")
	write("steps.yaml", "steps: [{name: fetch, run: fetch airports --force}]")
	out, err := runAction(t, p, map[string]string{"version": "v1.2.3", "releases": right, "file": "checks; touch x.yaml", "steps": "steps.yaml", "report": "checks.xml"})
	if _, there := os.Stat(filepath.Join(p.dir, "x.yaml")); err != nil || there == nil || !strings.Contains(out, "ok        fetch") {
		t.Errorf("%v: %s", err, out)
	}
	if report, err := os.ReadFile(filepath.Join(p.dir, "checks.xml")); err != nil || !strings.Contains(string(report), `tests="1" failures="0"`) {
		t.Errorf("%v: %s", err, report)
	}
	out, err = runAction(t, p, map[string]string{"version": "1.2.3", "releases": right, "file": "bad.yaml"})
	if err == nil || err.Error() != "exit status 10" || !strings.Contains(out, "::error ") {
		t.Errorf("%v: %s", err, out)
	}
	checkSigned(t, p)
	wrong := releases(t, small, func([]byte) string { return strings.Repeat("0", 64) })
	if out, err = runAction(t, p, map[string]string{"version": "1.2.3", "releases": wrong}); err == nil || !strings.Contains(out, "another checksum") {
		t.Errorf("%v: %s", err, out)
	}
}

// small is a program in place of da, for releases that are installed only.
var small = []byte("#!/bin/sh\necho da\n")

// checkSigned installs releases with the key of their maker.
func checkSigned(t *testing.T, p *place) {
	t.Helper()
	testneed.Program(t, "ssh-keygen")
	keys := t.TempDir()
	key := func(name string) (file, public string) {
		file = filepath.Join(keys, name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(file + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		return file, strings.TrimSpace(string(text))
	}
	mine, public := key("mine")
	_, other := key("other")
	sum := func(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
	sign := func(dir string) {
		cmd := exec.Command("../build/packaging/sign", filepath.Join(dir, "checksums.txt"), filepath.Join(dir, "checksums.txt.sig"))
		cmd.Env = append(os.Environ(), "SIGNING_KEY_FILE="+mine)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	changed := func(dir string) {
		sign(dir)
		file := filepath.Join(dir, "checksums.txt")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "0  more\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what, key, says string
		after           func(dir string)
	}{
		{"signed", public, "", sign},
		{"signed with another key", other, "not signed with that key", sign},
		{"changed later", public, "not signed with that key", changed},
		{"not signed", public, "has no signature", func(string) {}},
	} {
		cmd := exec.Command("sh", "../build/action/install", "1.2.3", releases(t, small, sum, c.after), t.TempDir())
		cmd.Env = append(p.command("version").Env, "KEY="+c.key, "PATH="+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v: %s", c.what, err, out)
		}
	}
}

// TestHook runs what pre-commit does: the hook's program with all files that match.
func TestHook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Entry, Language, Files string
		RequireSerial              bool `yaml:"require_serial"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil || len(hooks) != 1 || hooks[0].Language != "script" || !hooks[0].RequireSerial {
		t.Fatalf("%+v, %v", hooks, err)
	}
	program, err := filepath.Abs(filepath.Join("..", hooks[0].Entry))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.ok("fetch", "airports")
	p.write(t, "checks.yaml", "tables: {airports: {checks: [rows: {min: 1}]}}")
	p.write(t, "a b/checks.yml", "tables: {airports: {checks: [rows: {min: 1000}]}}")
	p.write(t, "typo/checks.yml", "tables: {airports: {checks: [rows: {least: 1}]}}")
	for want, files := range map[int][]string{0: {"checks.yaml"}, 10: {"a b/checks.yml", "checks.yaml", "typo/checks.yml"}, 2: {"checks.yaml", "typo/checks.yml"}} {
		cmd := p.command()
		cmd.Path, cmd.Args = program, []string{program}
		for _, file := range append(files, "other.yaml") {
			if regexp.MustCompile(hooks[0].Files).MatchString(file) {
				cmd.Args = append(cmd.Args, file)
			}
		}
		if out := finish(t, cmd); out.code != want {
			t.Errorf("%q: exit %d, not %d: %s", files, out.code, want, out.stdout+out.stderr)
		}
	}
}

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agnes-data/da/cli/setup"
)

// TestScriptsEmbedded runs the scenarios with the core in da's own process: those
// of what may differ if there is a server, and those of what da does by itself once
// it has the rows.
func TestScriptsEmbedded(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"testdata/script", "testdata/client"} {
		runScripts(t, scripts{dir: dir, mode: "embedded", prepare: fixtureIn})
	}
}

// TestScriptsHTTP runs the former against a server over loopback, and those of what
// servers are for.
func TestScriptsHTTP(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"testdata/script", "testdata/served"} {
		runScripts(t, scripts{dir: dir, mode: "http", prepare: fixtureIn})
	}
}

// TestScriptsAlone runs the scenarios of commands that ask no instance and no
// server: there is none.
func TestScriptsAlone(t *testing.T) {
	t.Parallel()
	runScripts(t, scripts{dir: "testdata/local", mode: "alone", prepare: func(*testscript.Env) error { return nil }})
}

func fixtureIn(env *testscript.Env) error { return writeFixture(env.WorkDir) }

// scripts is a folder of scenarios and what they run on.
type scripts struct {
	dir    string
	mode   string // embedded, http or alone
	source string // what [NAME] in a script asks for, beside the mode
	// prepare writes the instance file of a script, and what it needs.
	prepare func(*testscript.Env) error
}

func runScripts(t *testing.T, s scripts) {
	cache := testCache(t)
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 s.dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "embedded", "http":
				return cond == s.mode, nil
			}
			if slices.Contains(strings.Split(s.source, "+"), cond) { // tables, and the engine that reads them
				return true, nil
			}
			if scriptedSource(cond) {
				return false, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": cmdExit, "json": cmdJSON, "mode": cmdMode, "normal": cmdNormal, "stop": cmdStop, "logs": cmdLogs,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("TESTDATA", testdata)
			env.Setenv("DA_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("DA_CONFIG", "")
			for _, name := range []string{"NO_COLOR", "DA_SERVER", "DA_TOKEN", "DA_INSTANCE"} {
				env.Setenv(name, "")
			}
			if err := s.prepare(env); err != nil {
				return err
			}
			return connect(env, s.mode)
		},
	})
}

// connect makes the commands of a script use its instance.
func connect(env *testscript.Env, mode string) error {
	switch mode {
	case "alone":
		return nil
	case "embedded":
		env.Setenv("DA_INSTANCE", filepath.Join(env.WorkDir, "instance.yaml"))
		return nil
	}
	url, token, err := startServer(env)
	env.Setenv("DA_SERVER", url)
	env.Setenv("DA_TOKEN", token)
	return err
}

// startServer runs da serve for a script, on a free port, until the script
// ends.
func startServer(env *testscript.Env) (url, token string, err error) {
	cmd := exec.Command(daPath, "serve", "--instance", filepath.Join(env.WorkDir, "instance.yaml"), "--listen", "127.0.0.1:0")
	cmd.Env = append(env.Vars, "DA_SERVER=")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", "", err
	}
	if err := cmd.Start(); err != nil {
		return "", "", err
	}
	url, token, err = setup.Announced(stderr)
	log := make(chan string, 1)
	go func() {
		var b strings.Builder
		_, _ = io.Copy(&b, stderr)
		log <- b.String()
	}()
	stop := sync.OnceValues(func() (text string, err error) {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		text = <-log
		return text, cmd.Wait()
	})
	expected := new(*regexp.Regexp)
	env.Defer(func() {
		text, err := stop()
		if err != nil {
			env.T().Log(text)
			env.T().Log("server: " + err.Error())
			env.T().FailNow()
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "level=ERROR") && (*expected == nil || !(*expected).MatchString(line)) {
				env.T().Log("the server logged an error:\n" + text)
				env.T().FailNow()
			}
		}
		if *expected != nil && !(*expected).MatchString(text) {
			env.T().Log("the server logged no error like " + (*expected).String() + ":\n" + text)
			env.T().FailNow()
		}
	})
	env.Values[stopsServer{}], env.Values[expectedOfLog{}] = stop, expected
	return url, token, err
}

// stopsServer is the key of what ends the server of a script.
type stopsServer struct{}

// cmdStop ends the server of the script: from then on nobody answers there.
func cmdStop(ts *testscript.TestScript, neg bool, args []string) {
	stop, isServed := ts.Value(stopsServer{}).(func() (string, error))
	if neg || len(args) > 0 || !isServed {
		ts.Fatalf("usage: [http] stop")
	}
	_, err := stop()
	ts.Check(err)
}

// expectedOfLog is the key of what the server of a script logs as an error.
type expectedOfLog struct{}

// cmdLogs says which errors the server of the script logs.
func cmdLogs(ts *testscript.TestScript, neg bool, args []string) {
	expected, isServed := ts.Value(expectedOfLog{}).(**regexp.Regexp)
	if neg || len(args) != 1 || !isServed {
		ts.Fatalf("usage: [http] logs regexp")
	}
	*expected = regexp.MustCompile(args[0])
}

// cmdExit runs a command and wants its exit code: exit 2 da query …
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND [ARG ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &failed):
		got = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code is %d, want %d", got, want)
	}
}

// cmdJSON reads a value out of JSON: json FILE PATH [VALUE]. PATH is keys and
// indexes with dots between them, and len for the length of a list; without
// VALUE it must only be there.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	var doc any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	ts.Check(dec.Decode(&doc))
	value, err := lookup(doc, args[1])
	if err != nil && !neg {
		ts.Fatalf("%v", err)
	}
	if len(args) == 2 {
		if neg != (err != nil) {
			ts.Fatalf("%s: unexpected %v", args[1], value)
		}
		return
	}
	text := fmt.Sprint(value)
	if s, ok := value.(string); ok {
		text = s
	} else if value == nil {
		text = "null"
	} else if b, marshalErr := json.Marshal(value); marshalErr == nil {
		text = string(b)
	}
	if (text == args[2]) == neg {
		ts.Fatalf("%s is %s, not as wanted: %s", args[1], text, args[2])
	}
}

func lookup(doc any, path string) (any, error) {
	for _, step := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[step]
			if !ok {
				return nil, fmt.Errorf("no %q on the way to %s", step, path)
			}
			doc = next
		case []any:
			if step == "len" {
				return json.Number(strconv.Itoa(len(v))), nil
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, fmt.Errorf("no element %q on the way to %s", step, path)
			}
			doc = v[i]
		default:
			return nil, fmt.Errorf("nothing below %q on the way to %s", step, path)
		}
	}
	return doc, nil
}

// volatile are the JSON values that differ from run to run: normal FROM TO
// writes TO with them replaced by their type.
var volatile = map[string]bool{
	"server_time": true, "fetched_at": true, "effective_as_of": true, "content_hash": true, "bytes_local": true,
	"data_file": true, "server": true, "request_id": true, "estimated_scan_bytes": true, "size_bytes": true,
	"estimated_scan_bytes_at_fetch": true, "timings_ms": true, "rough_size_hint": true, "estimated_result_bytes": true,
	"remaining": true, "freed_bytes": true, "left_bytes": true, "bytes": true,
}

func cmdNormal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normal FROM TO")
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	for lines.Scan() {
		var doc any
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		ts.Check(dec.Decode(&doc))
		text, err := json.MarshalIndent(normalize("", doc), "", "  ")
		ts.Check(err)
		out.Write(text)
		out.WriteByte('\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o600))
}

func normalize(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if volatile[key] {
			return "<object>"
		}
		for k, item := range v {
			v[k] = normalize(k, item)
		}
		return v
	case []any:
		for i := range v {
			v[i] = normalize("", v[i])
		}
		return v
	case nil:
		return nil
	}
	if volatile[key] {
		return fmt.Sprintf("<%T>", v)
	}
	return v
}

// cmdMode wants the permissions of a file or folder: mode OCTAL PATH.
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode OCTAL PATH")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%03o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

package chtest

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

//go:embed shim.py
var shim string

// Engine is ClickHouse's engine behind an HTTP server of its own.
type Engine struct {
	python, data, script string
	process              *exec.Cmd
	port                 string
}

// NewEngine starts an engine that ends with the test. Where it is not installed the test
// is skipped, but not in CI.
func NewEngine(t testing.TB) *Engine {
	t.Helper()
	python := readers()
	if _, err := os.Stat(python); err != nil || exec.Command(python, "-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('chdb'))").Run() != nil {
		testneed.Skip(t, "chdb-core of Python", "make needs")
	}
	dir := t.TempDir()
	e := &Engine{python: python, data: filepath.Join(dir, "data"), script: filepath.Join(dir, "shim.py")}
	if err := os.WriteFile(e.script, []byte(shim), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Restart(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Kill)
	return e
}

// readers is the Python that .ci/needs makes, looked for from the test's folder upwards.
func readers() string {
	for dir := "."; ; dir = filepath.Join("..", dir) {
		python, err := filepath.Abs(filepath.Join(dir, ".cache", "readers", "bin", "python3"))
		if err != nil {
			return ""
		}
		if _, err := os.Stat(python); err == nil {
			return python
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			return ""
		}
	}
}

// Restart starts the engine again after Kill, on the same data and port.
func (e *Engine) Restart() error {
	e.process = exec.Command(e.python, e.script, e.data, e.port)
	e.process.Env = append(os.Environ(), "TZ=Asia/Tokyo") // sessions must not depend on it
	said, err := e.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := e.process.Start(); err != nil {
		return err
	}
	port, err := bufio.NewReader(said).ReadString('\n')
	if e.port = strings.TrimSpace(port); e.port == "" {
		e.Kill()
		return fmt.Errorf("the engine of ClickHouse does not start: %w", err)
	}
	return nil
}

// Kill ends the engine at once.
func (e *Engine) Kill() {
	_ = e.process.Process.Kill()
	_ = e.process.Wait() // fails, because the process was killed
}

// DSN is the address of a database, with settings.
func (e *Engine) DSN(database, settings string) string {
	return "http://127.0.0.1:" + e.port + "/" + database + "?" + settings
}

// Exec runs statements, one after the other.
func (e *Engine) Exec(statements ...string) error {
	for _, s := range statements {
		if _, err := e.Query(s); err != nil {
			return err
		}
	}
	return nil
}

// Query runs a statement and returns its answer.
func (e *Engine) Query(statement string) (string, error) { return post(e.DSN("", ""), statement) }

func post(address, statement string) (string, error) {
	resp, err := http.Post(address, "text/plain", strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = errors.Join(fmt.Errorf("%.300s: %.500s", statement, text), err)
	}
	return string(text), err
}

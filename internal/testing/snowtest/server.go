package snowtest

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/freeport"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// Server is a fake that runs.
type Server struct{ URL string }

// Start starts a fake that ends with the test. Where it is not installed the test is
// skipped.
func Start(t testing.TB) Server {
	t.Helper()
	program := program(t)
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-s", "-p", port)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	s := Server{"http://127.0.0.1:" + port}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); ; <-tick.C {
		resp, err := http.Get(s.URL + "/")
		if err == nil {
			_ = resp.Body.Close()
			return s
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("the fake of Snowflake does not start: %v", err)
		}
	}
}

// program is the one that 'make snowflake' installs, looked for from the test's folder upwards.
func program(t testing.TB) string {
	for dir := "."; ; dir = filepath.Join("..", dir) {
		file, err := filepath.Abs(filepath.Join(dir, ".cache", "fakesnow", "bin", "fakesnow"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); err == nil {
			return file
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == filepath.Dir(abs) {
			testneed.Skip(t, "fakesnow of Python", "make snowflake")
		}
	}
}

package duckdb

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestAnEngineStartsInHugePages opens an instance in a process of its own, which
// requests huge pages for nothing else, and looks for some in its memory.
func TestAnEngineStartsInHugePages(t *testing.T) {
	if enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || !strings.Contains(string(enabled), "[madvise]") {
		t.Skip("this kernel gives no huge pages, or gives them unasked")
	}
	if os.Getenv("DA_TEST_HUGE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "DA_TEST_HUGE=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	connect(t, Options{Threads: 1})
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`AnonHugePages: +[1-9]`).Match(maps) {
		t.Errorf("no memory is in huge pages:\n%s", maps)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestFromOtherTools runs the Python of the page, in one go, on a server of the demo's
// data, and compares what it prints with what stands there.
func TestFromOtherTools(t *testing.T) {
	t.Parallel()
	python, err := filepath.Abs("../.cache/readers/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, python, "a Python with pyarrow, pandas, polars and duckdb", "make needs")
	page, err := os.ReadFile("../docs/from-other-tools.md")
	if err != nil {
		t.Fatal(err)
	}
	var script, want string
	for _, block := range regexp.MustCompile("(?s)```(python|text)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if block[1] == "python" {
			script += block[2]
		} else {
			want += block[2]
		}
	}
	server, flight := flightServer(t, "")
	cmd := server.with("DA_FLIGHT=" + flight).command()
	cmd.Path, cmd.Args = python, []string{python, "-c", script}
	out := finish(t, cmd)
	if out.code != 0 || out.stdout != want {
		t.Errorf("exit %d, it prints\n%s\nthe page says\n%s\n%s", out.code, out.stdout, want, strings.TrimSpace(out.stderr))
	}
}

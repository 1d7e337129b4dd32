package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/cli"
	"github.com/agnes-data/da/internal/testing/testneed"
)

func TestManPagesFormat(t *testing.T) {
	testneed.Program(t, "groff")
	root, _ := cli.Commands(t.Context())
	pages, err := manPages(root)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, page := range pages {
		all.WriteString(page)
	}
	cmd := exec.Command("groff", "-man", "-Tutf8", "-ww")
	cmd.Stdin = strings.NewReader(all.String())
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	for _, want := range []string{"DA-SNAPSHOT-DROP", "--order-by", "interrupted by the user", `--where "origin = 'SEA'" --as sea`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the pages do not show %q", want)
		}
	}
}

// TestCompletionsAreWritten has a script for each shell, which bash can read.
func TestCompletionsAreWritten(t *testing.T) {
	testneed.Program(t, "bash")
	dir := t.TempDir()
	if err := write("completions", dir); err != nil {
		t.Fatal(err)
	}
	if found, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(found) != 4 {
		t.Errorf("%q, %v", found, err)
	}
	if out, err := exec.Command("bash", "-n", filepath.Join(dir, "da")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if write("nonsense", dir) == nil {
		t.Error("nonsense is written")
	}
}

package web

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestUnits runs the tests of what the page's sources compute, test/*.test.ts, in node,
// and fails where a text that is shown is not in src/texts, where it can be translated.
func TestUnits(t *testing.T) {
	testneed.Program(t, "node")
	testneed.File(t, "node_modules", "the page's npm packages", "make needs")
	// The go command keeps a test's outcome until a file changes that the test itself reads.
	for _, root := range []string{"src", "test"} {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				_, err = os.ReadFile(path)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	bundler := filepath.Join(dir, "esbuild")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../build/tools/esbuild", "-o", bundler, "github.com/evanw/esbuild/cmd/esbuild").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests, err := filepath.Glob("test/*.test.ts")
	if err != nil || len(tests) == 0 {
		t.Fatal(err, tests)
	}
	cmd := exec.CommandContext(t.Context(), bundler, append(tests, "--bundle", "--platform=node", "--format=esm", "--out-extension:.js=.mjs",
		"--jsx=automatic", "--jsx-import-source=preact", "--log-level=warning", "--outdir="+dir)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), "node", append([]string{"--test"}, made...)...)
	cmd.Env = os.Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "node", "test/texts.mjs").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

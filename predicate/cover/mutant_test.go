package cover

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutantsAreCaught: a prover that takes < for <= in one place makes claims that
// values contradict, and ours makes none.
func TestMutantsAreCaught(t *testing.T) {
	file, err := filepath.Abs("axis.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	run := func(source string) (string, bool) {
		t.Helper()
		dir := t.TempDir()
		mutant, overlay := filepath.Join(dir, "axis.go"), filepath.Join(dir, "overlay.json")
		text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: mutant}})
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{mutant: []byte(source), overlay: text} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		program := filepath.Join(dir, "mutant")
		if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./testdata/mutant").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.Command(program).CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := run(string(source)); !ok {
		t.Fatalf("without a mistake: %s", out)
	}
	for _, m := range [][2]string{ // < and <=, <= and <, > and >=, >= and >
		{"case predicate.Lt:\n\t\tout.addRange(low, at)", "case predicate.Lt:\n\t\tout.addRange(low, at+1)"},
		{"case predicate.Le:\n\t\tout.addRange(low, at+1)", "case predicate.Le:\n\t\tout.addRange(low, at)"},
		{"case predicate.Gt:\n\t\tout.addRange(at+1, high)", "case predicate.Gt:\n\t\tout.addRange(at, high)"},
		{"case predicate.Ge:\n\t\tout.addRange(at, high)", "case predicate.Ge:\n\t\tout.addRange(at+1, high)"},
	} {
		if strings.Count(string(source), m[0]) != 1 {
			t.Fatalf("axis.go does not have %q once", m[0])
		}
		out, ok := run(strings.Replace(string(source), m[0], m[1], 1))
		if t.Logf("%s: %s", strings.Fields(m[0])[1], strings.TrimSpace(out)); ok {
			t.Errorf("%q in place of %q was not caught", m[1], m[0])
		}
	}
}

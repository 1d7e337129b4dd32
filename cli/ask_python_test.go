//go:build linux && (amd64 || arm64)

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/providertest"
	"github.com/agnes-data/da/internal/sandbox"
	"github.com/agnes-data/da/internal/testneed"
)

// TestAskRunsPython keeps variables from call to call, keeps the code from the
// user's files, and leaves nothing behind.
func TestAskRunsPython(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3")
	if !sandbox.Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	p := newPlace(t)
	code := func(id, text string) []provider.Call {
		return []provider.Call{providertest.Call(id, "python_repl", map[string]any{"code": text})}
	}
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		code("a", "x = 6"), code("b", "x * 7"), code("c", "import os\nopen('"+filepath.Join(p.dir, "instance.yaml")+"').read()"),
		code("d", "x + 1000")))
	text := p.withModel(model, provider.Anthropic).ok("ask", "How much?")
	if !strings.Contains(text, "1006") {
		t.Errorf("answer:\n%s", text)
	}
	told := ""
	for _, r := range model.Requests() {
		for _, result := range r.Results() {
			told += result.Text + "\n"
		}
	}
	if !strings.Contains(told, `"text":"42"`) || !strings.Contains(told, "PermissionError") {
		t.Errorf("what the model was told:\n%s", told)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "*", "python", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

//go:build linux && (amd64 || arm64)

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
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

// TestAskOverHTTPRunsPython loads a file of the caller's into the Python of a
// server, which refuses to serve when Python was asked for and is missing.
func TestAskOverHTTPRunsPython(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3")
	if !sandbox.Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{call("a", "load_dataset_full", map[string]any{"name": "may.csv", "df_name": "d"})},
		[]provider.Call{call("b", "send_data_to_ui_as_df", map[string]any{"logical_name": "all", "df_name": "d"})},
		[]provider.Call{call("c", "python_repl", map[string]any{"code": "import os\n(len(d), 'TEST_MODEL_KEY' in os.environ, os.listdir('.'))"})}))
	admin := newPlace(t).withServerModel(model, provider.OpenAI, "files: { max_file_mb: 1 }").agentKeys("python: on")
	if o := admin.with("PATH="+t.TempDir()).run("serve", "--listen", "127.0.0.1:0"); o.code != 2 || !strings.Contains(o.stderr, "there is no working python3 here") {
		t.Errorf("without Python: exit %d: %s", o.code, o.stderr)
	}
	ann := admin.served().as("ann")
	ann.upload("may.csv", "name,n\na,1\nb,20\nc,21\n")
	status, answer := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many?"})
	if status != 200 || !strings.Contains(answer, "(3, False, [])") || !strings.Contains(answer, `"rows_total":3`) {
		t.Errorf("%d %s", status, answer)
	}
	if left, _ := filepath.Glob(filepath.Join(admin.dir, "*", "python", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

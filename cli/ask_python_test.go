//go:build linux && (amd64 || arm64)

package cli

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
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
	may := filepath.Join(p.dir, "may.csv")
	if err := os.WriteFile(may, []byte("name,n\na,1\nb,20\nc,21\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{call("l", "list_datasets", map[string]any{}), call("i", "get_dataset_info", map[string]any{"name": "may.csv"}),
			call("f", "find_value_columns", map[string]any{"name": "may.csv", "value": "20.0"}), call("m", "load_dataset_full", map[string]any{"name": "may.csv", "df_name": "may"})},
		code("n", "'rows of may: %d' % len(may)"), code("a", "x = 6"), code("b", "x * 7"), code("c", "import os\nopen('"+filepath.Join(p.dir, "instance.yaml")+"').read()"),
		code("d", "x + 1000")))
	p = p.withModel(model, provider.Anthropic, "input_price: 3", "output_price: 15")
	text := p.ok("ask", "How much?", "--file", may)
	if !strings.Contains(text, "1006") {
		t.Errorf("answer:\n%s", text)
	}
	told := ""
	for _, r := range model.Requests() {
		for _, result := range r.Results() {
			told += result.Text + "\n"
		}
	}
	for _, want := range []string{`"text":"42"`, "PermissionError", `{"name":"may.csv","kind":"file"`, `"row_count":3,"column_count":2`, `{"name":"n","type":"integer","rows_equal":1`, "rows of may: 3"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model was not told %s:\n%s", want, told)
		}
	}
	loads := modelSteps(func([]provider.Result) string { return "Loaded." }, []provider.Call{call("m", "load_dataset_full", map[string]any{"name": "may.csv", "df_name": "may"})})
	p.withModel(providertest.NewServer(t, loads), provider.Anthropic).ok("ask", "Load it.", "--file", may)
	looks := modelSteps(func(last []provider.Result) string { return last[0].Text }, code("g", "'may' in globals()"))
	if text := p.withModel(providertest.NewServer(t, looks), provider.Anthropic).ok("ask", "--continue", "And now?"); !strings.Contains(text, `"restarted":true`) || !strings.Contains(text, `"text":"False"`) {
		t.Errorf("a model that goes on in another process is told:\n%s", text)
	}
	var quota api.QuotaStatus
	mustJSON(t, p.ok("quota", "--json"), &quota)
	if quota.ModelCost == nil || *quota.ModelCost < 0.02 || quota.ModelCostLimit != nil {
		t.Errorf("what the model has cost: %+v", quota)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "*", "python", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestTheConfigBoundsWhatPythonWrites has the model write more than the config allows,
// on this machine and on a server.
func TestTheConfigBoundsWhatPythonWrites(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3")
	if !sandbox.Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{providertest.Call("a", "python_repl", map[string]any{"code": "for n in range(9): open(f'f{n}', 'wb').write(bytes(1_000_000))"})}))
	p := newPlace(t)
	if text := p.withModel(model, provider.OpenAI, "python_disk_mb: 5").ok("ask", "Write."); !strings.Contains(text, "python_disk") || !strings.Contains(text, "5 MB in 10000 are allowed") {
		t.Errorf("on this machine: %s", text)
	}
	ann := newPlace(t).withServerModel(model, provider.OpenAI).agentKeys("python: on, python_disk_mb: 5").served().as("ann")
	if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Write."}); status != 200 || !strings.Contains(text, "5 MB in 10000 are allowed") {
		t.Errorf("on a server: %d %s", status, text)
	}
}

// TestPythonIsHeldAtBothDoors has the model's code send a message to another process,
// make a large pipe and start more threads than it may, on this machine and on a server.
func TestPythonIsHeldAtBothDoors(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3")
	if !sandbox.Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	p := newPlace(t)
	path := filepath.Join(t.TempDir(), "d")
	messages, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Close()
	step := func(id, code string) []provider.Call {
		return []provider.Call{providertest.Call(id, "python_repl", map[string]any{"code": code})}
	}
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		step("m", "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b'x', '"+path+"')\nprint('it is done')"),
		step("p", "import fcntl, os\nfcntl.fcntl(os.pipe()[0], 1031, 1 << 20)\nprint('it is done')"),
		step("t", "import threading\nthreading.stack_size(32 << 10)\ne = threading.Event()\nfor n in range(600): threading.Thread(target=e.wait).start()\nwhile True: pass")))
	here := p.withModel(model, provider.OpenAI).ok("ask", "Do it.")
	ann := newPlace(t).withServerModel(model, provider.OpenAI).agentKeys("python: on").served().as("ann")
	status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Do it."})
	if status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	for _, text := range []string{here, text} {
		if !strings.Contains(text, "threads, and 2.1 GB and 500 are allowed") {
			t.Errorf("threads: %s", text)
		}
	}
	told, refused := "", 0
	for _, r := range model.Requests() {
		for _, result := range r.Results() {
			told += result.Text + "\n"
			if strings.Contains(result.Text, "PermissionError") {
				refused++
			}
		}
	}
	if strings.Contains(told, "it is done") || refused < 4 {
		t.Errorf("%d refused: %s", refused, told)
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
		[]provider.Call{call("i", "get_dataset_info", map[string]any{"name": "may.csv"}), call("f", "find_value_columns", map[string]any{"name": "may.csv", "value": "B"}),
			call("o", "get_dataset_info", map[string]any{"name": "../log.jsonl"})},
		[]provider.Call{call("c", "python_repl", map[string]any{"code": "import os\nturns = globals().get('turns', 0) + 1\n(turns, len(d), 'TEST_MODEL_KEY' in os.environ, os.listdir('.'))"})}))
	admin := newPlace(t).withServerModel(model, provider.OpenAI, "files: { max_file_mb: 1 }").agentKeys("python: on")
	if o := admin.with("PATH="+t.TempDir()).run("serve", "--listen", "127.0.0.1:0"); o.code != 2 || !strings.Contains(o.stderr, "there is no working python3") {
		t.Errorf("without Python: exit %d: %s", o.code, o.stderr)
	}
	ann := admin.served().as("ann")
	ann.upload("may.csv", "name,n\na,1\nb,20\nc,21\n")
	status, answer := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many?"})
	if status != 200 || !strings.Contains(answer, "(1, 3, False, [])") || !strings.Contains(answer, `"rows_total":3`) {
		t.Errorf("%d %s", status, answer)
	}
	var reply agenthttp.ChatReply
	mustJSON(t, answer, &reply)
	id := agenthttp.ConversationRequest{Conversation: reply.Answer.Conversation}
	_, records := ann.request("GET", "/api/agent/conversations/"+id.Conversation, nil)
	for _, want := range []string{`\"row_count\":3,\"column_count\":2`, `\"rows_equal\":0,\"rows_containing\":1`, "the path leads out of the workspace"} {
		if !strings.Contains(records, want) {
			t.Errorf("the model was not told %s: %s", want, records)
		}
	}
	if _, answer := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Again", Conversation: id.Conversation}); !strings.Contains(answer, "(2, 3, False, [])") {
		t.Errorf("the next turn does not have the variables: %s", answer)
	}
	ann.request("POST", "/api/agent/reset", id)
	if left, _ := filepath.Glob(filepath.Join(admin.dir, "*", "python", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestPythonWorksWithFiles has the model's code read and change files of the workspace:
// within the draft, with the rights of the tools, on this machine and on a server.
func TestPythonWorksWithFiles(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python3")
	if !sandbox.Available().Enough() {
		testneed.Skip(t, "Landlock and seccomp", "a kernel from 5.13 with both")
	}
	code := `files.create("plan.md", "one\ntwo\n")
files.replaceLines("plan.md", 2, 2, "second")
names = [f["name"] for f in files.list()["files"]]
text = files.read_text("plan.md")["content"]
files.copy("may.csv", "copy.csv")
sheet = files.spreadsheet.readRange("copy.csv", "copy", "A1:B2")["values"]
try:
    files.read_text("/etc/passwd")
except files.Error as e:
    refused = str(e)
for bad in (lambda: files.apply("x"), lambda: files.pdf.nothing):
    try:
        bad()
    except AttributeError as e:
        print(e)
names, text, sheet, refused`
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text },
		[]provider.Call{providertest.Call("a", "python_repl", map[string]any{"code": code})}))
	here := newPlace(t)
	here.ok("files", "write", "may.csv", "--content", "name,n\na,1\n")
	told := here.withModel(model, provider.OpenAI).ok("ask", "Do it.", "-o", "json")
	ann := newPlace(t).withServerModel(model, provider.OpenAI, "files: { max_file_mb: 1 }").agentKeys("python: on").served().as("ann")
	if status, text := ann.uploadTo("/api/agent/upload", "may.csv", "name,n\na,1\n"); status != http.StatusCreated {
		t.Fatalf("upload: %d %s", status, text)
	}
	_, served := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Do it."})
	for door, text := range map[string]string{"here": told, "served": served} {
		for _, want := range []string{`second`, `[['name', 'n'], ['a', 1]]`, "there is no nothing here; there are add_image", "unknown_file",
			`\"file_calls\":{\"file_copy\":1,\"file_create\":1,\"file_list\":1`, `"action":"created","file":"plan.md"`, `"file":"copy.csv"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s:\n%s", door, want, text)
			}
		}
	}
	if files := here.ok("files", "list"); strings.Contains(files, "plan.md") {
		t.Errorf("what code wrote is applied: %s", files)
	}
}

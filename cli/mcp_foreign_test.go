package cli

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// inspector is where `make tools-npm` puts the MCP inspector.
const inspector = "../.cache/npm/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js"

// TestMCPInspectorListsAndCalls drives da mcp with a client that is not ours.
func TestMCPInspectorListsAndCalls(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(inspector)
	if err != nil {
		t.Fatal(err)
	}
	testneed.File(t, script, "the MCP inspector", "make tools-npm")
	p := newPlace(t)
	// The inspector passes no variables on but those that it is told.
	inspect := func(into any, args ...string) {
		t.Helper()
		all := []string{script, "--cli"}
		for _, name := range []string{"DA_INSTANCE", "DA_HOME"} {
			all = append(all, "-e", name+"="+p.get(name))
		}
		cmd := exec.CommandContext(t.Context(), "node", append(append(all, daPath, "mcp"), args...)...)
		cmd.Dir = p.dir
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, stderr.String())
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, out)
		}
	}
	var list struct{ Tools []struct{ Name string } }
	inspect(&list, "--method", "tools/list")
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	for _, want := range []string{"catalog_search", "open_tools", "query", "table_get_map"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	type answer struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent struct {
			Snapshot struct{ Rows int }
			Rows     [][]any
		}
	}
	var fetched answer
	inspect(&fetched, "--method", "tools/call", "--tool-name", "fetch", "--tool-arg", "table_id=flights",
		"--tool-arg", `select=["origin","delay"]`, "--tool-arg", "where=delay > 60", "--tool-arg", "as=late")
	if fetched.IsError || fetched.StructuredContent.Snapshot.Rows != 54 {
		t.Errorf("fetch: %+v", fetched)
	}
	var queried answer
	inspect(&queried, "--method", "tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT count(*) AS n FROM late")
	if rows := queried.StructuredContent.Rows; len(rows) != 1 || rows[0][0] != 54.0 {
		t.Errorf("query: %+v", queried)
	}
	var refused answer
	inspect(&refused, "--method", "tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT origins FROM late")
	if !refused.IsError || !strings.Contains(refused.Content[0].Text, "Did you mean origin?") {
		t.Errorf("a wrong name: %+v", refused)
	}
}

package cli

import (
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestNoPathOfTheMachineGoesToTheModel asks tools for what they say of places, and
// finds no folder of the user in any request.
func TestNoPathOfTheMachineGoesToTheModel(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "Done." },
		[]provider.Call{
			call("a", "write_text_file", map[string]any{"path": "in/sales.csv", "content": "n\n1\n"}), call("b", "snapshot_import", map[string]any{"path": "in/sales.csv", "as": "sales"}),
			call("c", "snapshot_list", map[string]any{}), call("d", "table_describe", map[string]any{"path": "../../x.csv"}), call("e", "table_describe", map[string]any{"path": "none.csv"}),
			call("f", "disk_info", map[string]any{}), call("g", "quota", map[string]any{}), call("h", "read_file", map[string]any{"path": "/etc/hostname"}),
			call("i", "python_repl", map[string]any{"code": "import os\nos.getcwd(), open('nothing')"}), call("j", "load_dataset_full", map[string]any{"name": "flights", "df_name": "d"}),
			call("k", "table_export", map[string]any{"path": "in/sales.csv", "target_path": "../out.csv", "format": "csv"}),
		}))
	p := newPlace(t).withModel(model, provider.OpenAI)
	p.ok("ask", "Where?")
	told := ""
	for _, r := range model.Requests() {
		if at := strings.Index(string(r.Raw), p.dir); at >= 0 {
			t.Errorf("a request tells %.200s", r.Raw[max(at-100, 0):])
		}
		for _, result := range r.Results() {
			told += result.Text + "\n"
		}
	}
	for _, says := range []string{`"file":"in/sales.csv"`, "lies outside of the root", "is a table of the catalog, not a snapshot or a file"} {
		if !strings.Contains(told, says) && (says[0] != 'i' || strings.Contains(told, "python_repl")) {
			t.Errorf("the model is not told %q:\n%s", says, told)
		}
	}
}

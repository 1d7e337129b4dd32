package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/providertest"
	"github.com/agnes-data/da/agent/receipt"
)

// TestReceipts follows an answer's figure to its statement and snapshot, runs it
// again here and from a bundle, and finds out when the data has changed.
func TestReceipts(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "There were " + firstCell(last) + " late departures." },
		[]provider.Call{call("e", "fetch", map[string]any{"table_id": "flights", "where": "delay > 60", "as": "late"})},
		[]provider.Call{call("s", "send_data_to_ui_as_df", map[string]any{"logical_name": "late", "sql": "SELECT origin, count(*) AS n FROM late GROUP BY 1"})},
		[]provider.Call{call("f", "query", map[string]any{"sql": "SELECT count(*) AS n FROM late"})}))
	p := newPlace(t).withModel(model, provider.Anthropic, "input_price: 3", "output_price: 15")
	var answer agent.Answer
	if err := json.Unmarshal([]byte(p.ok("ask", "How many?", "--json")), &answer); err != nil || answer.Receipt == "" {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	var r receipt.Receipt
	if err := json.Unmarshal([]byte(p.ok("receipt", "show", answer.Receipt, "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2 || r.Results[0].Tool != "send_data_to_ui_as_df" || !r.Results[0].Local || r.Results[0].Rows < 2 || len(r.Results[0].Inputs) != 1 || len(r.Results[1].Inputs) != 1 || r.Results[0].Inputs[0].Where != "delay > 60" || r.Results[0].Inputs[0].ContentHash == "" || r.Results[0].Inputs[0].Rights == "" {
		t.Errorf("receipt %+v", r)
	}
	if len(r.Figures) != 1 || r.Figures[0].Text != "54" || len(r.Figures[0].Calls) == 0 {
		t.Errorf("figures %+v", r.Figures)
	}
	if text := p.ok("receipt", "show", answer.Receipt); !strings.Contains(text, "snapshot late: 54 rows") || !strings.Contains(text, "where delay > 60") || !strings.Contains(text, ", rights "+r.Results[0].Inputs[0].Rights) || !strings.Contains(text, "tokens, cost 0.0") {
		t.Errorf("shown:\n%s", text)
	}
	if text := p.ok("receipt", "verify", answer.Receipt); strings.Count(text, "same") != 2 {
		t.Errorf("verified:\n%s", text)
	}
	p.ok("receipt", "replay", answer.Receipt, "--out", "bundle")
	if o := p.script("bundle/verify.sh"); o.code != 0 || !strings.Contains(o.stdout, "same") {
		t.Fatalf("the bundle: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}

	p.ok("fetch", "flights", "--where", "delay > 50", "--as", "late", "--force")
	if o := p.run("receipt", "verify", answer.Receipt); o.code != 2 || !strings.Contains(o.stdout, "drifted") || !strings.Contains(o.stdout, "the snapshot late has other rows") {
		t.Errorf("after a change: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if o := p.run("receipt", "replay", answer.Receipt, "--out", "later"); o.code != 2 || !strings.Contains(o.stderr, "has other rows") {
		t.Errorf("a bundle of other rows: exit %d: %s", o.code, o.stderr)
	}
	p.ok("query", "SELECT * FROM late", "--out", "other.parquet")
	if err := os.Rename(filepath.Join(p.dir, "other.parquet"), filepath.Join(p.dir, "bundle/snapshots/late.parquet")); err != nil {
		t.Fatal(err)
	}
	if o := p.script("bundle/verify.sh"); o.code != 2 || !strings.Contains(o.stdout, "drifted") {
		t.Errorf("a bundle with other rows: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if o := p.run("receipt", "show", "nonsense"); o.code != 2 {
		t.Errorf("no id: exit %d", o.code)
	}
}

// script runs a script of the place with da in the path.
func (p *place) script(path string) outcome {
	p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	bin := p.t.TempDir()
	if err := os.Symlink(exe, filepath.Join(bin, "da")); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command("sh", filepath.Join(p.dir, path))
	cmd.Dir, cmd.Env = p.dir, append(p.env, "PATH="+bin+":"+os.Getenv("PATH"))
	return finish(p.t, cmd)
}

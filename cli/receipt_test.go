package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
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

// TestReceiptsOfWhatWasFetched checks what the tables' rows are kept for, names what
// rests on nothing, and ends apart from drift if nothing can be checked.
func TestReceiptsOfWhatWasFetched(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	count := "SELECT origin, count(*) AS n FROM flights WHERE delay > 60 GROUP BY ALL ORDER BY ALL"
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "Of those above 60 there were 18 each, 47 of them in May." },
		[]provider.Call{
			call("a", "query", map[string]any{"sql": count, "fetch": true}), call("b", "send_data_to_ui_as_df", map[string]any{"logical_name": "late", "sql": count, "fetch": true}),
			call("c", "query_remote", map[string]any{"sql": "SELECT count(*) FROM flights"}),
			call("d", "add_result", map[string]any{"path": "late.xlsx", "create_if_missing": true, "sql": count, "fetch": true}),
		}))
	p := newPlace(t).withModel(model, provider.Compatible)
	var answer agent.Answer
	mustJSON(t, p.ok("ask", "How many?", "--json"), &answer)
	if got := strings.Join(answer.Untraced, " "); got != "47" {
		t.Errorf("untraced %q", got)
	}
	if o := p.run("ask", "Again", "--continue"); !strings.Contains(o.stderr, "-2; 1 figure in no result: 47)") {
		t.Errorf("the last line: %s", o.stderr)
	}
	o := p.run("receipt", "verify", answer.Receipt)
	if o.code != 0 || strings.Count(o.stdout, "same") != 3 || strings.Count(o.stdout, "not_run") != 1 || !strings.Contains(o.stderr, "3 of 4 results checked") {
		t.Errorf("verified: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "home/parts")); err != nil {
		t.Fatal(err)
	}
	if o := p.run("receipt", "verify", answer.Receipt); o.code != 3 || strings.Count(o.stdout, "not_run") != 4 || !strings.Contains(o.stdout, "its rows are not all kept here") || !strings.Contains(o.stderr, "0 of 4 results checked") {
		t.Errorf("without what was fetched: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
}

// TestReceiptsNameFetchedParts names the part of a table that each statement has read, and
// says which of them has moved.
func TestReceiptsNameFetchedParts(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	count, airports := "SELECT count(*) AS n FROM flights WHERE delay > 60", "SELECT count(*) AS n FROM airports"
	both := "CREATE TEMP VIEW late AS SELECT * FROM flights WHERE delay > 60; SELECT count(*) AS n FROM late; " + airports
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "There were some." },
		[]provider.Call{
			call("a", "query", map[string]any{"sql": both, "fetch": true}), call("b", "send_data_to_ui_as_df", map[string]any{"logical_name": "late", "sql": count, "fetch": true}),
			call("c", "query", map[string]any{"sql": airports, "fetch": true}),
		}))
	p := newPlace(t).withModel(model, provider.OpenAI)
	var answer agent.Answer
	mustJSON(t, p.ok("ask", "How many?", "--json"), &answer)
	var r receipt.Receipt
	mustJSON(t, p.ok("receipt", "show", answer.Receipt, "--json"), &r)
	var read []string
	for _, res := range r.Results {
		for _, in := range res.Inputs {
			if in.ContentHash == "" || in.Version == "" || in.Rights == "" || in.Rows == nil || *in.Rows == 0 {
				t.Errorf("%s has read %+v", res.Call, in)
			}
			read = append(read, in.TableID+" "+in.Where)
		}
	}
	if got := strings.Join(read, ", "); got != `flights "delay" > 60, airports , flights "delay" > 60, airports ` {
		t.Errorf("read: %s", got)
	}
	if text := p.ok("receipt", "show", answer.Receipt); strings.Count(text, "  part of flights: 54 rows, content ") != 2 || !strings.Contains(text, `, where "delay" > 60, version `) {
		t.Errorf("shown:\n%s", text)
	}
	files, err := filepath.Glob(filepath.Join(p.dir, "data/flights/*/*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(files[0]), "again.parquet"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	p.ok("query", "--fetch", "--fresh", count)
	o := p.run("receipt", "verify", answer.Receipt)
	if o.code != 2 || strings.Count(o.stdout, `the table flights where "delay" > 60 has other rows (version `) != 2 || strings.Contains(o.stdout, "airports") || strings.Count(o.stdout, "same") != 1 {
		t.Errorf("after a change: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "home/parts")); err != nil {
		t.Fatal(err)
	}
	if o := p.run("receipt", "verify", answer.Receipt); o.code != 3 || strings.Count(o.stdout, `the table flights where "delay" > 60 has changed at its source (version `) != 2 || strings.Contains(o.stdout, "airports") || strings.Count(o.stdout, "its rows are not all kept here") != 3 {
		t.Errorf("without what was fetched: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
}

// TestReceiptsOfFiles names the file that an answer rests on, finds out when it has
// changed, and makes a bundle of what it was then and of no other file.
func TestReceiptsOfFiles(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return firstCell(last) },
		[]provider.Call{call("a", "table_describe", map[string]any{"path": "pay.csv"})},
		[]provider.Call{call("b", "table_query", map[string]any{"path": "in/sales.csv", "query": "SELECT sum(n) FROM data"})}))
	p := newPlace(t).withModel(model, provider.Compatible)
	p.ok("files", "write", "in/sales.csv", "--content", "n\n40\n2\n")
	p.ok("files", "write", "pay.csv", "--content", "name,pay\nAnn,1\n")
	var answer agent.Answer
	mustJSON(t, p.ok("ask", "How much?", "--json"), &answer)
	if text := p.ok("receipt", "show", answer.Receipt); !strings.Contains(text, "file in/sales.csv: content ") || strings.Contains(text, "pay.csv") {
		t.Errorf("shown:\n%s", text)
	}
	if text := p.ok("receipt", "verify", answer.Receipt); strings.Contains(text, "content") {
		t.Errorf("verified:\n%s", text)
	}
	p.ok("files", "write", "in/sales.csv", "--content", "n\n40\n3\n")
	for range 2 { // the first leaves all as it was
		if o := p.run("receipt", "verify", answer.Receipt); o.code != 2 || !strings.Contains(o.stdout, "the file in/sales.csv has changed") {
			t.Errorf("of a file that was changed: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
		}
	}
	var made ask.Replayed
	mustJSON(t, p.ok("receipt", "replay", answer.Receipt, "--out", "bundle", "--json"), &made)
	if got := strings.Join(made.Files, " "); got != "receipt.json statements/01.sql files/in/sales.csv verify.sh" {
		t.Errorf("the bundle has %s", got)
	}
	if o := p.script("bundle/verify.sh"); o.code != 0 {
		t.Errorf("the bundle: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "bundle/files/in/sales.csv"), []byte("n\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := p.script("bundle/verify.sh"); o.code != 2 || !strings.Contains(o.stdout, "drifted") {
		t.Errorf("a bundle with another file: exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "*", "replay", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// script runs a script of the place with da in the path.
func (p *place) script(path string) outcome {
	p.t.Helper()
	cmd := exec.Command("sh", filepath.Join(p.dir, path))
	cmd.Dir, cmd.Env = p.dir, append(p.env, "PATH="+os.Getenv("PATH"))
	return finish(p.t, cmd)
}

// TestAnApprovedQuestionNeedsNoModel asks an approved question in other words in a chat,
// and over HTTP: no model is asked, and the receipt says by whom it is approved. Another
// question, and one that was changed, are for the model.
func TestAnApprovedQuestionNeedsNoModel(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "The model says " + firstCell(last) + "." },
		[]provider.Call{providertest.Call("q", "query_remote", map[string]any{"sql": "SELECT count(*) AS n\nFROM flights WHERE delay > 50;"})}))
	p := newPlace(t).withServerModel(model, provider.Anthropic, "").agentKeys("reuse: approved").withModel(model, provider.OpenAI, "reuse: approved")
	p.ok("saved", "add", "out_of", "SELECT count(*) AS n FROM flights WHERE origin = $from", "--question", "How many flights from SEA were there?", "--param", "from=SEA")
	p.ok("saved", "add", "late", "SELECT count(*) AS n FROM flights WHERE delay > 50", "--question", "How many flights are late?")
	p.ok("saved", "approve", "out_of")
	cmd := p.command("chat")
	cmd.Stdin = strings.NewReader("number of flights out of JFK\nand why?\n")
	o := finish(t, cmd)
	if o.code != 0 || !strings.Contains(o.stdout, `approved question 'out_of' with from = "JFK"`) || !strings.Contains(o.stdout, "198") || !strings.Contains(o.stdout, "The model says 114.") {
		t.Errorf("exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
	if n := len(model.Requests()); n != 2 || len(model.Requests()[0].Messages) < 4 {
		t.Errorf("the model was asked %d times, with what was said before", n)
	}
	var talks ask.ConversationList
	if err := json.Unmarshal([]byte(p.ok("conversations", "list", "--json")), &talks); err != nil || len(talks.Conversations) != 1 {
		t.Fatalf("%v: %v", talks, err)
	}
	if text := p.ok("receipt", "show", talks.Conversations[0].ID+"-1"); !strings.Contains(text, "saved question out_of: How many flights from SEA were there?, approved by ") || !strings.Contains(text, "198  in approved") {
		t.Errorf("its receipt:\n%s", text)
	}
	if text := p.ok("receipt", "show", talks.Conversations[0].ID+"-2"); !strings.Contains(text, "saved question late: How many flights are late?, not approved") {
		t.Errorf("the receipt of a statement that nobody approved:\n%s", text)
	}

	served := p.served()
	asked := func(question string) (reply agenthttp.ChatReply) {
		t.Helper()
		if _, text := served.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: question}); json.Unmarshal([]byte(text), &reply) != nil || reply.Reply == "" {
			t.Fatalf("%s: %s", question, text)
		}
		return reply
	}
	if reply := asked("Show me the total number of flights from SFO"); !strings.Contains(reply.Reply, `with from = "SFO"`) || !strings.Contains(reply.Reply, "n: 201") || *reply.Answer.Cost != 0 {
		t.Errorf("%+v", reply)
	} else if _, text := served.request("GET", "/api/agent/receipts/"+reply.Answer.Receipt, nil); !strings.Contains(text, `"saved":{"name":"out_of"`) || !strings.Contains(text, `"approved_by":`) {
		t.Errorf("its receipt: %s", text)
	}
	if n := len(model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	p.ok("saved", "add", "out_of", "SELECT 0 AS n FROM flights WHERE origin = $from", "--question", "How many flights from SEA were there?", "--param", "from=SEA", "--replace")
	if reply := asked("How many flights from SFO were there?"); reply.Reply != "The model says 114." {
		t.Errorf("after a change: %+v", reply)
	}
}

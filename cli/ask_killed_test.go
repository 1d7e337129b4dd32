package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// persistent is a model that makes each call until it was done, and looks at the
// results alone.
func persistent(calls []provider.Call) func(providertest.Request) providertest.Reply {
	return func(r providertest.Request) providertest.Reply {
		names, done, last := map[string]string{}, map[string]bool{}, []provider.Result{}
		for _, m := range r.Messages {
			for _, b := range m.Blocks {
				switch {
				case b.Call != nil:
					names[b.Call.ID] = b.Call.Name
				case b.Result != nil && (!b.Result.Failed || strings.Contains(b.Result.Text, "snapshot_exists")):
					done[names[b.Result.CallID]], last = true, []provider.Result{*b.Result}
				}
			}
		}
		for _, c := range calls {
			if !done[c.Name] {
				return providertest.Reply{Calls: []provider.Call{c}, Usage: provider.Usage{Input: 100, Output: 10}}
			}
		}
		return providertest.Reply{Text: "There were " + firstCell(last) + ".", Usage: provider.Usage{Input: 100, Output: 10}}
	}
}

// TestAskGoesOnAfterAKill kills the process when it tells its first, second, …
// event, and goes on: the answer is right, the conversation is whole, and files and
// snapshots are there once.
func TestAskGoesOnAfterAKill(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, persistent([]provider.Call{
		call("a", "write_text_file", map[string]any{"path": "plan.md", "content": "# Plan\n"}),
		call("b", "fetch", map[string]any{"table_id": "flights", "where": "delay > 60", "as": "late"}),
		call("c", "query", map[string]any{"sql": "SELECT count(*) AS n FROM late"}),
	}))
	for at, ended := 1, false; !ended; at++ {
		p := newPlace(t).withModel(model, provider.Anthropic)
		ended = killAt(t, p, at)
		if o := p.run("ask", "--continue"); o.code != 0 || o.stdout != "There were 54.\n" {
			if !strings.Contains(o.stderr, "nothing to go on with") {
				t.Fatalf("killed at event %d: exit %d: %s\n%s", at, o.code, o.stdout, o.stderr)
			}
		}
		var list ask.ConversationList
		if err := json.Unmarshal([]byte(p.ok("conversations", "list", "--json")), &list); err != nil || len(list.Conversations) != 1 || list.Conversations[0].Open {
			t.Fatalf("killed at event %d: conversations %+v, %v", at, list, err)
		}
		results := 0
		for _, line := range strings.Split(strings.TrimSpace(p.ok("conversations", "export", list.Conversations[0].ID)), "\n") {
			var r conversation.Record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("killed at event %d: %v: %s", at, err, line)
			}
			if r.Type == conversation.ToolResult {
				results++
			}
		}
		diff := p.ok("files", "draft", "diff", "ask_"+list.Conversations[0].ID)
		if results < 3 || strings.Count(diff, "created  plan.md") != 1 || !strings.Contains(diff, "+ # Plan") {
			t.Errorf("killed at event %d: %d results, and the draft has\n%s", at, results, diff)
		}
		if n := strings.Count(p.ok("query", "SELECT count(*) AS n FROM late", "-o", "csv"), "54"); n != 1 {
			t.Errorf("killed at event %d: the snapshot is not whole", at)
		}
	}
}

// killAt asks, and kills the process at the event of that number. It reports
// whether the turn ended before.
func killAt(t *testing.T, p *place, at int) bool {
	t.Helper()
	cmd := p.command("ask", "How many were late?", "-o", "ndjson")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, last := bufio.NewScanner(out), agent.Event{}
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatal(err)
		}
		if n == at {
			break
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	return last.Type == agent.EventReply
}

// TestAskDoesDataTasks lets a scripted model do five tasks over an embedded and a
// served instance, and compares with what the command line says.
func TestAskDoesDataTasks(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	fetch := call("f", "fetch", map[string]any{"table_id": "flights", "as": "mine"})
	query := func(id, sql string) []provider.Call {
		return []provider.Call{call(id, "query", map[string]any{"sql": sql})}
	}
	tasks := []struct {
		name, question string
		files          []string
		steps          [][]provider.Call
		truth          string // a statement over the whole table, or what the answer must hold
	}{
		{"a part", "How many were late from SFO?", nil, [][]provider.Call{{call("a", "catalog_schema", map[string]any{"table_id": "flights"})},
			{call("b", "fetch", map[string]any{"table_id": "flights", "where": "origin = 'SFO' AND delay > 60", "select": []string{"origin", "delay"}, "as": "part"})}, query("c", "SELECT count(*) AS n FROM part")},
			"SELECT count(*) AS n FROM oracle WHERE origin = 'SFO' AND delay > 60"},
		{"a join with a workbook", "How many went from the west?", []string{"regions.xlsx"}, [][]provider.Call{{fetch}, {call("b", "snapshot_import", map[string]any{"path": "regions.xlsx", "as": "regions"})},
			query("c", "SELECT count(*) AS n FROM mine JOIN regions ON code = origin WHERE region = 'west'")},
			"SELECT count(*) AS n FROM oracle WHERE origin IN ('SFO', 'SEA')"},
		{"a repair", "What is the longest delay?", nil, [][]provider.Call{{fetch}, query("b", "SELECT max(arr_delay) AS n FROM mine"), query("c", "SELECT max(delay) AS n FROM mine")},
			"SELECT max(delay) AS n FROM oracle"},
		{"an aggregate at the source", "How many airports of origin?", nil, [][]provider.Call{{call("a", "query_remote", map[string]any{"sql": "SELECT count(DISTINCT origin) AS n FROM flights"})}},
			"SELECT count(DISTINCT origin) AS n FROM oracle"},
		{"a file for the user", "Write the mean delay into a file", nil, [][]provider.Call{{fetch}, query("b", "SELECT round(avg(delay), 3) AS n FROM mine"),
			{call("c", "write_text_file", map[string]any{"path": "mean.md", "content": "see the answer"})}, query("d", "SELECT round(avg(delay), 3) AS n FROM mine")},
			"SELECT round(avg(delay), 3) AS n FROM oracle"},
	}
	for kind, base := range map[string]*place{"embedded": newPlace(t), "served": newPlace(t).served()} {
		base.ok("fetch", "flights", "--as", "oracle", "--no-estimate")
		base.workbook(base.dir+"/regions", "code,region\nSFO,west\nSEA,west\nJFK,east\n")
		for _, task := range tasks {
			t.Run(kind+"/"+task.name, func(t *testing.T) {
				model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "It is " + firstCell(last) + "." }, task.steps...))
				p := base.withModel(model, provider.Compatible)
				args := []string{"ask", task.question}
				for _, f := range task.files {
					args = append(args, "--file", f)
				}
				text := p.ok(args...)
				lines := strings.Fields(p.ok("query", task.truth, "-o", "csv"))
				if want := fmt.Sprintf("It is %s.\n", lines[len(lines)-1]); text != want {
					t.Errorf("the answer is %q, not %q", text, want)
				}
				_ = p.run("snapshot", "drop", "mine")
			})
		}
	}
}

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
)

const questions = `
max_cost: 0.5
questions:
  - name: how many
    ask: How many airports are there?
    expect: {figure: 3}
    tools: [query_remote]
    max_calls: 2
  - name: wrong
    ask: How many airports are there, doubled?
    expect: {figure: 6}
  - name: no such data
    ask: Who ate my lunch?
    expect: {refusal: true}
  - name: which
    ask: How many are there?
    expect: {question: true}
  - name: table
    ask: Which airports are there?
    expect: {rows: [[SEA, 47.45], [JFK, 40.64]], tolerance: 0.01, text: [airports]}
  - name: not allowed
    ask: How many airports are there, again?
    expect: {figure: 3}
    tools: [catalog_search]
`

// lunch is a model that answers these questions.
func lunch(r providertest.Request) providertest.Reply {
	usage := provider.Usage{Input: 1000, Output: 50}
	said := ""
	for _, b := range r.Messages[lastQuestion(r.Messages)].Blocks {
		said += b.Text
	}
	switch {
	case strings.Contains(said, "lunch"):
		return providertest.Reply{Text: "There is no table about lunch, so I cannot say.", Usage: usage}
	case strings.Contains(said, "How many are there?"):
		return providertest.Reply{Text: "Airports or flights: which do you mean?", Usage: usage}
	case strings.Contains(said, "Which airports"):
		return providertest.Reply{Text: "The airports:\n| SEA | 47.449 |\n| JFK | 40.640 |", Usage: usage}
	case len(r.Results()) == 0 && r.Messages[len(r.Messages)-1].Role == provider.User && !strings.Contains(said, " in no result: "):
		return providertest.Reply{Calls: []provider.Call{providertest.Call("q", "query_remote", map[string]any{"sql": "SELECT count(*) AS n FROM airports"})}, Usage: usage}
	}
	return providertest.Reply{Text: "There are 3 airports.", Usage: usage}
}

// TestQuestions asks the questions of a file, and again without a model.
func TestQuestions(t *testing.T) {
	t.Parallel()
	home := newPlace(t)
	file := filepath.Join(home.dir, "questions.yaml")
	if err := os.WriteFile(file, []byte(questions), 0o600); err != nil {
		t.Fatal(err)
	}
	p := home.withModel(providertest.NewServer(t, lunch), provider.Anthropic, "input_price: 1", "output_price: 1")
	want := map[string]string{"how many": "passed", "wrong": "failed", "no such data": "passed", "which": "passed", "table": "passed", "not allowed": "failed"}
	check := func(p *place, args ...string) ask.Tested {
		t.Helper()
		out := p.run(append([]string{"ask", "--test", file, "--json"}, args...)...)
		var got ask.Tested
		if err := json.Unmarshal([]byte(out.stdout), &got); err != nil || out.code != 10 || got.Right != 4 || got.Wrong != 2 {
			t.Fatalf("exit %d, %v: %s\n%s", out.code, err, out.stdout, out.stderr)
		}
		for _, q := range got.Questions {
			if string(q.Status) != want[q.Name] {
				t.Errorf("%s: %+v", q.Name, q)
			}
		}
		return got
	}
	got := check(p, "--record", "replies.json", "--report", "answers.xml")
	if got.Cost == nil || *got.Cost <= 0 || got.Calls <= 0 {
		t.Errorf("cost %v, %v calls", got.Cost, got.Calls)
	}
	report, err := os.ReadFile(filepath.Join(home.dir, "answers.xml"))
	if err != nil || !strings.Contains(string(report), `tests="6" failures="2" errors="0"`) {
		t.Errorf("%v: %s", err, report)
	}
	// Without a model, from what it has said; a question that was not recorded is an
	// error, and the others go on.
	for _, q := range check(home.with("DA_HOME="+t.TempDir()), "--replay", "replies.json").Questions {
		if q.Changed {
			t.Errorf("%s: the prompt is said to have changed", q.Name)
		}
	}
	more := strings.Replace(questions, "name: which", "name: new", 1)
	if err := os.WriteFile(file, []byte(more), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := home.run("ask", "--test", file, "--replay", "replies.json"); out.code != 2 || !strings.Contains(out.stderr, "the recording has only 0 replies") {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
	if out := home.run("ask", "--test", file, "one more"); out.code != 2 {
		t.Errorf("exit %d: %s", out.code, out.stderr)
	}
}

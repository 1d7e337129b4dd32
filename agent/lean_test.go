package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestAnswersAreSentLean holds what a model is sent of answers: rows as CSV with types,
// hints of a dialect once, and nothing that is false, empty or for programs.
func TestAnswersAreSentLean(t *testing.T) {
	hints := `"sql_flavor":"duckdb","where_dialect_hints":{"cast":"CAST(x AS BIGINT)"}`
	answers := []struct{ whole, want string }{
		{`{"notice":"Between.","begin":"<data-1>","columns":["a, b","n"],"column_types":["string","decimal"],"constant":{"x":null},` +
			`"rows":[["",1.50],[null,null],["say \"x\"\n",{"start":"<","chars":9}]],"rows_total":3,"rows_shown":3,"truncated":false,"caveats":[],"end":"</data-1>"}`,
			`{"begin":"<data-1>","constant":{"x":null},"rows":"\"a, b:string\",n:decimal\n\"\",1.50\n,\n\"say \"\"x\"\"\n\",\"{\"\"start\"\":\"\"<\"\",\"\"chars\"\":9}\"\n","rows_total":3,"end":"</data-1>"}`},
		{`{"results":[{"statement":1,"columns":["n"],"column_types":["integer"],"rows":[[1]],"rows_total":9,"rows_shown":1,"truncated":true}]}`,
			`{"results":[{"statement":1,"rows":"n:integer\n1\n","rows_total":9,"rows_shown":1,"truncated":true}]}`},
		{`{"results":[{"caveats":[{"kind":"guessed","text":"a"}],"statement":1},{"caveats":[{"kind":"guessed","text":"a"},{"kind":"cut","text":"b"}]},{"caveats":[{"kind":"cut","text":"b"}]}]}`,
			`{"results":[{"caveats":[{"kind":"guessed","text":"a"}],"statement":1},{"caveats":[{"kind":"cut","text":"b"}]},{}]}`},
		{`{"columns":["n"],"column_types":["integer"],"rows":[]}`, `{"rows":"n:integer\n"}`},
		{`{"tables":[{"id":"t","source_type":"lake","query_mode":"remote","columns":[{"name":"n","type":"BIGINT"},{"name":"a, b","type":"TEXT"}],"sample":{"columns":["n","a, b"],"rows":[[1,null]]}}]}`,
			`{"tables":[{"id":"t","sample":{"rows":"n:BIGINT,\"a, b:TEXT\"\n1,\n"}}]}`},
		{`{"columns":[{"name":"n","type":"BIGINT"},{"name":"a","type":"TEXT"}],"sample":{"columns":["n"],"rows":[[1]]}}`,
			`{"columns":"n:BIGINT,a:TEXT","sample":{"columns":["n"],"rows":[[1]]}}`},
		{`{"query_mode":"local","columns":[{"name":"n","type":"BIGINT","description":"all"}]}`, `{"query_mode":"local","columns":[{"name":"n","type":"BIGINT","description":"all"}]}`},
		{`{"columns":[{"name":"n"}],` + hints + `}`, `{"columns":[{"name":"n"}],` + hints + `}`},
		{`{"columns":[{"name":"m"}],` + hints + `}`, `{"columns":[{"name":"m"}],"sql_flavor":"duckdb"}`},
		{`no object`, `no object`},
	}
	var steps replies
	for i := range answers {
		steps = append(steps, providertest.Reply{Calls: []provider.Call{read("c", i)}})
	}
	k := newTalk(t, script(append(steps, providertest.Reply{Text: "done"})...))
	k.tools.answer = func(_ string, arguments json.RawMessage) (string, bool) {
		var in struct{ N int }
		if err := json.Unmarshal(arguments, &in); err != nil {
			t.Error(err)
		}
		return answers[in.N].whole, false
	}
	k.ask("x")
	k.again() // the next process writes them as this one
	k.ask("y")
	last := k.model.Requests()[len(answers)+1]
	var got []string
	for _, m := range last.Messages {
		for _, b := range m.Blocks {
			if b.Result != nil {
				got = append(got, b.Result.Text)
			}
		}
	}
	for i, a := range answers {
		if got[i] != a.want {
			t.Errorf("%s\nis sent as %s\nnot as  %s", a.whole, got[i], a.want)
		}
	}
}

// TestWhatIsSentStays holds that a request begins with all bytes of the one before, also
// when another process goes on: a provider can keep what it has made of them.
func TestWhatIsSentStays(t *testing.T) {
	there := "Today is 2026-01-01."
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		if len(r.Results()) == 0 {
			return providertest.Reply{Calls: []provider.Call{read("c", r.Number)}}
		}
		return providertest.Reply{Text: "done"}
	}, func(c *agent.Config) { c.There = there })
	k.tools.answer = func(string, json.RawMessage) (string, bool) {
		return `{"columns":["n"],"column_types":["integer"],"rows":[[1]],"sql_flavor":"duckdb","where_dialect_hints":{"cast":"x"}}`, false
	}
	k.ask("x")
	k.again()
	k.ask("y")
	k.cfg.There = "Today is 2026-01-02."
	k.again()
	k.ask("z")
	requests := k.model.Requests()
	days := 0
	for i, r := range requests {
		days = max(days, strings.Count(string(r.Raw), "Today is"))
		if i == 0 {
			continue
		}
		was := requests[i-1]
		if r.System != was.System || !slices.EqualFunc(r.Tools, was.Tools, func(a, b provider.Tool) bool { return a.Name == b.Name && string(a.Schema) == string(b.Schema) }) {
			t.Errorf("request %d has another head", i+1)
		}
		before, now := blocksOf(t, was), blocksOf(t, r)
		if !strings.HasPrefix(now, before) {
			t.Errorf("request %d does not begin as the one before:\n%s\n%s", i+1, before, now)
		}
	}
	if days != 2 {
		t.Errorf("the model was told the day %d times", days)
	}
}

// blocksOf writes a request's messages, block by block.
func blocksOf(t *testing.T, r providertest.Request) string {
	t.Helper()
	var b strings.Builder
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			text, err := json.Marshal(block)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(string(m.Role) + " " + string(text) + "\n")
		}
	}
	return b.String()
}

// TestAnInventedFigureIsCorrected holds that a model is told once, before the user reads
// the answer, which figures are in no result; ids, paths and counters are not counted as figures.
func TestAnInventedFigureIsCorrected(t *testing.T) {
	rows := `{"columns":["n"],"column_types":["integer"],"rows":[[27]],"rows_total":1,"file":"in/53/a.csv","id":"0f239a","estimate":{"estimated_scan_bytes":210365}}`
	invented := "There are 27 of 30, with 53, 239, 210365 and 4711."
	for _, c := range []struct {
		second, want, loose string
		requests            int
	}{
		{"There are 27.", "There are 27.", "", 3},
		{"There are 27 of 30.", "There are 27 of 30.", "30", 3},
		{"", invented, "30 53 239 210365 4711", 3},
	} {
		k := newTalk(t, script(providertest.Reply{Calls: []provider.Call{read("c", 0)}}, providertest.Reply{Text: invented}, providertest.Reply{Text: c.second, Stop: provider.StopEnd}))
		k.tools.answer = func(string, json.RawMessage) (string, bool) { return rows, false }
		answer := k.ask("How many?")
		if got := strings.Join(answer.Untraced, " "); answer.Text != c.want || got != c.loose || answer.Reason != agent.ReasonEnd || len(k.model.Requests()) != c.requests {
			t.Errorf("%q, in no result %q, after %d requests, want %q, %q, %d", answer.Text, got, len(k.model.Requests()), c.want, c.loose, c.requests)
		}
		last := k.model.Requests()[2]
		if text := blocksOf(t, last); !strings.Contains(text, "5 figures in no result: 30, 53, 239, 210365, 4711.") {
			t.Errorf("the model was told %s", text)
		}
	}
}

// TestTheDayIsNoInventedFigure: the model was told it.
func TestTheDayIsNoInventedFigure(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Text: "Today is 2 January 2026."}), func(c *agent.Config) { c.There = "Today is 2026-01-02." })
	if answer := k.ask("Which day?"); len(answer.Untraced) > 0 || len(k.model.Requests()) != 1 {
		t.Errorf("in no result: %q", answer.Untraced)
	}
}

// TestTheFirstQuestionComesWithItsTables holds that the model is told once, between the
// marks of data and without secrets, what of the catalog the first question needs.
func TestTheFirstQuestionComesWithItsTables(t *testing.T) {
	var asked []string
	k := newTalk(t, func(providertest.Request) providertest.Reply { return providertest.Reply{Text: "done"} }, func(c *agent.Config) {
		c.There = "Today is 2026-01-01."
		c.Clean = secrets.New("hunter22").Clean
		c.Gist = func(_ context.Context, question string) string {
			asked = append(asked, question)
			return "flights(delay BIGINT)\nnote: hunter22\n"
		}
	})
	k.ask("How many flights?")
	k.again()
	k.ask("And by month?")
	if !slices.Equal(asked, []string{"How many flights?"}) {
		t.Errorf("asked for %q", asked)
	}
	for _, r := range k.model.Requests() {
		text := string(r.Raw)
		if strings.Count(text, "flights(delay BIGINT)") != 1 || strings.Count(text, "Today is") != 1 || strings.Contains(text, "hunter22") {
			t.Errorf("the model was told %s", text)
		}
		first := r.Messages[0].Blocks[0].Text
		_, data, marked := strings.Cut(first, "\n<data-")
		if !marked || !strings.Contains(data, "flights(delay BIGINT)") || !strings.Contains(data, "\n</data-") {
			t.Errorf("without marks: %s", first)
		}
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// chartOf is a call that draws a statement.
func chartOf(id, sql, kind, x, y string, more map[string]any) provider.Call {
	arguments := map[string]any{"logical_name": "by day", "sql": sql, "chart_type": kind, "x_field": x, "series": []any{map[string]any{"name": "flights", "y_field": y}}}
	for k, v := range more {
		arguments[k] = v
	}
	return providertest.Call(id, "send_chart_to_ui", arguments)
}

// TestAskShowsTablesAndCharts prints tables and charts before the answer, and
// tells the model why a chart cannot be drawn.
func TestAskShowsTablesAndCharts(t *testing.T) {
	t.Parallel()
	byOrigin := "SELECT origin, count(*) AS n FROM all_flights GROUP BY origin ORDER BY n DESC, origin LIMIT 3"
	steps := [][]provider.Call{
		{providertest.Call("a", "fetch", map[string]any{"table_id": "flights", "as": "all_flights"})},
		{providertest.Call("b", "send_data_to_ui_as_df", map[string]any{"logical_name": "busiest", "sql": byOrigin}), chartOf("c", byOrigin, "column", "origin", "n", map[string]any{"x_label": "Airport", "y_label": "Flights"}),
			chartOf("d", "SELECT * FROM all_flights", "bar", "origin", "delay", nil), chartOf("e", byOrigin, "pie", "origin", "n", nil), chartOf("f", byOrigin, "bar", "origin", "origin", nil),
			chartOf("g", byOrigin, "bar", "nothing", "n", nil), chartOf("h", "SELECT nonsense", "bar", "a", "b", nil), providertest.Call("i", "send_data_to_ui_as_df", map[string]any{"logical_name": "x"})},
		{providertest.Call("j", "send_data_to_ui_as_df", map[string]any{"logical_name": "many", "sql": "SELECT * FROM range(5000)"})},
	}
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "Shown." }, steps...))
	p := newPlace(t).withModel(model, provider.Anthropic)
	o := p.run("ask", "Which are the busiest?")
	if o.code != 0 || !strings.HasPrefix(o.stdout, "busiest:\norigin") || !strings.Contains(o.stdout, "█") || !strings.HasSuffix(o.stdout, "Shown.\n") {
		t.Fatalf("exit %d:\n%s\n%s", o.code, o.stdout, o.stderr)
	}
	for _, says := range []string{"no chart: too many rows (600 > 200 limit)", "no chart: there is no chart 'pie'", "the first 2 000 of 5 000 rows are shown", "Step 1.\n  fetch "} {
		if !strings.Contains(o.stderr, says) {
			t.Errorf("stderr lacks %q:\n%s", says, o.stderr)
		}
	}
	told := ""
	for i, r := range model.Requests()[2].Results() {
		told += fmt.Sprintf("%d failed %v: %s\n", i, r.Failed, r.Text)
	}
	for _, says := range []string{`"shown":{"rows":"origin:string,n:integer\nSEA,201\nSFO,201\nJFK,198\n","rows_total":3},"end":"</data-`, "1 failed false", "2 failed true", "not a number but string", "no column 'nothing'", "nonsense", "either sql or df_name"} {
		if !strings.Contains(told, says) {
			t.Errorf("the model was not told %q:\n%s", says, told)
		}
	}
	var answer ask.Answer
	if err := json.Unmarshal([]byte(p.ok("ask", "Again", "--continue", "-o", "json")), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.DataFrames) != 2 || len(answer.DataFrames[1].Rows) != 2000 || answer.DataFrames[1].Total != 5000 || len(answer.Charts) != 1 || answer.Charts[0].Kind != "column" ||
		answer.Charts[0].XLabel != "Airport" || answer.Charts[0].YLabel != "Flights" {
		t.Errorf("answer with %d tables and %d charts", len(answer.DataFrames), len(answer.Charts))
	}
}

// TestAskShowsTablesOverHTTP sends tables and charts as events, and in the answer.
func TestAskShowsTablesOverHTTP(t *testing.T) {
	t.Parallel()
	sql := "SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 3"
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "Shown." },
		[]provider.Call{providertest.Call("a", "send_data_to_ui_as_df", map[string]any{"logical_name": "busiest", "sql": sql}), chartOf("b", sql, "line", "origin", "n", nil),
			chartOf("c", "SELECT * FROM flights", "scatter", "delay", "delay", nil)}))
	ann := newPlace(t).withServerModel(model, provider.Compatible).served().as("ann")
	_, stream := ann.request("POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "Which?"})
	for _, event := range []string{"event: data_frame\n", "event: chart\n", "event: chart_rejected\n", `"logical_name":"busiest"`, "too many rows (600 \\u003e 200 limit)"} {
		if !strings.Contains(stream, event) {
			t.Errorf("the stream lacks %q:\n%s", event, stream)
		}
	}
	var reply agenthttp.ChatReply
	if _, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Which?"}); json.Unmarshal([]byte(text), &reply) != nil || len(reply.DataFrames) != 1 || len(reply.DataFrames[0].Rows) != 3 || len(reply.Charts) != 1 {
		t.Errorf("reply %s", text)
	}
}

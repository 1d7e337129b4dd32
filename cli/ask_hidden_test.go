package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/toolbox"
)

// secretTable is a table of random values that occur nowhere else.
func secretTable(r *rand.Rand, rows int) (csv string, cells []string) {
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "bcdfghjklmnpqrstvwxz"[r.IntN(20)]
		}
		return string(b)
	}
	text := strings.Builder{}
	text.WriteString("person,kind,salary,share,born,note\n")
	kinds := []string{letters(9), letters(8)}
	for range rows {
		row := []string{letters(12), kinds[r.IntN(2)], fmt.Sprint(10_000_000 + r.IntN(80_000_000)), fmt.Sprintf("%d.%04d", 1000+r.IntN(9000), r.IntN(9999)+1),
			fmt.Sprintf("%d-%02d-%02d", 1700+r.IntN(200), 1+r.IntN(12), 1+r.IntN(28)), letters(7) + " " + letters(11)}
		text.WriteString(strings.Join(row, ",") + "\n")
		cells = append(cells, row...)
		cells = append(cells, strings.Fields(row[5])...)
	}
	return text.String(), cells
}

// leaky are calls that answer with values in every way: rows, folded and elided rows,
// names of columns, types, statistics, and errors that quote them.
func leaky() (calls []provider.Call) {
	n := 0
	add := func(name string, arguments map[string]any) {
		n++
		calls = append(calls, providertest.Call(fmt.Sprintf("c%d", n), name, arguments))
	}
	for _, sql := range []string{
		"SELECT * FROM mine", "SELECT person, salary FROM mine LIMIT 1", "SELECT 'x' AS same, * FROM mine ORDER BY 3", "PIVOT mine ON kind USING sum(salary)",
		"PIVOT mine ON person USING count(*)", "SELECT CAST(person AS INTEGER) FROM mine", "SELECT error(person) FROM mine", "SELECT person::DATE FROM mine", "SELECT nothing FROM mine",
		"SELECT max(born), min(note), list(person), map([person], [salary]) FROM mine GROUP BY person, salary", "SELECT {'a': person} AS s FROM mine",
		"SELECT DISTINCT CAST(kind AS ENUM('a', 'b')) FROM mine", "SELECT unnest(range(salary // 1000000)) FROM mine LIMIT 100000", "SUMMARIZE mine", "SELECT salary * 1000 AS s FROM mine; SELECT person FROM mine",
		"SELECT person FROM mine WHERE salary = 'x'", "SELECT strptime(person, '%Y') FROM mine", "SELECT columns(c -> c = 'person') FROM mine", "SELECT 1 / 0, person FROM mine", "SELECT @r1.* FROM @r1",
	} {
		add("query", map[string]any{"sql": sql})
		add("query", map[string]any{"sql": sql, "max_tokens": 400})
		add("table_query", map[string]any{"path": "rows.csv", "query": strings.ReplaceAll(sql, "mine", "data")})
		add("send_data_to_ui_as_df", map[string]any{"sql": sql, "logical_name": "t"})
	}
	values := map[string]any{
		"path": "rows.csv", "name": "rows.csv", "file": "rows.csv", "names": []string{"mine"}, "sql": "SELECT * FROM mine", "query": "SELECT * FROM data", "table_id": "flights", "as": "again", "force": true,
		"rows": 20, "row_start": 1, "row_count": 20, "target_path": "out.csv", "value": "2", "pattern": ".*", "text": "a", "line_start": 1, "line_end": 50, "start": 1, "end": 20, "max_tokens": 4000,
		"df_name": "df", "nrows": 5, "columns": []string{"person", "salary"}, "code": "open('rows.csv').read()", "logical_name": "t", "check": true, "figure": "2", "create_if_missing": true,
	}
	for _, d := range toolbox.All() {
		arguments := map[string]any{}
		for name := range d.In.Properties {
			if v, ok := values[name]; ok {
				arguments[name] = v
			}
		}
		add(d.Name, arguments)
	}
	for _, name := range []string{"python_repl", "load_dataset_full", "send_chart_to_ui", "no_such_tool", "mine"} {
		add(name, values)
	}
	return calls
}

// leaks fails the test if a request has a cell.
func leaks(t *testing.T, model *providertest.Server, cells []string) {
	t.Helper()
	for _, r := range model.Requests() {
		for _, cell := range cells {
			if at := strings.Index(string(r.Raw), cell); at >= 0 {
				t.Fatalf("request %d has %s: …%s…", r.Number, cell, r.Raw[max(0, at-600):min(len(r.Raw), at+100)])
			}
		}
	}
}

// TestHiddenValuesNeverLeave calls every tool over random tables: no request has a cell
// of them, and what the model writes is filled.
func TestHiddenValuesNeverLeave(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{1, 45} {
		csv, cells := secretTable(rand.New(rand.NewPCG(uint64(rows), 1)), rows)
		p := newPlace(t)
		file := filepath.Join(p.dir, "rows.csv")
		if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
			t.Fatal(err)
		}
		p.ok("snapshot", "import", file, "--as", "mine")
		calls := leaky()
		last := providertest.Call("last", "query", map[string]any{"sql": "SELECT person, salary FROM mine ORDER BY salary DESC"})
		answer := func(last []provider.Result) string {
			var r struct{ Result string }
			mustJSON(t, last[len(last)-1].Text, &r)
			return fmt.Sprintf("{{%s.1.person}} earns {{%s.1.salary}} and {{%s.1.nothing}} of {{%s.rows}}.", r.Result, r.Result, r.Result, r.Result)
		}
		model := providertest.NewServer(t, modelSteps(answer, calls[:40], calls[40:80], calls[80:120], calls[120:], []provider.Call{last}))
		p = p.withModel(model, provider.Anthropic, "values: hidden", "max_tool_calls: 1000", "compact_tokens: 30000", "max_tokens: 1000000000")
		var said agent.Answer
		mustJSON(t, p.ok("ask", "Who earns most?", "--file", file, "--json"), &said)
		_, want, _ := strings.Cut(strings.ReplaceAll(p.ok("query", "SELECT person || ' earns ' || salary AS s FROM mine ORDER BY salary DESC LIMIT 1", "-o", "tsv"), "\n", " "), "s ")
		if !strings.HasPrefix(said.Text, want+"and {{") || len(said.Warnings) == 0 || len(said.Untraced) > 0 || !strings.HasSuffix(said.Text, fmt.Sprintf(" of %d.", rows)) {
			t.Errorf("want %q, the answer is %q with %q, untraced %q", want, said.Text, said.Warnings, said.Untraced)
		}
		p.ok("ask", "--continue", "And who then?")
		leaks(t, model, cells)
		if len(model.Requests()) < 10 {
			t.Errorf("only %d requests", len(model.Requests()))
		}
	}
}

// TestHiddenValuesOverHTTP does the same at a server, over a file of a user.
func TestHiddenValuesOverHTTP(t *testing.T) {
	t.Parallel()
	csv, cells := secretTable(rand.New(rand.NewPCG(7, 7)), 30)
	calls := leaky()
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "Nothing." }, calls[:60], calls[60:]))
	ann := newPlace(t).withServerModel(model, provider.Compatible, "files: { max_file_mb: 1 }").agentKeys("values: hidden, max_tool_calls: 1000").served().as("ann")
	ann.upload("rows.csv", csv)
	var reply agenthttp.ChatReply
	_, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "What is in it?"})
	mustJSON(t, text, &reply)
	leaks(t, model, cells)
	if reply.Answer.Calls != len(calls) {
		t.Errorf("%d calls: %s", reply.Answer.Calls, text)
	}
}

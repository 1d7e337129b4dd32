package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
)

// ask lets a model run statements over what is stored there, by each tool that
// gives, shows or writes rows. What touches the rows is in the tool's answer, in
// what the user sees, and in the receipt.
func (w *world) ask(there []known) {
	there = slices.DeleteFunc(slices.Clone(there), func(k known) bool { return strings.HasPrefix(k.name, "step") }) // of a session
	a := map[string]asked{}
	var calls []provider.Call
	call := func(id, tool string, about asked, arguments map[string]any) {
		a[id] = about
		arguments[map[bool]string{true: "query", false: "sql"}[tool == "table_query"]] = about.sql
		calls = append(calls, providertest.Call(id, tool, arguments))
	}
	call("query", "query", w.statement(there), map[string]any{})
	call("remote", "query", w.ofTable(), map[string]any{"fetch": true})
	call("file", "table_query", w.ofFile(), map[string]any{"path": "data.csv"})
	call("table", "send_data_to_ui_as_df", w.statement(there), map[string]any{"logical_name": "rows"})
	drawn := w.statement(there)
	call("chart", "send_chart_to_ui", drawn, map[string]any{"logical_name": "bars", "chart_type": "bar", "x_field": drawn.x,
		"series": []any{map[string]any{"name": "y", "y_field": drawn.y}}})
	call("added", "add_result", w.statement(there), map[string]any{"path": "out.xlsx", "create_if_missing": true})

	k := there[w.r.IntN(len(there))]
	column := k.columns[w.r.IntN(len(k.columns))]
	a["values"] = asked{sql: "values of " + k.name + "." + column, want: k.told([]string{column})}
	calls = append(calls, providertest.Call("values", "values", map[string]any{"table": k.name, "column": column}))

	calls = append(calls, w.looks(there, a)...)

	model := providertest.NewServer(w.t, providertest.Script(providertest.Reply{Calls: calls}, providertest.Reply{Text: "Done."}))
	events, log := w.turn(model)
	for _, r := range model.Requests()[1].Results() {
		if r.Failed {
			w.t.Errorf("%s of %s: %s", r.CallID, a[r.CallID].sql, r.Text)
			continue
		}
		w.compare("the model, by "+r.CallID+", of "+a[r.CallID].sql, caveatsWithin(w.t, r.Text), a[r.CallID].want)
	}
	for _, e := range events {
		switch e.Type {
		case agent.EventDataFrame:
			w.compare("the table of "+e.Table.SQL, e.Table.Caveats, a[e.ID].want)
		case agent.EventChart:
			w.compare("the chart of "+e.Chart.SQL, e.Chart.Table.Caveats, a[e.ID].want)
		}
	}
	rest, err := receipt.Of(log.Records, 1)
	if err != nil || len(rest.Results) < 9 {
		w.t.Fatalf("a receipt of %d results: %v", len(rest.Results), err)
	}
	for _, r := range rest.Results {
		w.compare("the receipt, of "+a[r.Call].sql, marked(r.Caveats), a[r.Call].want)
	}
}

// looks are calls of the tools that tell what is there, each with its own id. What they
// must tell is added to a.
func (w *world) looks(there []known, a map[string]asked) (calls []provider.Call) {
	w.n++
	add := func(tool string, want map[string]bool, arguments map[string]any) {
		a[tool] = asked{sql: tool, want: want}
		calls = append(calls, providertest.Call(tool, tool, arguments))
	}
	k := w.either(there)
	column := w.column(k)
	add("profile", k.told([]string{column}), map[string]any{"table": k.name, "columns": []string{column}})
	found := known{caveats: w.searched}.told(nil)
	add("context", found, map[string]any{"question": "what is in t0?"})
	rows := known{columns: worldColumns, caveats: slices.Concat(w.searched, w.tables["t0"].before, w.tables["t0"].after)} // some are shown
	add("catalog_search", rows.told(worldColumns), map[string]any{"query": "t0"})
	k = w.uncut()
	columns := []string{"id", w.column(k)}
	add("catalog_sample", k.told(k.columns), map[string]any{"table_id": k.name})
	add("query_remote", k.told(columns[1:]), map[string]any{"sql": "SELECT " + columns[1] + " FROM " + k.name})
	add("fetch", k.told(columns), map[string]any{"table_id": k.name, "select": columns, "as": fmt.Sprintf("asked%d", w.n)})
	k = w.stored(there)
	add("get_dataset_info", k.told(k.columns), map[string]any{"name": k.name})
	add("find_value_columns", k.told(k.columns), map[string]any{"name": k.name, "value": "3"})
	k = w.fine("more.csv")
	all := k.told(k.columns)
	column = w.column(k)
	add("table_get_map", all, map[string]any{"path": "more.csv"})
	add("table_describe", all, map[string]any{"path": "more.csv"})
	add("table_read_rows", k.told([]string{column}), map[string]any{"path": "more.csv", "columns": []string{column}, "row_start": 1, "row_count": 2})
	add("table_stats", k.told([]string{column}), map[string]any{"path": "more.csv", "columns": []string{column}})
	add("table_export", all, map[string]any{"path": "more.csv", "target_path": "more.tsv", "force": true})
	add("snapshot_import", all, map[string]any{"path": "more.csv", "as": fmt.Sprintf("more%d", w.n)})
	return calls
}

// turn asks the model once.
func (w *world) turn(model *providertest.Server) (events []agent.Event, log *conversation.Log) {
	must := func(err error) {
		if err != nil {
			w.t.Fatal(err)
		}
	}
	log, err := conversation.Store{Dir: filepath.Join(w.home, "talks"), Now: time.Now}.Create(conversation.Record{})
	must(err)
	defer log.Close()
	dir := filepath.Join(w.home, "loose")
	files, err := table.New(table.Config{Dir: filepath.Join(w.home, "kept"), Root: dir, WorkDir: dir})
	must(err)
	defer files.Close()
	space, err := workspace.Open(filepath.Join(w.home, "space"), workspace.Options{})
	must(err)
	defer space.Close()
	box, err := toolbox.New(tool.Config{
		Data: func() (api.Data, error) { return w.data(), nil }, Work: w.work, Files: files, Dir: dir,
		Space: func() (*workspace.Workspace, error) { return space, nil }, Tools: agent.ToolSets,
	})
	must(err)
	p, err := provider.New(model.Options(provider.Anthropic))
	must(err)
	tools := agent.FromBox(box)
	talk, err := agent.New(agent.Config{Provider: p, Tools: tools, Frames: tools.Frames, Log: log, System: "You are a test.",
		Say: func(e agent.Event) { events = append(events, e) }})
	must(err)
	_, err = talk.Ask(w.t.Context(), "What is there?")
	must(err)
	return events, log
}

// ofTable is a statement over a table of the service that no limit cuts.
func (w *world) ofTable() asked {
	id := "t0"
	for other, tab := range w.tables {
		if w.tables[id].cut && !tab.cut {
			id = other
		}
	}
	tab := w.tables[id]
	tab.cut = false // a cut fetch is refused
	k := known{name: id, columns: worldColumns, caveats: slices.Concat(tab.before, tab.after)}
	return w.statement([]known{k})
}

// ofFile is a statement over such a file.
func (w *world) ofFile() asked {
	k := w.fine("data.csv")
	column := w.column(k)
	return asked{sql: "SELECT " + column + " FROM data", want: k.told([]string{column})}
}

// fine writes a file, one of whose columns has times that are finer than timestamps.
func (w *world) fine(name string) known {
	k := known{name: "data", columns: worldColumns[1:]}
	row := []string{"1", "2", "3"}
	fine := w.r.IntN(3)
	row[fine] = "2024-05-06 07:08:09.123456789"
	k.caveats = []api.Caveat{{Text: "mark " + k.columns[fine], About: api.Subject{Columns: k.columns[fine : fine+1]}}}
	line := strings.Join(row, ",") + "\n"
	dir := filepath.Join(w.home, "loose")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("a,b,c\n"+line+line), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return k
}

// caveatsWithin are all caveats in the answer of a tool.
func caveatsWithin(t *testing.T, answer string) (all []api.Caveat) {
	t.Helper()
	var within func(v any)
	within = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				within(item)
			}
		case map[string]any:
			for name, item := range v {
				if name != "caveats" {
					within(item)
					continue
				}
				var list []api.Caveat
				text, _ := json.Marshal(item) // came as JSON
				if err := json.Unmarshal(text, &list); err != nil {
					t.Errorf("caveats %s: %v", text, err)
				}
				all = append(all, list...)
			}
		}
	}
	var doc any
	if err := json.NewDecoder(strings.NewReader(answer)).Decode(&doc); err != nil {
		t.Errorf("%s: %v", answer, err)
	}
	within(doc)
	return marked(all)
}

// marked gives the caveats about times of a file the marks by which they are known.
func marked(caveats []api.Caveat) (out []api.Caveat) {
	for _, c := range caveats {
		if strings.Contains(c.Text, "six decimals") {
			c.Text = "mark " + c.About.Columns[0]
		}
		out = append(out, c)
	}
	return out
}

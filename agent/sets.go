package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// openTool adds a set of tools to those that the model is given: each request has
// the schemas of all of them, and most questions need few.
const openTool = "open_tools"

type toolSet struct {
	name, about string
	tools       []string
}

// sets are the tools that a conversation does not begin with, by what they are for.
// Their order is that of the list that a model reads.
var sets = []toolSet{
	{"office", "change workbooks, Word documents and presentations", []string{"xlsx_operations", "docx_operations", "pptx_operations"}},
	{"text", "write, search, copy and delete files", []string{"write_text_file", "file_search_text", "file_replace_lines", "file_insert_lines", "file_copy", "file_rename", "file_delete"}},
	{"tables", "statistics, rows and exports of files and snapshots", []string{"table_describe", "table_stats", "table_read_rows", "table_export", "list_datasets", "get_dataset_info", "find_value_columns"}},
	{"snapshots", "prices, and local copies of parts of tables", []string{"fetch_estimate", "fetch", "where_check", "plan", "snapshot_list", "snapshot_refresh", "snapshot_restore", "snapshot_import", "import_file", "disk_info", "quota"}},
	{"frames", "data sets as variables of Python", []string{"load_dataset_sample", "load_dataset_columns", "load_dataset_full"}},
}

// setOf returns the set of a tool; "" if a conversation begins with it.
func setOf(tool string) string {
	for _, s := range sets {
		if slices.Contains(s.tools, tool) {
			return s.name
		}
	}
	return ""
}

// opens returns the set that a call opens, by its name or by using one of its tools;
// "" for none.
func opens(c provider.Call) string {
	if c.Name != openTool {
		return setOf(c.Name)
	}
	var in struct {
		Set string `json:"set"`
	}
	_ = json.Unmarshal([]byte(c.Arguments), &in) // what cannot be read opens nothing
	if !slices.ContainsFunc(sets, func(s toolSet) bool { return s.name == in.Set }) {
		return ""
	}
	return in.Set
}

// opener describes open_tools for the sets that have tools here.
func opener(tools []Tool) (Tool, bool) {
	var names, about []string
	for _, s := range sets {
		if slices.ContainsFunc(tools, func(t Tool) bool { return setOf(t.Name) == s.name }) {
			names, about = append(names, s.name), append(about, s.name+": "+s.about)
		}
	}
	choice, _ := json.Marshal(names) // a list of strings cannot fail
	return Tool{Reads: true, Tool: provider.Tool{
		Name:   openTool,
		About:  "Gives you more tools from the next step on. " + strings.Join(about, "; ") + ".",
		Schema: json.RawMessage(`{"type":"object","properties":{"set":{"type":"string","enum":` + string(choice) + `}},"required":["set"],"additionalProperties":false}`),
	}}, len(names) > 0
}

// offer returns the tools that the next request has: those that a conversation begins
// with, then the sets in the order in which they were opened, so that what a provider
// keeps of a request stays of use.
func (a *Agent) offer() []provider.Tool {
	var out []provider.Tool
	for _, set := range append([]string{""}, a.state.opened...) {
		for _, t := range a.tools {
			if setOf(t.Name) == set {
				out = append(out, t.Tool)
			}
		}
	}
	return out
}

// open answers a call of open_tools, with the advice for the tools that it adds.
func (a *Agent) open(c provider.Call) outcome {
	var names []string
	set := opens(c)
	for _, t := range a.tools {
		if set != "" && setOf(t.Name) == set {
			names = append(names, t.Name)
		}
	}
	known := toolbox.Lessons(func(name string) bool { return setOf(name) == "" })
	advice := toolbox.Lessons(func(name string) bool { return setOf(name) == "" || slices.Contains(names, name) })
	advice = slices.DeleteFunc(advice, func(lesson string) bool { return slices.Contains(known, lesson) })
	if len(names) == 0 {
		return refusal(api.CodeUsage, fmt.Sprintf("there is no set of tools in %s", api.Clip(c.Arguments, 100)), "Sets are those that the tool lists.")
	}
	text, _ := json.Marshal(map[string]any{"opened": names, "advice": advice}) // plain strings
	return outcome{text: string(text)}
}

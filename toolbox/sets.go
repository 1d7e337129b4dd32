package toolbox

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/toolbox/tool"
)

// sets lists the tool sets.
var sets = []string{tool.SetData, tool.SetFiles, tool.SetDocuments, tool.SetFine}

// Sets returns the names of all sets.
func Sets() []string { return slices.Clone(sets) }

// OpenTool is the tool that adds a set of tools to those that a model is given: each
// request has the schemas of all of them, and most questions need few.
const OpenTool = "open_tools"

// openable is a set of tools that a model is not given at first.
type openable struct {
	name, about string
	tools       []string
}

// openables are what models open, by what it is for, in the order in which they read
// of it. What is in none of them is there from the start.
var openables = []openable{
	{"metrics", "figures defined by name, joins, values and profiles of columns, what a question needs",
		[]string{"metric", "joins", "values", "profile", "context"}},
	{"snapshots", "prices, and local copies of parts of tables",
		[]string{"fetch_estimate", "fetch", "where_check", "plan", "snapshot_list", "snapshot_refresh", "snapshot_restore", "snapshot_drop",
			"snapshot_import", "import_file", "catalog_sync", "disk_info", "quota"}},
	{"tables", "statistics, rows and exports of files and snapshots",
		[]string{"table_describe", "table_stats", "table_read_rows", "table_export", "list_datasets", "get_dataset_info", "find_value_columns"}},
	{"files", "list, look into and read the user's files", []string{"list_files", "get_file_info", "read_file"}},
	{"text", "write, search, copy and delete files", []string{"write_text_file", "file_search_text", "file_replace_lines",
		"file_insert_lines", "file_copy", "file_rename", "file_delete", "file_download"}},
	{"office", "change workbooks, Word documents and presentations, and look at them",
		[]string{"xlsx_operations", "docx_operations", "pptx_operations", "add_result", "why", "render_file"}},
	{"frames", "data sets as variables of Python", []string{"load_dataset_sample", "load_dataset_columns", "load_dataset_full"}},
	{"steps", "single steps on workbooks, PDF files, pictures and bytes", nil}, // the rest of the set fine
}

// SetOf returns the set that a tool is opened with; "" if it is there from the start.
func SetOf(name string) string {
	for _, s := range openables {
		if slices.Contains(s.tools, name) {
			return s.name
		}
	}
	if slices.ContainsFunc(tools(), func(t tool.Tool) bool { return t.Name == name && t.Set == tool.SetFine }) {
		return "steps"
	}
	return ""
}

// Opens returns the set that a call opens, by its name or by using one of its tools;
// "" for none.
func Opens(name, arguments string, setOf func(string) string) string {
	if name != OpenTool {
		return setOf(name)
	}
	var in struct {
		Set string `json:"set"`
	}
	_ = json.Unmarshal([]byte(arguments), &in) // what cannot be read opens nothing
	if !slices.ContainsFunc(openables, func(s openable) bool { return s.name == in.Set }) {
		return ""
	}
	return in.Set
}

// Opener describes OpenTool for the sets that has reports; ok is false without any.
func Opener(has func(set string) bool) (about string, in *jsonschema.Schema, ok bool) {
	var names []any
	var lines []string
	for _, s := range openables {
		if has(s.name) {
			names, lines = append(names, s.name), append(lines, s.name+": "+s.about)
		}
	}
	return "Gives you more tools from the next step on. " + strings.Join(lines, "; ") + ".", &jsonschema.Schema{
		Type: "object", Required: []string{"set"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{"set": {Type: "string", Enum: names}},
	}, len(names) > 0
}

// Opened is the answer to a call that has opened these tools, with the advice for
// them. setOf is that of the caller.
func Opened(names []string, setOf func(string) string) []byte {
	known := Lessons(func(name string) bool { return setOf(name) == "" })
	advice := Lessons(func(name string) bool { return setOf(name) == "" || slices.Contains(names, name) })
	advice = slices.DeleteFunc(advice, func(lesson string) bool { return slices.Contains(known, lesson) })
	text, _ := tool.Marshal(map[string]any{"opened": names, "advice": advice}) // plain strings
	return text
}

package tool

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// called maps an action to its tool and to the arguments whose names differ.
// Actions without a row are for people and operators.
var called = map[api.Action]struct {
	tool  string
	names map[string]string
}{
	api.ActionCatalog:     {"catalog_search", map[string]string{"search": "query"}},
	api.ActionSchema:      {"catalog_schema", nil},
	api.ActionSample:      {"catalog_sample", nil},
	api.ActionWhere:       {"where_check", nil},
	api.ActionEstimate:    {"fetch_estimate", nil},
	api.ActionFetch:       {"fetch", nil},
	api.ActionSync:        {"catalog_sync", nil},
	api.ActionSnapshots:   {"snapshot_list", nil},
	api.ActionSnapshot:    {"snapshot_list", map[string]string{"name": ""}},
	api.ActionRefresh:     {"snapshot_refresh", map[string]string{"server": "", "instance": ""}},
	api.ActionDrop:        {"snapshot_drop", nil},
	api.ActionPrune:       {"snapshot_list", nil},
	api.ActionImport:      {"snapshot_import", nil},
	api.ActionQuery:       {"query", map[string]string{"fetch": ""}}, // it fetches by itself
	api.ActionQueryRemote: {"query_remote", nil},
	api.ActionMap:         {"table_get_map", nil},
	api.ActionQueryFile:   {"table_query", map[string]string{"sql": "query"}},
	api.ActionMetrics:     {"metric", nil},
	api.ActionMetric:      {"metric", map[string]string{"name": "metrics"}},
	api.ActionQuota:       {"quota", nil},
	api.ActionDiskUsage:   {"disk_info", nil},
	api.ActionFiles:       {"list_files", nil},
	api.ActionReadFile:    {"read_file", map[string]string{"file": "path"}},
	api.ActionFileInfo:    {"get_file_info", map[string]string{"file": "path"}},
	api.ActionImportFile:  {"import_file", map[string]string{"file": "path"}},
}

// stepOf writes an action as a tool call; false if the box has no such tool, or
// if a required argument is missing.
func (c *Call) stepOf(s api.Step) (*Step, bool) {
	row := called[s.Action]
	t, ok := c.tools.Named(row.tool)
	if !ok {
		return nil, false
	}
	arguments := maps.Clone(s.Args)
	if arguments == nil {
		arguments = map[string]any{}
	}
	for from, to := range row.names {
		value, given := arguments[from]
		delete(arguments, from)
		if given && to != "" {
			arguments[to] = value
		}
	}
	if slices.ContainsFunc(t.In.Required, func(name string) bool { return arguments[name] == nil }) {
		return nil, false // a person has to choose
	}
	return &Step{Tool: t.Name, Arguments: arguments, Why: s.Why}, true
}

// sentences words the steps that do not fit into an answer's single next call:
// options to change, and the tools of other steps.
func (c *Call) sentences(steps []api.Step, next *Step) []string {
	var all []string
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		to := ""
		if s.Why != "" {
			to = " to " + s.Why
		}
		switch argument := arguments[s.Text("option")]; {
		case s.Action == api.ActionSet && argument != "":
			for ; i+1 < len(steps) && steps[i+1].Action == s.Action && steps[i+1].Why == s.Why; i++ {
				if other := arguments[steps[i+1].Text("option")]; other != "" && other != argument {
					argument += " or " + other
				}
			}
			all = append(all, "Use the argument "+argument+to+".")
		case s.Action == api.ActionUnset && argument != "":
			all = append(all, "Leave out the argument "+argument+to+".")
		default:
			if t, ok := c.tools.Named(called[s.Action].tool); ok && s.Why != "" && (next == nil || next.Tool != t.Name) {
				all = append(all, "Call "+t.Name+to+".")
			}
		}
	}
	return all
}

// maxMessage is the length at which an engine's message is cut, in runes.
const maxMessage = 1000

// hint returns an error's hint, followed by its steps except next.
func (c *Call) hint(e *api.Error, next *Step) string {
	words := append([]string{e.Advice()}, c.sentences(e.Next, next)...)
	return api.Clip(strings.TrimSpace(strings.Join(words, " ")), maxMessage)
}

// firstCall returns the first step that is a tool call; nil if there is no such
// step.
func (c *Call) firstCall(steps []api.Step) *Step {
	for _, s := range steps {
		if call, ok := c.stepOf(s); ok {
			return call
		}
	}
	return nil
}

// Worded adds the steps of notes to their texts, in place.
func (c *Call) Worded(caveats []api.Caveat) []api.Caveat {
	for i := range caveats {
		n := &caveats[i]
		for _, sentence := range c.sentences(n.Next, nil) {
			n.Text += "; " + strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
		}
		n.Next = nil
	}
	return caveats
}

// arguments lists the options that are tool arguments. All other options are set
// when da is started.
var arguments = map[string]string{
	api.OptionParam: "params", api.OptionSelect: "select", api.OptionWhere: "where", api.OptionOrderBy: "order_by", api.OptionLimit: "limit",
	api.OptionAs: "as", api.OptionForce: "force",
	api.OptionAllowCut: "allow_cut", api.OptionFresh: "fresh", api.OptionFetch: "fetch", api.OptionAcceptDrift: "accept_drift",
	api.OptionStrict: "strict", api.OptionTimeout: "timeout_seconds", api.OptionMemoryLimit: "memory_limit",
	api.OptionTargetFormat: "format", api.OptionDelimiter: "delimiter", api.OptionEncoding: "encoding", api.OptionDateFormat: "date_format",
	api.OptionTypes: "types", api.OptionNoHeader: "no_header", api.OptionHeaderLine: "header_line", api.OptionSheet: "sheet",
	api.OptionPage:  "page",
	api.OptionQuery: "query", api.OptionTables: "tables", api.OptionTarget: "target_path",
	api.OptionRowStart: "row_start", api.OptionRowCount: "row_count", api.OptionWindowRows: "window_rows",
	api.OptionWindowOffset: "window_offset",
}

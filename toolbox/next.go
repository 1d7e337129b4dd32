package toolbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// called says which tool does an action, and which of its arguments are not named
// as the action's. What has no row is for people and operators.
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
	api.ActionQuery:       {"query", nil},
	api.ActionQueryRemote: {"query_remote", nil},
	api.ActionMap:         {"table_get_map", nil},
	api.ActionQueryFile:   {"table_query", map[string]string{"sql": "query"}},
	api.ActionQuota:       {"quota", nil},
	api.ActionDiskUsage:   {"disk_info", nil},
}

// stepOf writes an action as the call of a tool; false if no tool of this box
// does it, or if an argument is missing that the tool needs.
func (b *Box) stepOf(s api.Step) (*step, bool) {
	c, ok := called[s.Action]
	if !ok || !b.names[c.tool] {
		return nil, false
	}
	arguments := maps.Clone(s.Args)
	if arguments == nil {
		arguments = map[string]any{}
	}
	for from, to := range c.names {
		value, given := arguments[from]
		delete(arguments, from)
		if given && to != "" {
			arguments[to] = value
		}
	}
	for _, t := range b.tools {
		if t.name == c.tool && slices.ContainsFunc(t.in.Required, func(name string) bool { return arguments[name] == nil }) {
			return nil, false // the reader has to choose
		}
	}
	return &step{Tool: c.tool, Arguments: arguments, Why: s.Why}, true
}

// sentences word the options that an error advises to change; calls of tools go
// into the answer's next.
func sentences(next []api.Step) string {
	var all []string
	for _, s := range next {
		if s.Action == api.ActionSet && arguments[s.Text("option")] {
			all = append(all, "Use the argument "+s.Text("option")+" to "+s.Why+".")
		}
	}
	return strings.Join(all, " ")
}

// arguments are the options that are arguments of tools; others are set where da
// is started.
var arguments = map[string]bool{
	api.OptionSelect: true, api.OptionWhere: true, api.OptionOrderBy: true, api.OptionLimit: true, api.OptionAs: true, api.OptionForce: true,
	api.OptionAllowCut: true, api.OptionAllowSchemaChange: true, api.OptionStrict: true, api.OptionMemoryLimit: true, api.OptionFormat: true, api.OptionEncoding: true, api.OptionDateFormat: true, api.OptionTypes: true,
}

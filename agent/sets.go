package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox"
)

// begins are tools that a conversation has from the start, though other clients of
// the toolbox open them: the user's files are mostly why it is there.
var begins = []string{"list_files", "get_file_info", "read_file", "add_result"}

// setOf returns the set that a tool is opened with; "" if a conversation begins with it.
func setOf(tool string) string {
	if slices.Contains(begins, tool) {
		return ""
	}
	return toolbox.SetOf(tool)
}

func opens(c provider.Call) string { return toolbox.Opens(c.Name, c.Arguments, setOf) }

// opener is the tool that opens the sets of some tools.
func opener(tools []Tool) (Tool, bool) {
	about, in, ok := toolbox.Opener(func(set string) bool {
		return slices.ContainsFunc(tools, func(t Tool) bool { return setOf(t.Name) == set })
	})
	schema, _ := json.Marshal(in) // of plain strings
	return Tool{Reads: true, Tool: provider.Tool{Name: toolbox.OpenTool, About: about, Schema: schema}}, ok
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

// open answers a call of toolbox.OpenTool.
func (a *Agent) open(c provider.Call) outcome {
	var names []string
	set := opens(c)
	for _, t := range a.tools {
		if set != "" && setOf(t.Name) == set {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return refusal(api.CodeUsage, fmt.Sprintf("there is no set of tools in %s", api.Clip(c.Arguments, 100)),
			"Sets are those that the tool lists.")
	}
	return outcome{text: string(toolbox.Opened(names, setOf))}
}

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
)

// named are tools of these names.
type named struct {
	bench
	names []string
}

func (n *named) List() (list []agent.Tool) {
	for _, name := range n.names {
		list = append(list, agent.Tool{Tool: provider.Tool{Name: name, About: "A tool.", Schema: json.RawMessage(`{"type":"object"}`)}, Reads: true})
	}
	return list
}

// TestToolsOpen holds that a conversation begins with few tools, that opened ones come
// behind them and stay, also for another process, and that a tool which is called by
// its name opens its set.
func TestToolsOpen(t *testing.T) {
	calls := [][2]string{{"open_tools", `{"set":"office"}`}, {"open_tools", `{"set":"nothing"}`}, {"table_stats", `{}`}}
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		if i := r.Number - 1; i < len(calls) {
			return providertest.Reply{Calls: []provider.Call{{ID: fmt.Sprint("c", i), Name: calls[i][0], Arguments: calls[i][1]}}}
		}
		return providertest.Reply{Text: "done"}
	}, func(c *agent.Config) {
		c.Tools = &named{names: []string{"xlsx_operations", "query", "table_stats", "docx_operations", "table_export"}}
	})
	if _, err := k.Ask(context.Background(), "x"); err != nil {
		t.Fatal(err)
	}
	k.again()
	if _, err := k.Ask(context.Background(), "y"); err != nil {
		t.Fatal(err)
	}
	first := []string{"query", "open_tools"}
	office := append(slices.Clone(first), "xlsx_operations", "docx_operations")
	all := append(slices.Clone(office), "table_stats", "table_export")
	for i, want := range [][]string{first, office, office, all, all} {
		var got []string
		for _, tool := range k.model.Requests()[i].Tools {
			got = append(got, tool.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("request %d has the tools %v, want %v", i+1, got, want)
		}
	}
}

// TestDownloadsAreOffered to models where their user names hosts, and only there.
func TestDownloadsAreOffered(t *testing.T) {
	for _, hosts := range [][]string{nil, {"example.com"}} {
		box, err := toolbox.New(tool.Config{Tools: agent.ToolSets, DownloadHosts: hosts,
			Space: func() (*workspace.Workspace, error) { return nil, nil }})
		if err != nil {
			t.Fatal(err)
		}
		offered := slices.ContainsFunc(agent.FromBox(box).List(), func(t agent.Tool) bool { return t.Name == "file_download" })
		if offered != (hosts != nil) {
			t.Errorf("with the hosts %v it is offered: %t", hosts, offered)
		}
	}
}

// TestToolsThatDoNotExist names the tools that there are, those that show and open, too.
func TestToolsThatDoNotExist(t *testing.T) {
	calls := []string{"table_stat", "catalog_make"}
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		if i := r.Number - 1; i < len(calls) {
			return providertest.Reply{Calls: []provider.Call{{ID: fmt.Sprint("c", i), Name: calls[i], Arguments: `{}`}}}
		}
		return providertest.Reply{Text: "done"}
	}, func(c *agent.Config) { c.Tools = &named{names: []string{"query", "table_stats"}} })
	if _, err := k.Ask(context.Background(), "x"); err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(k.model.Requests()[2].Messages)
	if err != nil {
		t.Fatal(err)
	}
	said := string(doc)
	for _, want := range []string{"Did you mean table_stats?", "Tools are query, table_stats, open_tools."} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s\n%s", want, said)
		}
	}
}

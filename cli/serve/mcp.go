package serve

import (
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/mcpserver"
	"github.com/agnes-data/da/workspace"
)

type mcpOptions struct {
	readOnly bool
	tools    []string
	root     string
	// draft is the draft that workspace changes go to; empty: directly into the
	// workspace.
	draft string
}

// NewMCPCmd returns 'da mcp'.
func NewMCPCmd(a *app.App) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools to an AI client over standard input and output",
		Long: `Mcp speaks the Model Context Protocol on standard input and output: a client
starts it, lists its tools and calls them. They do what the commands do, under
the same rules and budgets, and answer within a number of tokens.

It begins with the tools that most questions need; open_tools adds others, for
clients that look at their list again when it changes. --read-only leaves out
the tools that write snapshots or files; --tools names the tools to serve, all
at once, or sets of them: data (catalog, snapshots, queries, local files), files
(the workspace of 'da files'), documents (its workbooks, documents and
presentations) and fine (single steps on its files). With --draft NAME they
change files in a draft only, for 'da files draft apply NAME'.

Local files are read with your own rights unless --root confines them to a
folder. It ends when its input does.`,
		Example: "  da mcp --read-only\n  da mcp --tools catalog_search,catalog_schema,fetch,query --root ./data\n  da mcp --tools data,files,documents --draft assistant",
		Args:    usage.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMCP(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.readOnly, "read-only", false, "leave out the tools that write snapshots or files")
	f.StringSliceVar(&o.tools, "tools", nil, "only these `tools`, or sets of them, with commas between")
	f.StringVar(&o.draft, "draft", "", "collect changes of the workspace in the draft of this `name`")
	f.StringVar(&o.root, "root", a.Getenv("DA_ROOT"), "refuse every path outside of this `folder` (DA_ROOT)")
	return cmd
}

func runMCP(ctx context.Context, a *app.App, o mcpOptions) error {
	nameAgent(a)
	cfg, err := ask.ToolConfig(a, o.root, a.Dir)
	if err != nil {
		return err
	}
	defer cfg.Files.Close()
	cfg.ReadOnly, cfg.Tools = o.readOnly, o.tools
	if o.draft != "" {
		cfg.Space = func() (*workspace.Workspace, error) {
			w, err := a.Workspace()
			if err != nil {
				return nil, err
			}
			return w.Draft(o.draft)
		}
	}
	opens := len(cfg.Tools) == 0
	if opens {
		cfg.Tools = toolbox.Sets()
	}
	if a.ServesCalls {
		box, err := toolbox.New(cfg)
		if err != nil {
			return err
		}
		return worker.ServeCalls(a.IO.In, a.IO.Out, func(request json.RawMessage, say func(string)) json.RawMessage {
			return box.Serve(ctx, request, say)
		})
	}
	env := append(os.Environ(), config.EnvAgent+"="+a.Getenv(config.EnvAgent), config.EnvSession+"="+a.Getenv(config.EnvSession))
	calls, err := worker.NewCalls(a.Args, env, a.IO.Err)
	if err != nil {
		return err
	}
	defer calls.Close()
	cfg.Isolate = calls.Call
	server, err := mcpserver.New(build.Current().Version, cfg, opens)
	if err != nil {
		return err
	}
	return mcpserver.ServeStdio(ctx, server, a.IO.In, a.IO.Out)
}

// nameAgent records in the audit that this run serves a client over MCP.
func nameAgent(a *app.App) {
	if app.AgentName(a.Getenv) == "" {
		a.Setenv(config.EnvAgent, "mcp")
	}
}

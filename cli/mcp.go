package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/toolbox/mcpserver"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
)

type mcpOptions struct {
	readOnly bool
	tools    []string
	root     string
	// dir is where relative paths start; empty: the working folder.
	dir string
	// draft is the draft that workspace changes go to; empty: directly into the
	// workspace.
	draft string
}

func newMCPCmd(a *app.App) *cobra.Command {
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
	cfg, err := toolConfig(a, o)
	if err != nil {
		return err
	}
	defer cfg.Files.Close()
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

// toolConfig returns what the tools need. The caller closes its Files.
func toolConfig(a *app.App, o mcpOptions) (tool.Config, error) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return tool.Config{}, err
	}
	home, err := a.Places().Data()
	if err != nil {
		return tool.Config{}, err
	}
	work, err := a.Analyst()
	if err != nil {
		return tool.Config{}, err
	}
	options, err := a.QueryOptions()
	if err != nil {
		return tool.Config{}, err
	}
	dir := cmp.Or(o.dir, a.Dir)
	files, err := table.New(table.Config{Dir: filepath.Join(home, "tabular"), Root: o.root, WorkDir: dir, Now: a.Now})
	if err != nil {
		return tool.Config{}, err
	}
	return tool.Config{
		Data: dataOf(work), Work: work, Files: files, Dir: dir, Space: spaceOf(a, o.draft), DownloadHosts: cfg.Files.Hosts(),
		EstimateFirst: cfg.FetchDefaultEstimate, FetchMaxBytes: options.MaxBytes, ReadOnly: o.readOnly, Tools: o.tools, Now: a.Now,
		Explain: a.Explained, Log: slog.New(slog.NewTextHandler(a.IO.Err, nil)),
	}, nil
}

// spaceOf opens the user's workspace, or a draft of it, when a tool needs it.
func spaceOf(a *app.App, draft string) func() (*workspace.Workspace, error) {
	return func() (*workspace.Workspace, error) {
		w, err := a.Workspace()
		if err != nil || draft == "" {
			return w, err
		}
		return w.Draft(draft)
	}
}

func dataOf(work *analyst.Analyst) func() (api.Data, error) {
	return func() (api.Data, error) {
		remote, err := work.Connect()
		return remote.Data, err
	}
}

// Package ask has the commands that ask a model, and those for its conversations and
// receipts. They print what the agent does, and do none of it.
package ask

import (
	"log/slog"
	"path/filepath"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

// ToolConfig returns what the tools need, with paths from dir and none outside of
// root. The caller closes its Files.
func ToolConfig(a *app.App, root, dir string) (tool.Config, error) {
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
	files, err := table.New(table.Config{Dir: filepath.Join(home, "tabular"), Root: root, WorkDir: dir, Now: a.Now})
	if err != nil {
		return tool.Config{}, err
	}
	return tool.Config{
		Data: dataOf(work), Work: work, Files: files, Dir: dir, Space: a.Workspace, DownloadHosts: cfg.Files.Hosts(),
		EstimateFirst: cfg.FetchDefaultEstimate, FetchMaxBytes: options.MaxBytes, Now: a.Now,
		Explain: a.Explained, Log: slog.New(slog.NewTextHandler(a.IO.Err, nil)),
	}, nil
}

func dataOf(work *analyst.Analyst) func() (api.Data, error) {
	return func() (api.Data, error) {
		remote, err := work.Connect()
		return remote.Data, err
	}
}

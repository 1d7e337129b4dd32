package cli

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/mcpserver"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/toolbox"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/filehttp"
)

// uploadPath is where users send files.
const uploadPath = "/api/files/upload"

// doors are the protocols that a server speaks beside its routes, and the routes of
// its model and of its users' files.
func doors(log *slog.Logger, model *agenthttp.Server, files *filehttp.Server) []httpapi.Door {
	all := []httpapi.Door{{
		Path: "/mcp", Params: []string{"tools", "draft"}, Takes: "JSON-RPC; `?tools=` sets and names of tools, `?draft=` a name", Gives: "JSON-RPC, as events",
		About:  "The Model Context Protocol: the tools that need no snapshots of the caller's ([mcp](mcp.md)), also on the files that they keep on the server.",
		Handle: mcpserver.HTTP(build.Current().Version, log, withFiles(files)),
	}}
	for _, r := range model.Routes() {
		all = append(all, httpapi.Door{Method: r.Method, Path: r.Path, Takes: r.Takes, Gives: r.Gives, About: r.About, Serve: r.Serve})
	}
	for _, r := range files.Routes() {
		if r.Path == uploadPath { // the same, where clients of the model look for it
			all = append(all, httpapi.Door{Method: r.Method, Path: "/api/agent/upload", Params: r.Params, Takes: r.Takes, Gives: r.Gives, About: "As `POST " + uploadPath + "`: the model finds the file by its name.", Streams: r.Streams, Handle: r.Handle})
		}
		all = append(all, httpapi.Door{Method: r.Method, Path: r.Path, Params: r.Params, Takes: r.Takes, Gives: r.Gives, About: r.About, Streams: r.Streams, Handle: r.Handle})
	}
	return all
}

// withFiles gives the tools of a request the files of its caller, if it asks for
// more tools than those for data.
func withFiles(files *filehttp.Server) mcpserver.Extend {
	return func(data api.Data, r *http.Request, cfg *toolbox.Config) (end func(), err error) {
		for _, list := range r.URL.Query()["tools"] {
			cfg.Tools = append(cfg.Tools, strings.Split(list, ",")...)
		}
		if len(cfg.Tools) == 0 || slices.Equal(cfg.Tools, []string{"data"}) {
			return func() {}, nil
		}
		if !files.Keeps(data) {
			return nil, filehttp.Off()
		}
		cfg.Space, end = files.Space(data, r)
		cfg.NoteFile, cfg.DownloadHosts = data.NoteFile, files.Hosts
		return end, nil
	}
}

// serverFiles keep the files of a server's users until closing is done; nil limits:
// nobody's.
func serverFiles(closing context.Context, limits *config.Files, stateDir string, now func() time.Time) *filehttp.Server {
	if limits == nil {
		return filehttp.New(filehttp.Config{})
	}
	return filehttp.New(filehttp.Config{Closing: closing, Hosts: limits.Hosts(), Open: func(owner string) (*workspace.Workspace, error) {
		return workspace.Open(filepath.Join(stateDir, "files", owner), app.WorkspaceOptions(*limits, now))
	}})
}

// ownFiles are those of the user's own workspace.
func ownFiles(closing context.Context, a *app.App) *filehttp.Server {
	return filehttp.New(filehttp.Config{Closing: closing, Open: func(string) (*workspace.Workspace, error) { return a.OpenWorkspace() }})
}

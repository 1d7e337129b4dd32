package serve

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	flightapi "github.com/agnes-data/da/server/flight"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/toolbox/mcpserver"
	"github.com/agnes-data/da/toolbox/tool"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/filehttp"
)

// uploadPath is where users send files.
const uploadPath = "/api/files/upload"

// Doors are the server's other protocols, and the routes for its model and its
// users' files.
func Doors(log *slog.Logger, model *agenthttp.Server, files *filehttp.Server) []httpapi.Door {
	all := []httpapi.Door{{
		Path: "/mcp", Params: []string{"tools", "draft"}, Takes: "JSON-RPC; `?tools=` sets and names of tools, `?draft=` a name",
		Gives:  "JSON-RPC, as events",
		About:  "The Model Context Protocol: the tools that need no snapshots of the caller's ([mcp](mcp.md)), also on the files that they keep on the server.",
		Handle: mcpserver.HTTP(build.Current().Version, log, withFiles(files)),
	}}
	all = append(all, httpapi.Door{
		Path: flightapi.Path, Takes: "gRPC over HTTP/2, at the address of `server.flight`", Gives: "gRPC",
		About:   "Arrow Flight SQL for drivers of ADBC, JDBC and ODBC ([from other tools](from-other-tools.md)).",
		Streams: true, Handle: flightapi.Handler(build.Current().Version),
	})
	for _, r := range model.Routes() {
		all = append(all, httpapi.Door{Method: r.Method, Path: r.Path, Params: r.Params, Takes: r.Takes, Gives: r.Gives, About: r.About,
			Serve: r.Serve})
	}
	for _, r := range files.Routes() {
		if r.Path == uploadPath { // an additional path, where the model's clients expect it
			all = append(all, httpapi.Door{Method: r.Method, Path: "/api/agent/upload", Params: r.Params, Takes: r.Takes, Gives: r.Gives,
				About: "As `POST " + uploadPath + "`: the model finds the file by its name.", Streams: r.Streams, Handle: r.Handle})
		}
		all = append(all, httpapi.Door{Method: r.Method, Path: r.Path, Params: r.Params, Takes: r.Takes, Gives: r.Gives, About: r.About,
			Streams: r.Streams, Handle: r.Handle})
	}
	return all
}

// withFiles gives a request's tools access to its caller's files, if it asks for
// tools beyond those for data.
func withFiles(files *filehttp.Server) mcpserver.Extend {
	return func(data api.Data, r *http.Request, cfg *tool.Config) (end func(), err error) {
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
		if files.Calls != nil {
			open := cfg.Space
			cfg.FileCalls = func(ctx context.Context, request json.RawMessage, memory int64, say func(string)) (json.RawMessage, error) {
				view, err := open()
				if err != nil {
					return nil, err
				}
				return files.Calls(ctx, data, view, request, memory, say)
			}
		}
		return end, nil
	}
}

// contentTime is how long a server works on the content of a file.
const contentTime = time.Minute

// serverFiles manages the files of an instance's users until closing is done. If
// the instance does not keep files, all requests are refused.
func serverFiles(closing context.Context, a *app.App, inst *config.Instance, at *central) *filehttp.Server {
	if inst.Files == nil {
		return filehttp.New(filehttp.Config{})
	}
	return filehttp.New(filehttp.Config{Closing: closing, Hosts: inst.Files.Hosts(), Inbox: inst.Files.Inbox, Memory: inst.Shares().Documents,
		Open: func(owner string) (*workspace.Workspace, error) {
			options := app.WorkspaceOptions(*inst.Files, a.Now)
			options.Shared = at.files(owner)
			w, err := workspace.Open(state.FilesFolder(inst.Server.StateDir, owner), options)
			if err != nil {
				return nil, err
			}
			return w.With(a.Apart(contentTime, a.IO.Err)), nil
		}})
}

// ownFiles manages the files of the user's own workspace.
func ownFiles(closing context.Context, a *app.App) *filehttp.Server {
	return filehttp.New(filehttp.Config{Closing: closing, Open: func(string) (*workspace.Workspace, error) { return a.OpenWorkspace() }})
}

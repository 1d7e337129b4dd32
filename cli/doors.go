package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/mcpserver"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/filehttp"
)

// uploadPath is where users send files.
const uploadPath = "/api/files/upload"

// doors are the protocols that a server speaks beside its routes, and the routes of
// its model and of its users' files.
func doors(log *slog.Logger, model *agenthttp.Server, files *filehttp.Server) []httpapi.Door {
	all := []httpapi.Door{{
		Path: "/mcp", Takes: "JSON-RPC", Gives: "JSON-RPC, as events",
		About: "The Model Context Protocol: the tools that need no store of the caller's ([mcp](mcp.md)).",
		Serve: mcpserver.HTTP(build.Current().Version, log),
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

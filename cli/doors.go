package cli

import (
	"log/slog"

	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/mcpserver"
	httpapi "github.com/agnes-data/da/server/http"
)

// doors are the protocols that a server speaks beside its routes.
func doors(log *slog.Logger) []httpapi.Door {
	return []httpapi.Door{{
		Path: "/mcp", Takes: "JSON-RPC", Gives: "JSON-RPC, as events",
		About: "The Model Context Protocol: the tools that need no store of the caller's ([mcp](mcp.md)).",
		Serve: mcpserver.HTTP(build.Current().Version, log),
	}}
}

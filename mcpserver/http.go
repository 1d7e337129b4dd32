package mcpserver

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
)

// serverKey is where a request carries the server that is made for it.
type serverKey struct{}

// HTTP returns what answers single requests of the streamable transport, each
// for a caller who may do what svc does. Nothing is kept between requests: the
// tools are those that need neither snapshots nor files.
//
// Who may call at all has been decided before, by token and not by cookie, so
// that no other site can call in a browser's name.
func HTTP(version string, log *slog.Logger) func(svc api.Service, w http.ResponseWriter, r *http.Request) {
	h := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true, PropagateRequestCancellation: true})
	return func(svc api.Service, w http.ResponseWriter, r *http.Request) {
		s, err := New(Config{Version: version, Service: func() (api.Service, error) { return svc, nil }, Log: log, base: r.Context(), requestID: w.Header().Get(wire.HeaderRequestID)})
		if err != nil {
			log.Error("no tools", "cause", err) // of a fixed list
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s)))
	}
}

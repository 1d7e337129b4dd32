package mcpserver

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/toolbox/tool"
)

// serverKey is the context key of the server made for a request.
type serverKey struct{}

// Extend adds to what the tools of one request can work on.
type Extend func(data api.Data, r *http.Request, cfg *tool.Config) (end func(), err error)

// HTTP returns a handler for single requests of the streamable transport, each on
// behalf of a caller with access to data. It keeps no state between requests, so
// it offers only tools that need no snapshots.
//
// extend, which may be nil, adds to a request's Config and returns a function to
// call at the end; its error fails the request.
//
// The caller has been authenticated before, by a token and not by a cookie, so
// that no other web site can make calls through a browser.
func HTTP(version string, log *slog.Logger, extend Extend) func(data api.Data, w http.ResponseWriter, r *http.Request) error {
	h := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true, PropagateRequestCancellation: true})
	return func(data api.Data, w http.ResponseWriter, r *http.Request) error {
		cfg := tool.Config{Data: func() (api.Data, error) { return data, nil }, Log: log, Request: r.Context(),
			RequestID: w.Header().Get(wire.HeaderRequestID)}
		if extend != nil {
			end, err := extend(data, r, &cfg)
			if err != nil {
				return err
			}
			defer end()
		}
		s, err := New(version, cfg, false)
		if err != nil { // an unknown tool name
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindParameter, Message: err.Error(),
				Hint: "The parameter tools takes the sets data, files, documents and fine, and names of tools, with commas between.", Err: err}
		}
		if batch(r) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, batchRefused) // ignore a client that has gone away
			return nil
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s)))
		return nil
	}
}

// batchRefused is the answer to a batch. The protocol has no batches since its
// revision of 2025-06-18, and a batch would count as one request however many
// calls it makes.
const batchRefused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not answered: send each message as a request of its own"}}` + "\n"

// batch reports whether a request's body is a list of messages.
func batch(r *http.Request) bool {
	body := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	for {
		c, err := body.ReadByte()
		if err != nil {
			return false // leave the error to the protocol's own reader
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			_ = body.UnreadByte() // cannot fail: it was just read
			return c == '['
		}
	}
}

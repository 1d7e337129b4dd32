package mcpserver

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
	"github.com/agnes-data/da/toolbox"
)

// serverKey is where a request carries the server that is made for it.
type serverKey struct{}

// Extend gives the tools of one request more to work on.
type Extend func(data api.Data, r *http.Request, cfg *toolbox.Config) (end func(), err error)

// HTTP returns what answers single requests of the streamable transport, each
// for a caller who may ask data. Nothing is kept between requests: the
// tools are those that need no snapshots.
//
// Extend, which may be nil, gives a request's tools more to work on, and returns what
// ends that; its error refuses the request.
//
// Who may call at all has been decided before, by token and not by cookie, so
// that no other site can call in a browser's name.
func HTTP(version string, log *slog.Logger, extend Extend) func(data api.Data, w http.ResponseWriter, r *http.Request) error {
	h := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true, PropagateRequestCancellation: true})
	return func(data api.Data, w http.ResponseWriter, r *http.Request) error {
		cfg := toolbox.Config{Data: func() (api.Data, error) { return data, nil }, Log: log, Request: r.Context(), RequestID: w.Header().Get(wire.HeaderRequestID)}
		if extend != nil {
			end, err := extend(data, r, &cfg)
			if err != nil {
				return err
			}
			defer end()
		}
		s, err := New(version, cfg)
		if err != nil { // a name that no tool has
			return &api.Error{Code: api.CodeBadRequest, Kind: "parameter", Message: err.Error(), Hint: "The parameter tools takes the sets data, files, documents and fine, and names of tools, with commas between.", Err: err}
		}
		if batch(r) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, batchRefused) // who has gone needs no answer
			return nil
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s)))
		return nil
	}
}

// batchRefused is the answer to a batch: the protocol has none since its revision
// of 2025-06-18, and one request would be admitted and counted for many calls.
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
			return false // the protocol's own reader says what is wrong
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			_ = body.UnreadByte() // it was just read
			return c == '['
		}
	}
}

package mcpserver_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/mcpserver"
	"github.com/agnes-data/da/toolbox/tool"
)

// slow is a service whose queries go on until they are cancelled.
type slow struct {
	api.Querier
	begun, cancelled chan struct{}
}

func newSlow() *slow { return &slow{begun: make(chan struct{}), cancelled: make(chan struct{})} }

// Query implements api.Querier.
func (s *slow) Query(ctx context.Context, req api.QueryRequest) (*api.Stream, error) {
	switch req.SQL {
	case "panic":
		panic("secret")
	case "fault":
		return nil, errors.New("secret")
	case "internal":
		return nil, &api.Error{Code: api.CodeInternal, Message: "secret"}
	}
	close(s.begun)
	<-ctx.Done()
	close(s.cancelled)
	return nil, ctx.Err()
}

func (s *slow) config() tool.Config {
	return tool.Config{Data: func() (api.Data, error) { return api.Data{Querier: s}, nil }}
}

// connect returns a client of a server.
func connect(t *testing.T, cfg tool.Config) *mcp.ClientSession {
	t.Helper()
	server, err := mcpserver.New("test", cfg, false)
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	running, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func remote(sql string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "query_remote", Arguments: map[string]any{"sql": sql}}
}

// TestACancelledCallEndsItsWork cancels a call, and wants the work behind it to
// end and the next call to be answered.
func TestACancelledCallEndsItsWork(t *testing.T) {
	s := newSlow()
	client := connect(t, s.config())
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := client.CallTool(ctx, remote("slow"))
		failed <- err
	}()
	<-s.begun
	cancel()
	<-s.cancelled
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call: %v", err)
	}
	if r, err := client.CallTool(t.Context(), remote("fault")); err != nil || !r.IsError {
		t.Errorf("the next call: %v %+v", err, r)
	}
}

// TestAFaultOfOursTellsNothing holds that what broke is for the log alone, and
// that a panic in one call ends no other.
func TestAFaultOfOursTellsNothing(t *testing.T) {
	for _, sql := range []string{"panic", "fault"} {
		var log strings.Builder
		cfg := newSlow().config()
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		r, err := connect(t, cfg).CallTool(t.Context(), remote(sql))
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if !r.IsError || strings.Contains(text, "secret") || !strings.Contains(text, `"code":"unexpected"`) {
			t.Errorf("%s: %s", sql, text)
		}
		if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "tool=query_remote") {
			t.Errorf("%s: the log says %q", sql, log.String())
		}
	}
}

// served is a service at a URL.
func served(t *testing.T, s *slow, log io.Writer) string {
	t.Helper()
	door := mcpserver.HTTP("test", slog.New(slog.NewTextHandler(log, nil)), nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _ = door(api.Data{Querier: s}, w, r) }))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAClientThatHangsUpEndsItsWork breaks the connection of a call.
func TestAClientThatHangsUpEndsItsWork(t *testing.T) {
	s := newSlow()
	url := served(t, s, io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_remote","arguments":{"sql":"slow"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	gone := make(chan error, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		gone <- err
	}()
	<-s.begun
	cancel()
	<-s.cancelled
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
}

// TestOverHTTPAnInternalErrorTellsNothing holds that others see no more of a
// server's faults here than at its other routes.
func TestOverHTTPAnInternalErrorTellsNothing(t *testing.T) {
	for _, sql := range []string{"panic", "fault", "internal"} {
		var log strings.Builder
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: served(t, newSlow(), &log), DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.CallTool(t.Context(), remote(sql))
		if err != nil {
			t.Fatal(err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if !r.IsError || strings.Contains(text, "secret") || !strings.Contains(text, `"code":"internal"`) || !strings.Contains(log.String(), "secret") {
			t.Errorf("%s: %s\nthe log: %s", sql, text, log.String())
		}
		_ = client.Close()
	}
}

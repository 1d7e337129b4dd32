package cli

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/serve"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/server/resultset"
)

// pageDoor is a route of the page through which rows leave.
func pageDoor(path, body string) func(*world, api.Rows) ([]api.Caveat, error) {
	return func(w *world, rows api.Rows) ([]api.Caveat, error) { return w.toPage(path, body, rows) }
}

// servedRows is a page's backend and desk: each answer has the rows that were put
// there before.
type servedRows struct {
	httpapi.Backend
	w    *world
	rows api.Rows
}

// stream tells the caveats of the rows as sources do: before the rows, with them
// or after them.
func (s *servedRows) stream() *api.Stream {
	end, out := api.End{}, &api.Stream{Batches: s.rows}
	for _, c := range s.rows.Caveats() {
		switch {
		case c.Kind == api.CaveatCut:
			end.Truncated, end.Rows = true, 20
		case s.w.r.IntN(2) == 0:
			end.Caveats = append(end.Caveats, c)
		default:
			out.Known = append(out.Known, c)
		}
	}
	out.End = func() api.End { return end }
	return out
}

// Authenticate implements httpapi.Backend.
func (s *servedRows) Authenticate(context.Context, string) (core.Principal, error) {
	return core.Principal{User: "somebody"}, nil
}

// Data implements httpapi.Backend.
func (s *servedRows) Data(core.Principal) api.Data { return api.Data{Scanner: s, Querier: s} }

// Access implements httpapi.Backend.
func (s *servedRows) Access(context.Context, core.Principal) (string, error) { return "all", nil }

// SignIns implements httpapi.Backend.
func (s *servedRows) SignIns(core.Principal) api.SignInKeeper { return nil }

// Left implements httpapi.Backend.
func (s *servedRows) Left(context.Context, core.Principal) api.Remaining { return api.Remaining{} }

// Answered implements httpapi.Backend.
func (s *servedRows) Answered(string, string, int, time.Duration) {}

// Estimate implements api.Scanner.
func (s *servedRows) Estimate(context.Context, api.ScanRequest) (*api.Estimate, error) {
	return &api.Estimate{}, nil
}

// Scan implements api.Scanner.
func (s *servedRows) Scan(context.Context, api.ScanRequest) (*api.Stream, error) {
	return s.stream(), nil
}

// Query implements api.Querier.
func (s *servedRows) Query(context.Context, api.QueryRequest) (*api.Stream, error) {
	return s.stream(), nil
}

// PriceQuery implements api.Querier.
func (s *servedRows) PriceQuery(context.Context, api.QueryRequest) (*api.QueryPrice, error) {
	return &api.QueryPrice{}, nil
}

// deskOf is the desk of servedRows: a Query of its own.
type deskOf struct {
	httpapi.Desk
	s *servedRows
}

// Query implements httpapi.Desk.
func (d deskOf) Query(context.Context, string, bool) (*api.Stream, error) {
	return serve.DeskStream(d.s.rows, d.s.rows.Caveats(), nil), nil
}

// serveBackend serves it, and returns its address.
func serveBackend(t *testing.T, backend httpapi.Backend, desk httpapi.Desk) string {
	t.Helper()
	toFile := func(ctx context.Context, to io.Writer, rows api.Rows, format string) ([]api.Caveat, error) {
		done, err := output.Write(ctx, to, rows, output.Format(format), output.Options{})
		return done.Caveats, err
	}
	results := resultset.New(t.TempDir(), resultset.Usual)
	t.Cleanup(results.Close)
	ctx, stop := context.WithCancel(t.Context())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- httpapi.Serve(ctx, httpapi.Listen{Addr: "127.0.0.1:0", Desk: desk, WriteRows: toFile, Results: results, OnListen: func(url, _ string) error { at <- url; return nil }},
			backend, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return <-at
}

// toPage sends rows through a route of the page.
func (w *world) toPage(path, body string, rows api.Rows) ([]api.Caveat, error) {
	if w.served == nil {
		w.served = &servedRows{w: w}
		w.address = serveBackend(w.t, w.served, deskOf{s: w.served})
	}
	w.served.rows = rows
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer somebody")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var got struct{ Caveats []api.Caveat }
	cut := slices.ContainsFunc(rows.Caveats(), func(c api.Caveat) bool { return c.Kind == api.CaveatCut })
	if cut && (path == "/api/page/file" || path == "/api/page/results") {
		if res.StatusCode == http.StatusOK {
			w.t.Errorf("%s keeps a cut result", path)
		}
		return rows.Caveats(), nil
	}
	if res.StatusCode != http.StatusOK {
		w.t.Errorf("%s: %s", path, text)
	}
	if path != "/api/page/file" {
		err = json.Unmarshal(text, &got)
		return got.Caveats, err
	}
	if told, err := url.PathUnescape(res.Header.Get(wire.HeaderCaveats)); told != "" && err == nil { // the text is the file
		return got.Caveats, json.Unmarshal([]byte(told), &got.Caveats)
	}
	return nil, err
}

package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// countRows is a format of one line: how many rows there were.
func countRows(_ context.Context, w io.Writer, rows api.Rows, format string) ([]api.Caveat, error) {
	n := int64(0)
	for rows.Next() {
		n += rows.RecordBatch().NumRows()
		if _, err := fmt.Fprintln(w, n); err != nil {
			return nil, err
		}
	}
	return append(rows.Caveats(), api.NewCaveat(api.CaveatNarrowed, "as %s", format)), rows.Err()
}

// TestFilesOfThePageAreWhole: what a limit cuts is no file, and what is to be
// known of one comes with it.
func TestFilesOfThePageAreWhole(t *testing.T) {
	var end api.End
	var caveats []api.Caveat
	stream := func() *api.Stream {
		s := streamOf(batchOf(0, 3))
		s.Known = caveats
		s.End = func() api.End { return end }
		return s
	}
	s := serveTest(t, &testService{
		query: func(context.Context, api.QueryRequest) (*api.Stream, error) { return stream(), nil },
		scan:  func(context.Context, api.ScanRequest) (*api.Stream, error) { return stream(), nil },
	}, func(h *router) { h.writeRows = countRows })
	ask := func(body string) (status int, header, text string) {
		t.Helper()
		res, text := s.ask(t, "POST", "/api/page/file", body, "Authorization", "Bearer "+userToken)
		return res.StatusCode, res.Header.Get(wire.HeaderCaveats), text
	}
	for _, body := range []string{`{"format":"xlsx","sql":"SELECT 1"}`, `{"format":"xlsx","scan":{"table_id":"t"}}`} {
		caveats = api.CaveatsOf(api.CaveatStale, strings.Repeat("é", 600), strings.Repeat("x", 600))
		end = api.End{Rows: 3}
		status, header, text := ask(body)
		if status != 200 || text != "3\n" {
			t.Errorf("%s: %d %q", body, status, text)
		}
		plain, err := url.PathUnescape(header)
		if err != nil || len(header) > maxCaveatHeader {
			t.Errorf("%v, %d bytes", err, len(header))
		}
		var told []api.Caveat
		if err := json.Unmarshal([]byte(plain), &told); err != nil || len(told) != 1 || told[0].Text != "3 more caveats are not shown" {
			t.Errorf("%v: %s", err, plain)
		}
		caveats = nil
		if _, header, _ = ask(body); !strings.Contains(header, "as%20xlsx") {
			t.Errorf("caveats: %s", header)
		}
		end = api.End{Rows: 3, Truncated: true, Cap: api.CapDaily}
		if status, _, text := ask(body); status != 429 || errorOf(t, text).Kind != api.KindCut {
			t.Errorf("a cut result: %d %s", status, text)
		}
	}
	end = api.End{Rows: 3}
	for _, body := range []string{`{"format":"docx","sql":"SELECT 1"}`, `{"format":"csv"}`, `{"format":"csv","sql":"SELECT 1","scan":{"table_id":"t"}}`} {
		if status, _, text := ask(body); status != 400 {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if status, _, text := ask(`{"format":"csv","sql":"SELECT 1","here":true}`); status != 404 {
		t.Errorf("here, on a server: %d %s", status, text)
	}
}

// TestFilesTellHowFarTheyAre asks for the rows of a file that is being made, as its caller and as another.
func TestFilesTellHowFarTheyAre(t *testing.T) {
	var s served
	far := func(token string) (rows *int64) {
		var p api.FileProgress
		_, text := s.ask(t, "GET", "/api/page/file/mine", "", "Authorization", "Bearer "+token)
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Errorf("%v: %s", err, text)
		}
		return p.Rows
	}
	s = serveTest(t, &testService{
		query: func(context.Context, api.QueryRequest) (*api.Stream, error) { return streamOf(batchOf(0, 3)), nil },
	}, func(h *router) {
		h.writeRows = func(_ context.Context, _ io.Writer, rows api.Rows, _ string) ([]api.Caveat, error) {
			for rows.Next() {
				if n := far(userToken); n == nil || *n != 3 {
					t.Errorf("the caller is told of %v rows", n)
				}
				if n := far(adminToken); n != nil {
					t.Errorf("another is told of %d rows", *n)
				}
			}
			return nil, rows.Err()
		}
	})
	s.ask(t, "POST", "/api/page/file", `{"format":"csv","sql":"SELECT 1","watch":"mine"}`, "Authorization", "Bearer "+userToken)
	if n := far(userToken); n != nil {
		t.Errorf("after its end %d rows", *n)
	}
}

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

const testToken = "the-token"

// pauses is a Wait that notes and does not wait.
type pauses struct {
	mu  sync.Mutex
	all []time.Duration
}

func (p *pauses) wait(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, d)
	return ctx.Err()
}

func (p *pauses) take() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.all
	p.all = nil
	return all
}

// newTest returns a client of url that does not wait between tries.
func newTest(t *testing.T, url string, adjust ...func(*Options)) (*Client, *pauses) {
	t.Helper()
	p := &pauses{}
	o := Options{URL: url, Token: testToken, Wait: p.wait}
	for _, f := range adjust {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, p
}

// listen serves f on a real port.
func listen(t *testing.T, f http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.CloseClientConnections() // a test that failed may have left some in use
		s.Close()
	})
	return s
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// anyAnswer has what the answer to any question about table t has.
func anyAnswer(r *http.Request) map[string]any {
	answer := map[string]any{"tables": []any{}, "table_id": "t", "sql_flavor": "duckdb"}
	if strings.Contains(r.URL.Path, "/schema/") {
		answer["columns"] = []map[string]any{{"name": "n", "type": "INTEGER"}}
	}
	return answer
}

// resultHeader sets what every result has.
func resultHeader(h http.Header) {
	h.Set("Content-Type", wire.ContentType)
	h.Set(wire.HeaderEffectiveAsOf, "2024-02-29T12:00:00.5Z")
	h.Set(wire.HeaderRequestID, "0123456789abcdef")
}

// resultBody is a body of three batches of n rows each.
func resultBody(t testing.TB, n int) []byte { return resultBodyAs(t, n, wire.Plain) }

func resultBodyAs(t testing.TB, n int, codec wire.Codec) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	var recs []arrow.RecordBatch
	for range 3 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range n {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
			b.Field(1).(*array.StringBuilder).Append("text")
		}
		recs = append(recs, b.NewRecordBatch())
		b.Release()
	}
	rdr, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	_, err = wire.Encode(&body, func() {}, &api.Stream{Batches: rdr, End: func() api.End {
		return api.End{Rows: int64(3 * n), Bytes: 5, Truncated: true, Cap: "max_limit"}
	}}, codec)
	if err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

// drain reads a stream to its end and closes it.
func drain(s *api.Stream) (rows int64, err error) {
	defer s.Close()
	for s.Batches.Next() {
		rows += s.Batches.RecordBatch().NumRows()
	}
	return rows, s.Batches.Err()
}

// scanAll runs a scan to its end.
func scanAll(ctx context.Context, c *Client) (int64, error) {
	s, err := c.Scan(ctx, api.ScanRequest{TableID: "t"})
	if err != nil {
		return 0, err
	}
	return drain(s)
}

// codeOf returns the error as what every error must be.
func codeOf(t *testing.T, err error) *api.Error {
	t.Helper()
	var known *api.Error
	if !errors.As(err, &known) {
		t.Fatalf("not an error of the vocabulary: %#v", err)
	}
	return known
}

// soon fails the test if c is not closed, or sent to, within a minute.
func soon[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Fatalf("not within a minute: %s", what)
	}
	return v
}

// operations are all that a client can be asked, by the path they go to.
func operations(c *Client) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"GET /api/v2/catalog":      func(ctx context.Context) error { _, err := c.Tables(ctx); return err },
		"GET /api/v2/schema/t":     func(ctx context.Context) error { _, err := c.Schema(ctx, "t"); return err },
		"GET /api/v2/sample/t?n=7": func(ctx context.Context) error { _, err := c.Sample(ctx, "t", 7); return err },
		"POST /api/v2/scan/estimate": func(ctx context.Context) error {
			_, err := c.Estimate(ctx, api.ScanRequest{TableID: "t", Where: "x = 1"})
			return err
		},
		"POST /api/admin/catalog/invalidate": c.RefreshCaches,
		"POST /api/v2/scan": func(ctx context.Context) error {
			s, err := c.Scan(ctx, api.ScanRequest{TableID: "t", Where: "x = 1"})
			if err != nil {
				return err
			}
			_, err = drain(s)
			return err
		},
		"POST /api/query": func(ctx context.Context) error {
			s, err := c.Query(ctx, api.QueryRequest{SQL: "SELECT 1"})
			if err != nil {
				return err
			}
			_, err = drain(s)
			return err
		},
	}
}

// idempotent reports whether an operation may be sent twice.
func idempotent(op string) bool { return op != "POST /api/v2/scan" && op != "POST /api/query" }

func readAll(r io.Reader) string {
	data, _ := io.ReadAll(r)
	return strings.TrimSpace(string(data))
}

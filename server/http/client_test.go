package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
)

// These tests hold the two ends of HTTP against each other: through client and
// handler a service answers as it does in process.

func dial(t *testing.T, url string, adjust ...func(*client.Options)) *client.Client {
	t.Helper()
	o := client.Options{URL: url, Token: adminToken, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for _, f := range adjust {
		f(&o)
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// rowsOf reads a stream to its end and closes it.
func rowsOf(s *api.Stream) (rows int64, err error) {
	defer s.Close()
	for s.Batches.Next() {
		rows += s.Batches.RecordBatch().NumRows()
	}
	return rows, s.Batches.Err()
}

func TestAServiceAnswersAlikeOverHTTP(t *testing.T) {
	n, f, yes, hint := int64(1)<<60+1, 0.022, true, "1.2k rows"
	refreshed := false
	req := api.ScanRequest{TableID: "t", Select: []string{"a", "b c"}, Where: "s = '<é>&\u2028'", Limit: &n, OrderBy: []string{"a DESC"}}
	sample := &api.Sample{TableID: "t", Columns: []string{"z", "a"}, Source: api.SourceLake, Rows: []api.Row{
		{Columns: []string{"z", "a"}, Values: []any{json.Number("9007199254740993"), "<b>"}},
		{Columns: []string{"z", "a"}, Values: []any{nil, []any{"x", true}}},
	}}
	inner := &testService{
		tables: func(context.Context) (*api.TableList, error) {
			return &api.TableList{ServerTime: asOf, Tables: []api.Table{
				{ID: "t", Name: "T", SourceType: api.SourceLake, QueryMode: api.ModeRemote, WhereExamples: []string{"a > 1 && b < 2"}, RoughSizeHint: &hint},
				{ID: "u", WhereExamples: []string{}},
			}}, nil
		},
		schema: func(_ context.Context, id string) (*api.TableSchema, error) {
			return &api.TableSchema{TableID: id, SQLFlavor: "duckdb", Columns: []api.Column{{Name: "r", Type: "STRUCT(a INTEGER)", Nullable: true, Fields: []api.Column{{Name: "a", Type: "INTEGER"}}}},
				PartitionBy: []string{}, ClusteredBy: []string{"r"}, RowCount: &n, WhereDialectHints: map[string]string{"cast": "CAST(x AS BIGINT)"}}, nil
		},
		sample: func(_ context.Context, _ string, n int) (*api.Sample, error) {
			if n != 42 {
				t.Errorf("n is %d", n)
			}
			return sample, nil
		},
		estimate: func(_ context.Context, got api.ScanRequest) (*api.Estimate, error) {
			if !reflect.DeepEqual(got, req) {
				t.Errorf("got %+v", got)
			}
			return &api.Estimate{TableID: "t", ScanBytes: &n, CostUSD: &f, ResultTruncated: &yes}, nil
		},
		refresh: func(context.Context) error { refreshed = true; return nil },
	}
	c := dial(t, serveTest(t, inner).URL)
	ctx := t.Context()
	same := func(what string, got any, gotErr error, want any, wantErr error) {
		t.Helper()
		if gotErr != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v, %v", what, got, gotErr, want, wantErr)
		}
	}
	got1, err1 := c.Tables(ctx)
	want1, werr1 := inner.Tables(ctx)
	same("tables", got1, err1, want1, werr1)
	got2, err2 := c.Schema(ctx, "t")
	want2, werr2 := inner.Schema(ctx, "t")
	same("schema", got2, err2, want2, werr2)
	got3, err3 := c.Sample(ctx, "t", 42)
	same("sample", got3, err3, sample, nil)
	got4, err4 := c.Estimate(ctx, req)
	want4, werr4 := inner.Estimate(ctx, req)
	same("estimate", got4, err4, want4, werr4)
	if err := c.RefreshCaches(ctx); err != nil || !refreshed {
		t.Errorf("refresh: %v, %t", err, refreshed)
	}
}

func TestAStreamArrivesAsItWasSent(t *testing.T) {
	sent := []arrow.RecordBatch{batchOf(0, 1000), batchOf(1000, 1), batchOf(1001, 5000)}
	end := api.End{Rows: 6001, Bytes: 1 << 40, Truncated: true, Cap: "max_result_bytes"}
	stream := func(query bool) *api.Stream {
		s := streamOf(sent...)
		s.Ordered, s.End = query, func() api.End { return end }
		return s
	}
	s := serveTest(t, &testService{
		scan:  func(context.Context, api.ScanRequest) (*api.Stream, error) { return stream(false), nil },
		query: func(context.Context, api.QueryRequest) (*api.Stream, error) { return stream(true), nil },
	})
	c := dial(t, s.URL)
	scan, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	query, err := c.Query(t.Context(), api.QueryRequest{SQL: "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	for what, out := range map[string]*api.Stream{"scan": scan, "query": query} {
		for _, want := range sent {
			if !out.Batches.Next() || !array.RecordEqual(out.Batches.RecordBatch(), want) {
				t.Errorf("%s: a batch differs, or %v", what, out.Batches.Err())
			}
		}
		if out.Batches.Next() || out.Batches.Err() != nil {
			t.Errorf("%s: no end, or %v", what, out.Batches.Err())
		}
		got := out.End()
		got.BodyXXH3 = ""
		if !reflect.DeepEqual(got, end) || !out.EffectiveAsOf.Equal(asOf) || out.Ordered != (what == "query") || len(out.RequestID) != 32 {
			t.Errorf("%s: %+v, %v, %t, %s", what, got, out.EffectiveAsOf, out.Ordered, out.RequestID)
		}
		out.Close()
	}
}

func TestErrorsArriveAsTheyWereMade(t *testing.T) {
	want := &api.Error{Code: api.CodeRejected, Kind: "unknown_function", Message: "there is no function 'F'", Hint: "Use another.\nSee the docs.",
		Details: map[string]any{"position": float64(12), "suggestions": []any{"A", "B"}}}
	c := dial(t, serveTest(t, &testService{
		scan:   func(context.Context, api.ScanRequest) (*api.Stream, error) { return nil, want },
		tables: func(context.Context) (*api.TableList, error) { panic("a slip") },
	}).URL)
	_, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	var got *api.Error
	if !errors.As(err, &got) || len(got.RequestID) != 32 {
		t.Fatalf("%#v", err)
	}
	named := *want
	named.RequestID = got.RequestID
	if !reflect.DeepEqual(got, &named) {
		t.Errorf("got %#v", got)
	}
	if _, err := c.Tables(t.Context()); !api.CodeInternal.Is(err) {
		t.Errorf("%v", err)
	}
	stranger := dial(t, serveTest(t, &testService{}).URL, func(o *client.Options) { o.Token = "wrong" })
	if _, err := stranger.Tables(t.Context()); !api.CodeUnauthorized.Is(err) {
		t.Errorf("%v", err)
	}
	user := dial(t, serveTest(t, &testService{}).URL, func(o *client.Options) { o.Token = userToken })
	if err := user.RefreshCaches(t.Context()); !api.CodeForbidden.Is(err) {
		t.Errorf("%v", err)
	}
}

// proxy is a reverse proxy of the plainer kind: it knows neither trailers nor
// interim responses. lax ones end a broken answer as if it were whole.
func proxy(t *testing.T, upstream string, lax bool, damage func(io.Reader) io.Reader) string {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, upstream+r.URL.RequestURI(), r.Body)
		if err != nil {
			panic(err)
		}
		out.Header = r.Header.Clone()
		res, err := transport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		for name, values := range res.Header {
			w.Header()[name] = values
		}
		w.Header().Del("Trailer")
		w.WriteHeader(res.StatusCode)
		body := io.Reader(res.Body)
		if damage != nil {
			body = damage(body)
		}
		_, err = io.Copy(flushing{w}, body)
		if err != nil && !lax {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

type flushing struct{ http.ResponseWriter }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

func TestAProxyThatDropsTrailersDropsNothingElse(t *testing.T) {
	s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
		if i < 3 {
			return batchOf(i*100, 100), nil
		}
		return nil, nil
	}))
	direct := s.start(t, t.Context())
	_, _ = io.Copy(io.Discard, direct.Body)
	if direct.Trailer.Get("X-Agnes-Rows") != "300" {
		t.Fatalf("there are no trailers to drop: %v", direct.Trailer)
	}
	url := proxy(t, s.URL, false, nil)
	s.URL = url
	via := s.start(t, t.Context())
	_, _ = io.Copy(io.Discard, via.Body)
	if len(via.Trailer) > 0 {
		t.Fatalf("the proxy drops no trailers: %v", via.Trailer)
	}
	out, err := dial(t, url).Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := rowsOf(out); err != nil || rows != 300 || out.End().Rows != 300 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestAProxyCannotHideAnAbort(t *testing.T) {
	for _, lax := range []bool{false, true} {
		s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
			if i < 2 {
				return batchOf(i*100, 100), nil
			}
			return nil, errors.New("the disk is gone")
		}))
		out, err := dial(t, proxy(t, s.URL, lax, nil)).Scan(t.Context(), api.ScanRequest{TableID: "t"})
		if err == nil {
			_, err = rowsOf(out)
		}
		if !api.CodeStreamCut.Is(err) {
			t.Errorf("lax %t: %v", lax, err)
		}
	}
}

// damaged changes a byte at one place of what passes.
type damaged struct {
	io.Reader
	at int
}

func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if d.at >= 0 && d.at < n {
		p[d.at] ^= 0x04
	}
	d.at -= n
	return n, err
}

func TestDamageOnTheWayIsSeen(t *testing.T) {
	s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
		if i < 2 {
			return batchOf(i*4, 4), nil
		}
		return nil, nil
	}))
	whole, err := io.ReadAll(s.start(t, t.Context()).Body)
	if err != nil {
		t.Fatal(err)
	}
	at, limit := -1, int64(len(whole))
	url := proxy(t, s.URL, true, func(r io.Reader) io.Reader { return &damaged{io.LimitReader(r, limit), at} })
	c := dial(t, url)
	scan := func() error {
		out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
		if err == nil {
			_, err = rowsOf(out)
		}
		return err
	}
	if err := scan(); err != nil {
		t.Fatalf("undamaged: %v", err)
	}
	for i := 0; i < len(whole); i += 11 {
		at, limit = i, int64(len(whole))
		if err := scan(); !api.CodeStreamCut.Is(err) {
			t.Fatalf("byte %d of %d changed: %v", i, len(whole), err)
		}
		at, limit = -1, int64(i)
		if err := scan(); !api.CodeStreamCut.Is(err) {
			t.Fatalf("ended after %d of %d bytes: %v", i, len(whole), err)
		}
	}
}

// TestALongWaitIsNoStall has the server take longer than the client bears
// silence: before the first row, in the middle, and for an estimate.
func TestALongWaitIsNoStall(t *testing.T) {
	const limit = 300 * time.Millisecond
	long := func() { <-time.After(limit * 3 / 2) }
	s := serveTest(t, &testService{
		estimate: func(context.Context, api.ScanRequest) (*api.Estimate, error) {
			long()
			return &api.Estimate{TableID: "t"}, nil
		},
		scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
			long()
			return streamFrom(func(i int) (arrow.RecordBatch, error) {
				long()
				if i == 2 {
					return nil, nil
				}
				return batchOf(i, 1), nil
			}), nil
		},
	}, func(h *router) { h.interimEvery = limit / 30 })
	patience := func(o *client.Options) { o.StallTimeout = limit }
	c := dial(t, s.URL, patience)
	if _, err := c.Estimate(t.Context(), api.ScanRequest{TableID: "t"}); err != nil {
		t.Error(err)
	}
	out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := rowsOf(out); err != nil || rows != 2 {
		t.Errorf("%d rows, %v", rows, err)
	}

	// A proxy that drops the signs takes this grace away, and nothing else.
	c = dial(t, proxy(t, s.URL, false, nil), patience)
	if _, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"}); !api.CodeStalled.Is(err) {
		t.Errorf("through the proxy: %v", err)
	}
	if _, err := c.Tables(t.Context()); err != nil {
		t.Errorf("through the proxy, a quick one: %v", err)
	}
}

func TestLeavingAClientStopsTheScan(t *testing.T) {
	var running, closed atomic.Int32
	stopped := make(chan struct{}, 2)
	s := serveTest(t, &testService{scan: func(ctx context.Context, _ api.ScanRequest) (*api.Stream, error) {
		running.Add(1)
		out := streamFrom(func(i int) (arrow.RecordBatch, error) {
			if i == 0 {
				return batchOf(0, 10), nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		out.CloseFunc = func() { closed.Add(1); stopped <- struct{}{} }
		return out, nil
	}})
	c := dial(t, s.URL)
	// By cancelling, and by closing the stream.
	ctx, cancel := context.WithCancel(t.Context())
	one, err := c.Scan(ctx, api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	one.Batches.Next()
	cancel()
	soon(t, stopped, "the cancelled scan stops")
	if one.Batches.Next() || !errors.Is(one.Batches.Err(), context.Canceled) {
		t.Errorf("the cancelled stream says %v", one.Batches.Err())
	}
	one.Close()
	two, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	two.Batches.Next()
	two.Close()
	soon(t, stopped, "the closed scan stops")
	if running.Load() != 2 || closed.Load() != 2 {
		t.Errorf("%d scans, %d closed", running.Load(), closed.Load())
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	s := serveTest(t, &testService{scan: func(_ context.Context, req api.ScanRequest) (*api.Stream, error) {
		return streamOf(batchOf(0, 100*len(req.TableID)), batchOf(0, 5)), nil
	}})
	c := dial(t, s.URL)
	failed := make(chan error, 30)
	for i := range 30 {
		go func() {
			id := strings.Repeat("t", i+1)
			out, err := c.Scan(t.Context(), api.ScanRequest{TableID: id})
			if err == nil {
				var rows int64
				if rows, err = rowsOf(out); err == nil && rows != int64(100*len(id)+5) {
					err = fmt.Errorf("%d rows for %s", rows, id)
				}
			}
			failed <- err
		}()
	}
	for range 30 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

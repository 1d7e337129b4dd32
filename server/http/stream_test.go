package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// start sends a scan and returns the answer with its body still open.
func (s served) start(t *testing.T, ctx context.Context, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v2/scan", strings.NewReader(sound["/api/v2/scan"]))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+userToken)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func scans(next func(i int) (arrow.RecordBatch, error)) *testService {
	return &testService{scan: func(context.Context, api.ScanRequest) (*api.Stream, error) { return streamFrom(next), nil }}
}

func TestAScanIsAStream(t *testing.T) {
	read := make(chan struct{})
	s := serveTest(t, &testService{scan: func(_ context.Context, req api.ScanRequest) (*api.Stream, error) {
		out := streamFrom(func(i int) (arrow.RecordBatch, error) {
			switch i {
			case 0:
				return batchOf(0, 2), nil
			case 1:
				<-read // the client has the first batch before there is a second
				return batchOf(2, 3), nil
			}
			return nil, nil
		})
		out.Ordered = true
		return out, nil
	}})
	res := s.start(t, t.Context())
	for name, want := range map[string]string{
		"Content-Type": "application/vnd.apache.arrow.stream", "X-Agnes-Effective-As-Of": "2024-02-29T12:00:00.123456Z",
		"X-Accel-Buffering": "no", "X-Agnes-Ordered": "true", "Content-Encoding": "", "X-Content-Type-Options": "nosniff",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	out, err := wire.Decode(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if !out.Batches.Next() || out.Batches.RecordBatch().NumRows() != 2 {
		t.Fatalf("first batch: %v", out.Batches.Err())
	}
	close(read)
	if !out.Batches.Next() || out.Batches.RecordBatch().NumRows() != 3 || out.Batches.Next() {
		t.Fatalf("second batch: %v", out.Batches.Err())
	}
	if end := out.End(); out.Batches.Err() != nil || end.Rows != 5 || end.Bytes != 77 || end.Truncated {
		t.Errorf("end %+v, %v", end, out.Batches.Err())
	}
	if res.Trailer.Get("X-Agnes-Rows") != "5" || res.Trailer.Get("X-Agnes-Truncated") != "false" {
		t.Errorf("trailers %v", res.Trailer)
	}
}

// TestABodyIsCompressedForThoseWhoAsk: the others get what they always got.
func TestABodyIsCompressedForThoseWhoAsk(t *testing.T) {
	s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
		if i == 0 {
			return batchOf(0, 50_000), nil
		}
		return nil, nil
	}))
	get := func(accept string) (contentType string, body []byte) {
		res := s.start(t, t.Context(), "Accept", accept)
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Header.Get("Content-Type"), body
	}
	_, plain := get("*/*")
	for accept, want := range map[string]string{
		"": wire.ContentType, wire.ContentType: wire.ContentType, "application/json": wire.ContentType,
		wire.ContentType + "; compression=lz4":                 wire.ContentType,
		"text/html; compression=zstd":                          wire.ContentType,
		wire.AcceptResult:                                      wire.ContentType + "; compression=zstd",
		"text/html, " + wire.ContentType + ";compression=zstd": wire.ContentType + "; compression=zstd",
	} {
		got, body := get(accept)
		packed := strings.Contains(want, "zstd")
		if got != want || bytes.Equal(body, plain) == packed || packed && len(body) > len(plain)/2 {
			t.Errorf("Accept %q: %s, %d bytes of %d", accept, got, len(body), len(plain))
		}
		out, err := wire.Decode(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if !out.Batches.Next() || out.Batches.RecordBatch().NumRows() != 50_000 || out.Batches.Next() || out.Batches.Err() != nil {
			t.Errorf("Accept %q: %v", accept, out.Batches.Err())
		}
		out.Close()
	}
}

func TestAnEmptyResultIsAResult(t *testing.T) {
	s := serveTest(t, scans(func(int) (arrow.RecordBatch, error) { return nil, nil }))
	res, body := s.ask(t, "POST", "/api/query", sound["/api/query"])
	if res.StatusCode != 200 {
		t.Fatal(body)
	}
	out, err := wire.Decode(s.start(t, t.Context()).Body)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if out.Batches.Next() || out.Batches.Err() != nil || !out.Batches.Schema().Equal(testSchema()) {
		t.Errorf("%v, %v", out.Batches.Schema(), out.Batches.Err())
	}
}

func TestAnErrorBeforeTheFirstRowIsAPlainError(t *testing.T) {
	down := &api.Error{Code: api.CodeSource, Message: "the warehouse is down"}
	closed := make(chan struct{})
	s := serveTest(t, &testService{scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
		out := streamFrom(func(int) (arrow.RecordBatch, error) { return nil, down })
		out.CloseFunc = func() { close(closed) }
		return out, nil
	}})
	res, body := s.ask(t, "POST", "/api/v2/scan", sound["/api/v2/scan"])
	if e := errorOf(t, body); res.StatusCode != 502 || e.Code != api.CodeSource || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	soon(t, closed, "the stream is closed")
}

func TestAnErrorAfterTheFirstRowIsACut(t *testing.T) {
	for what, fail := range map[string]func() (arrow.RecordBatch, error){
		"an error": func() (arrow.RecordBatch, error) { return nil, errors.New("the disk is gone") },
		"a panic":  func() (arrow.RecordBatch, error) { panic("a slip") },
	} {
		closed := make(chan struct{})
		s := serveTest(t, &testService{scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
			out := streamFrom(func(i int) (arrow.RecordBatch, error) {
				if i == 0 {
					return batchOf(0, 100), nil
				}
				return fail()
			})
			out.CloseFunc = func() { close(closed) }
			return out, nil
		}})
		body, err := io.ReadAll(s.start(t, t.Context()).Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: the body ended with %v", what, err)
		}
		if bytes.Contains(body, []byte("error")) || bytes.Contains(body, []byte(`"rows"`)) {
			t.Errorf("%s: something was appended: %q", what, body[max(0, len(body)-200):])
		}
		soon(t, closed, "the stream is closed")
		s.Close()
		if log := s.log.String(); !strings.Contains(log, "aborted=true") || !strings.Contains(log, "level=ERROR") || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: log %s", what, log)
		}
	}
}

// TestAClientThatGoesAwayStopsTheWork leaves at each stage of a scan.
func TestAClientThatGoesAwayStopsTheWork(t *testing.T) {
	for _, stage := range []string{"before the stream", "before the first batch", "between batches"} {
		reached, stopped, closed := make(chan struct{}), make(chan error, 1), make(chan struct{})
		block := func(ctx context.Context) error {
			close(reached)
			<-ctx.Done()
			stopped <- ctx.Err()
			return ctx.Err()
		}
		s := serveTest(t, &testService{scan: func(ctx context.Context, _ api.ScanRequest) (*api.Stream, error) {
			if stage == "before the stream" {
				return nil, block(ctx)
			}
			out := streamFrom(func(i int) (arrow.RecordBatch, error) {
				if i == 0 && stage == "between batches" {
					return batchOf(0, 10), nil
				}
				return nil, block(ctx)
			})
			batches := out.Batches.(*steps)
			out.CloseFunc = func() {
				if batches.busy.Load() {
					t.Error("closed while a batch was under way")
				}
				close(closed)
			}
			return out, nil
		}})
		for _, interim := range []string{"", wire.InterimWanted} {
			if interim != "" {
				reached, stopped, closed = make(chan struct{}), make(chan error, 1), make(chan struct{})
			}
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				req, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v2/scan", strings.NewReader(sound["/api/v2/scan"]))
				req.Header.Set("Authorization", "Bearer "+userToken)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set(wire.HeaderInterim, interim)
				if res, err := s.Client().Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}()
			soon(t, reached, stage+": the work begins")
			leave()
			if err := soon(t, stopped, stage+": the work is told"); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", stage, err)
			}
			if stage != "before the stream" {
				soon(t, closed, stage+": the stream is closed")
			}
			<-done
		}
		s.Close()
		if log := s.log.String(); strings.Count(log, "client_gone=true") != 2 || strings.Contains(log, "level=ERROR") {
			t.Errorf("%s: log %s", stage, log)
		}
	}
}

// TestAStreamIsClosedAfterItsLastBatch leaves while a batch is under way that
// takes a moment to stop.
func TestAStreamIsClosedAfterItsLastBatch(t *testing.T) {
	reached, closed := make(chan struct{}), make(chan bool, 1)
	s := serveTest(t, &testService{scan: func(ctx context.Context, _ api.ScanRequest) (*api.Stream, error) {
		out := streamFrom(func(i int) (arrow.RecordBatch, error) {
			if i == 0 {
				return batchOf(0, 10), nil
			}
			close(reached)
			<-ctx.Done()
			<-time.After(50 * time.Millisecond)
			return nil, ctx.Err()
		})
		batches := out.Batches.(*steps)
		out.CloseFunc = func() { closed <- batches.busy.Load() }
		return out, nil
	}}, func(h *router) { h.interimEvery = time.Millisecond })
	ctx, leave := context.WithCancel(t.Context())
	s.start(t, ctx)
	soon(t, reached, "the work begins")
	leave()
	if busy := soon(t, closed, "the stream is closed"); busy {
		t.Error("the stream was closed under a running batch")
	}
}

// TestABodysTimeIsNotTheAnswersTime has the answer take longer than the body
// may.
// TestABodyThatNobodyReadsIsNotWaitedFor has requests, most of them without a
// token, announce bodies that never come.
func TestABodyThatNobodyReadsIsNotWaitedFor(t *testing.T) {
	s := serveTest(t, &testService{}, func(h *router) { h.bodyLimit = 50 * time.Millisecond })
	for _, head := range []string{
		"POST /api/v2/scan HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\n", "POST /nowhere HTTP/1.1\r\n", "PUT /api/v2/catalog HTTP/1.1\r\n",
		"GET /api/v2/catalog HTTP/1.1\r\nAuthorization: Bearer " + userToken + "\r\n",
		"GET /api/sync/tables/t HTTP/1.1\r\nAuthorization: Bearer " + userToken + "\r\n",
	} {
		for _, body := range []string{"Content-Length: 16\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"} {
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, head+"Host: x\r\n"+body); err != nil {
				t.Fatal(err)
			}
			var answer bytes.Buffer
			ended := make(chan struct{})
			go func() {
				_, _ = io.Copy(&answer, conn)
				close(ended)
			}()
			soon(t, ended, "this is not waited for: "+head+body)
			if !strings.HasPrefix(answer.String(), "HTTP/1.1 ") {
				t.Errorf("%s%s: %q", head, body, answer.String())
			}
		}
	}
}

func TestABodysTimeIsNotTheAnswersTime(t *testing.T) {
	s := serveTest(t, &testService{scan: func(ctx context.Context, _ api.ScanRequest) (*api.Stream, error) {
		select {
		case <-time.After(150 * time.Millisecond):
			return streamOf(batchOf(0, 1)), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}, func(h *router) { h.bodyLimit = 50 * time.Millisecond })
	if res, body := s.ask(t, "POST", "/api/v2/scan", sound["/api/v2/scan"]); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/v2/scan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+userToken+
		"\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		close(ended)
	}()
	soon(t, ended, "a body that does not come is not waited for")
}

func TestInterimResponsesUntilTheFirstRow(t *testing.T) {
	enough := make(chan struct{})
	for _, path := range []string{"/api/v2/scan", "/api/query", "/api/v2/scan/estimate"} {
		slow := &testService{
			scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
				<-enough
				return streamOf(batchOf(0, 1)), nil
			},
			query: func(context.Context, api.QueryRequest) (*api.Stream, error) {
				<-enough
				return nil, &api.Error{Code: api.CodeStatement}
			},
			estimate: func(context.Context, api.ScanRequest) (*api.Estimate, error) { <-enough; return &api.Estimate{}, nil },
		}
		s := serveTest(t, slow, func(h *router) { h.interimEvery = 2 * time.Millisecond })
		var seen atomic.Int32
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
				if code != http.StatusProcessing || header.Get("X-Accel-Buffering") != "no" {
					t.Errorf("status %d, headers %v", code, header)
				}
				if seen.Add(1) == 7 { // more than a client takes unasked
					close(enough)
				}
				return nil
			},
		})
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL+path, strings.NewReader(sound[path]))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+userToken)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(wire.HeaderInterim, wire.InterimWanted)
		res, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if want := map[string]int{"/api/query": 400}[path]; res.StatusCode != max(want, 200) {
			t.Errorf("%s: %s", path, res.Status)
		}
		enough = make(chan struct{})
	}
}

func TestInterimResponsesOnlyForThoseWhoAsk(t *testing.T) {
	s := serveTest(t, &testService{estimate: func(context.Context, api.ScanRequest) (*api.Estimate, error) {
		<-time.After(30 * time.Millisecond) // many intervals
		return &api.Estimate{}, nil
	}}, func(h *router) { h.interimEvery = time.Microsecond })
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			t.Errorf("got %d", code)
			return nil
		},
	})
	req, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v2/scan/estimate", strings.NewReader(sound["/api/v2/scan/estimate"]))
	req.Header.Set("Authorization", "Bearer "+userToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// watched counts what arrives.
type watched struct {
	io.Reader
	n atomic.Int64
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.n.Add(int64(n))
	return n, err
}

func TestASlowBatchDoesNotMeanSilence(t *testing.T) {
	body := &watched{}
	s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
		switch i {
		case 0:
			return batchOf(0, 10), nil
		case 1:
			// The client keeps hearing something while this batch takes its time.
			before := body.n.Load()
			for body.n.Load() < before+2000 && t.Context().Err() == nil {
				<-time.After(time.Millisecond)
			}
			return batchOf(10, 10), nil
		}
		return nil, nil
	}), func(h *router) { h.interimEvery = 2 * time.Millisecond })
	body.Reader = s.start(t, t.Context()).Body
	out, err := wire.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var rows int64
	for out.Batches.Next() {
		rows += out.Batches.RecordBatch().NumRows()
	}
	if rows != 20 || out.Batches.Err() != nil {
		t.Errorf("%d rows, %v", rows, out.Batches.Err())
	}
}

func TestADeadClientHoldsNoScan(t *testing.T) {
	closed := make(chan struct{})
	batch := batchOf(0, 50_000)
	s := serveTest(t, &testService{scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
		out := streamFrom(func(int) (arrow.RecordBatch, error) { return batch, nil })
		out.CloseFunc = func() { close(closed) }
		return out, nil
	}}, func(h *router) { h.writeLimit = 100 * time.Millisecond })
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// It asks, and then neither reads nor leaves.
	body := sound["/api/v2/scan"]
	_, err = io.WriteString(conn, "POST /api/v2/scan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+userToken+
		"\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"+body)
	if err != nil || len(body) != 16 {
		t.Fatalf("%v, %d", err, len(body))
	}
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("the scan still runs")
	}
}

func TestASlowClientIsNoDeadOne(t *testing.T) {
	batch := batchOf(0, 100_000) // takes longer than a piece of it may
	s := serveTest(t, scans(func(i int) (arrow.RecordBatch, error) {
		if i < 2 {
			return batch, nil
		}
		return nil, nil
	}), func(h *router) { h.writeLimit = 400 * time.Millisecond })
	// A small buffer, so that the connection itself takes up little.
	s.Client().Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
		}
		return conn, err
	}
	res := s.start(t, t.Context())
	read := 0
	out, err := wire.Decode(readerFunc(func(p []byte) (int, error) {
		if read > 64<<10 {
			<-time.After(10 * time.Millisecond)
			read = 0
		}
		n, err := res.Body.Read(p[:min(len(p), 64<<10)])
		read += n
		return n, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var rows int64
	for out.Batches.Next() {
		rows += out.Batches.RecordBatch().NumRows()
	}
	if rows != 200_000 || out.Batches.Err() != nil {
		t.Errorf("%d rows, %v", rows, out.Batches.Err())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

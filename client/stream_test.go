package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// rawServer answers each connection with what respond writes, byte for byte.
func rawServer(t *testing.T, respond func(conn *net.TCPConn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				req, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_ = readAll(req.Body)
				respond(conn.(*net.TCPConn))
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

const resultHead = "Content-Type: " + wire.ContentType + "\r\n" + wire.HeaderEffectiveAsOf + ": 2024-02-29T12:00:00Z\r\n"

// TestACutAnywhereIsNeverAResult ends a close-delimited body after each length:
// to HTTP alone each of them is whole.
func TestACutAnywhereIsNeverAResult(t *testing.T) {
	body := resultBody(t, 5)
	cut := 0
	url := rawServer(t, func(conn *net.TCPConn) {
		fmt.Fprintf(conn, "HTTP/1.0 200 OK\r\n%s\r\n%s", resultHead, body[:cut])
	})
	c, p := newTest(t, url)
	for cut = 0; cut < len(body); cut++ {
		if _, err := scanAll(t.Context(), c); !api.CodeStreamCut.Is(err) {
			t.Fatalf("cut at %d of %d: %v", cut, len(body), err)
		}
	}
	if rows, err := scanAll(t.Context(), c); err != nil || rows != 15 {
		t.Errorf("whole: %d rows, %v", rows, err)
	}
	if n := len(p.take()); n > 0 {
		t.Errorf("%d retries", n)
	}
}

func TestOtherWaysToCutAResult(t *testing.T) {
	body := resultBody(t, 500)
	half := body[:len(body)/2]
	chunk := func(b []byte) string { return strconv.FormatInt(int64(len(b)), 16) + "\r\n" + string(b) + "\r\n" }
	for what, respond := range map[string]func(conn *net.TCPConn){
		"in a chunk":    func(c *net.TCPConn) { fmt.Fprintf(c, "Transfer-Encoding: chunked\r\n\r\n%s", chunk(body)[:1000]) },
		"after a chunk": func(c *net.TCPConn) { fmt.Fprintf(c, "Transfer-Encoding: chunked\r\n\r\n%s", chunk(half)) },
		"with a last chunk": func(c *net.TCPConn) {
			fmt.Fprintf(c, "Transfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n", chunk(half))
		},
		"with a length":         func(c *net.TCPConn) { fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(half), half) },
		"with a longer length":  func(c *net.TCPConn) { fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(body), half) },
		"with a shorter length": func(c *net.TCPConn) { fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(body)-1, body) },
		"by a reset": func(c *net.TCPConn) {
			fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(body), half)
			_ = c.SetLinger(0)
		},
		"by an error in its place": func(c *net.TCPConn) {
			fmt.Fprintf(c, "Transfer-Encoding: chunked\r\n\r\n%s%s0\r\n\r\n", chunk(half), chunk([]byte(`{"error":"internal"}`)))
		},
		"by more behind it": func(c *net.TCPConn) {
			fmt.Fprintf(c, "Transfer-Encoding: chunked\r\n\r\n%s%s0\r\n\r\n", chunk(body), chunk([]byte("\n")))
		},
		"by a flipped bit": func(c *net.TCPConn) {
			damaged := bytes.Clone(body)
			damaged[bytes.LastIndex(damaged, []byte("texttext"))] ^= 1
			fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(body), damaged)
		},
	} {
		c, p := newTest(t, rawServer(t, func(conn *net.TCPConn) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nX-Request-Id: abc\r\n%s", resultHead)
			respond(conn)
		}))
		_, err := scanAll(t.Context(), c)
		if e := codeOf(t, err); e.Code != api.CodeStreamCut || e.RequestID != "abc" || e.Hint == "" || len(p.take()) > 0 {
			t.Errorf("%s: %#v", what, e)
		}
	}
}

func TestSilenceIsNoticed(t *testing.T) {
	const limit = 50 * time.Millisecond
	body := resultBody(t, 500)
	quiet := make(chan struct{})
	defer close(quiet)
	const ok = "HTTP/1.1 200 OK\r\n"
	for what, x := range map[string]struct {
		say string
		op  string
	}{
		"a scan, at once":           {"", "POST /api/v2/scan"},
		"a scan, in the headers":    {ok, "POST /api/v2/scan"},
		"a scan, after the headers": {ok + resultHead + "\r\n", "POST /api/v2/scan"},
		"a scan, in the result":     {ok + resultHead + "\r\n" + string(body[:len(body)/2]), "POST /api/v2/scan"},
		"a scan, before its end":    {ok + resultHead + "\r\n" + string(body[:len(body)-1]), "POST /api/v2/scan"},
		"a scan, after a sign":      {"HTTP/1.1 102 Processing\r\n\r\n", "POST /api/v2/scan"},
		"an estimate, at once":      {"", "POST /api/v2/scan/estimate"},
		"a catalog, in the headers": {ok, "GET /api/v2/catalog"},
		"a catalog, in its JSON":    {ok + "Content-Type: application/json\r\n\r\n{", "GET /api/v2/catalog"},
	} {
		url := rawServer(t, func(conn *net.TCPConn) {
			fmt.Fprint(conn, x.say)
			<-quiet
		})
		c, p := newTest(t, url, func(o *Options) { o.StallTimeout = limit })
		start := time.Now()
		e := codeOf(t, operations(c)[x.op](t.Context()))
		if e.Code != api.CodeStalled || e.Hint == "" {
			t.Errorf("%s: %#v", what, e)
		}
		if took := time.Since(start); took < limit || len(p.take()) > 0 {
			t.Errorf("%s: took %v, or was retried", what, took)
		}
	}
}

func TestAnErrorThatNeverEndsIsStillThatError(t *testing.T) {
	quiet := make(chan struct{})
	defer close(quiet)
	url := rawServer(t, func(conn *net.TCPConn) {
		fmt.Fprint(conn, "HTTP/1.1 403 No\r\nContent-Type: text/html\r\n\r\n<html>")
		<-quiet
	})
	c, _ := newTest(t, url, func(o *Options) { o.StallTimeout = 50 * time.Millisecond })
	if _, err := c.Tables(t.Context()); !api.CodeForbidden.Is(err) {
		t.Errorf("%v", err)
	}
}

func TestSignsOfLifeAreEnough(t *testing.T) {
	const limit, signsAt = time.Second, 100
	body := resultBody(t, 500)
	signs := 0
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		for range signsAt { // twice as long as silence may last
			<-time.After(2 * limit / signsAt)
			w.WriteHeader(http.StatusProcessing)
			signs++
		}
		resultHeader(w.Header())
		for i := range signsAt {
			part := body[i*len(body)/signsAt : (i+1)*len(body)/signsAt]
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
			<-time.After(2 * limit / signsAt)
		}
	})
	c, _ := newTest(t, s.URL, func(o *Options) { o.StallTimeout = limit })
	if rows, err := scanAll(t.Context(), c); err != nil || rows != 1500 || signs != signsAt {
		t.Errorf("%d rows, %v, %d signs", rows, err, signs)
	}
}

// TestAConnectionWithSignsIsNotUsedAgain: proxies that take an interim response
// for an answer are out of step afterwards.
func TestAConnectionWithSignsIsNotUsedAgain(t *testing.T) {
	signs := false
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if signs {
			w.WriteHeader(http.StatusProcessing)
		}
		sendJSON(w, 200, anyAnswer(r))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	for _, x := range []struct {
		signs bool
		want  int32
	}{{false, 1}, {true, 4}} {
		connections.Store(0)
		signs = x.signs
		c, _ := newTest(t, s.URL)
		for range 4 {
			if _, err := c.Tables(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := connections.Load(); n != x.want {
			t.Errorf("with signs %t: %d connections for 4 requests", x.signs, n)
		}
	}
}

func TestClosingABodyEndsItsWatch(t *testing.T) {
	w := newWatch(t.Context(), time.Hour)
	w.arm()
	b := &watchedBody{body: http.NoBody, watch: w, parent: t.Context()}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if w.ctx.Err() == nil || w.timer.Stop() {
		t.Error("the request's context or timer lives on")
	}
	if w.arm(); w.timer.Stop() {
		t.Error("the timer was started again")
	}
}

func TestASlowReaderIsNoStall(t *testing.T) {
	body := resultBody(t, 100_000) // more than fits into the buffers in between
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		resultHeader(w.Header())
		_, _ = w.Write(body)
	})
	const limit = 100 * time.Millisecond
	c, _ := newTest(t, s.URL, func(o *Options) { o.StallTimeout = limit })
	out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	n := 0
	for out.Batches.Next() {
		<-time.After(2 * limit)
		n++
	}
	if n != 3 || out.Batches.Err() != nil {
		t.Errorf("%d batches, %v", n, out.Batches.Err())
	}
}

func TestInterruptions(t *testing.T) {
	body := resultBody(t, 500)
	for _, when := range []string{"before the headers", "in the result", "in a pause"} {
		for _, how := range []struct {
			code  api.Code
			cause error
		}{{api.CodeInterrupted, context.Canceled}, {api.CodeTimeout, context.DeadlineExceeded}} {
			reached, left := make(chan struct{}), make(chan struct{})
			s := listen(t, func(w http.ResponseWriter, r *http.Request) {
				_ = readAll(r.Body) // so that the server notices who leaves
				switch when {
				case "in a pause":
					w.WriteHeader(503)
					return
				case "in the result":
					resultHeader(w.Header())
					_, _ = w.Write(body[:len(body)/2])
					w.(http.Flusher).Flush()
				}
				close(reached)
				<-r.Context().Done()
				close(left)
			})
			ctx, stop := context.WithCancel(t.Context())
			if how.cause == context.DeadlineExceeded {
				ctx, stop = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			c, _ := newTest(t, s.URL, func(o *Options) {
				o.Wait = func(ctx context.Context, _ time.Duration) error {
					close(reached)
					<-ctx.Done()
					return ctx.Err()
				}
			})
			if how.cause == context.Canceled {
				go func() {
					<-reached
					stop()
				}()
			}
			var err error
			if when == "in a pause" {
				_, err = c.Tables(ctx)
			} else {
				_, err = scanAll(ctx, c)
			}
			if e := codeOf(t, err); e.Code != how.code || !errors.Is(err, how.cause) {
				t.Errorf("%s: %#v", when, e)
			}
			if when != "in a pause" {
				soon(t, left, when+": the server notices")
			}
			stop()
		}
	}
}

func TestClosingAStreamEndsTheWork(t *testing.T) {
	body := resultBody(t, 500)
	left := make(chan struct{})
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		_ = readAll(r.Body)
		resultHeader(w.Header())
		_, _ = w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	c, _ := newTest(t, s.URL)
	out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if !out.Batches.Next() {
		t.Fatal(out.Batches.Err())
	}
	out.Close()
	out.Close()
	soon(t, left, "the server notices")
	if out.Batches.Next() || out.Batches.Err() == nil {
		t.Error("a closed stream looks whole")
	}
}

// TestNothingIsLeftBehind goes through success and failure and looks for
// goroutines of connections and timers afterwards.
func TestNothingIsLeftBehind(t *testing.T) {
	body := resultBody(t, 500)
	answer := func(conn *net.TCPConn) {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%sConnection: close\r\n\r\n%s", resultHead, body)
	}
	whole := rawServer(t, answer)
	half := rawServer(t, func(conn *net.TCPConn) {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\n%s", resultHead, body[:len(body)/2])
	})
	kept := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		resultHeader(w.Header())
		_, _ = w.Write(body)
	})
	for _, url := range []string{whole, half, kept.URL, gone(t)} {
		c, _ := newTest(t, url)
		for _, ask := range operations(c) {
			_ = ask(t.Context())
		}
		if out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"}); err == nil {
			out.Batches.Next()
			out.Close()
		}
		c.Close()
	}
	kept.Close()
	deadline := time.After(time.Minute)
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for _, g := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(g, "net/http.(*persistConn)") || strings.Contains(g, "client.(*watch") {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatalf("still there:\n%s", strings.Join(left, "\n\n"))
		}
	}
}

// TestServersOfBothAgesAreUnderstood: an older one sends a plain body whatever
// it is asked for.
func TestServersOfBothAgesAreUnderstood(t *testing.T) {
	for _, codec := range []wire.Codec{wire.Plain, wire.Zstd} {
		srv := listen(t, func(w http.ResponseWriter, r *http.Request) {
			want := wire.Zstd
			if host, _, _ := net.SplitHostPort(r.Host); isLoopback(host) {
				want = wire.Plain
			}
			if got := wire.AcceptedCodec(r.Header.Values("Accept")); got != want {
				t.Errorf("%s: it asks for %q", r.Host, got)
			}
			resultHeader(w.Header())
			w.Header().Set("Content-Type", wire.TypeOf(codec))
			_, _ = w.Write(resultBodyAs(t, 1000, codec))
		})
		proxied, err := url.Parse(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, base := range []string{srv.URL, "http://data.example.com"} {
			c, _ := newTest(t, base, func(o *Options) {
				o.AllowInsecureHTTP = true
				if base != srv.URL {
					o.Proxy = func(*http.Request) (*url.URL, error) { return proxied, nil }
				}
			})
			if rows, err := scanAll(t.Context(), c); rows != 3000 || err != nil {
				t.Errorf("%s, %q: %d rows, %v", base, codec, rows, err)
			}
		}
	}
}

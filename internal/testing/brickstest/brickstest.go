// Package brickstest is a SQL warehouse of Databricks as its documentation has it, before a
// Sail that computes: statements are asked about until they have ended, and their rows lie
// in chunks at another host, whose links need a header and expire.
//
// It is for tests only.
package brickstest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/internal/testing/sparktest"
)

// Token is what the workspace asks for, and ID the one warehouse of it.
const (
	Token = "a token of the test"
	ID    = "w1"
)

// Warehouse answers until the test has ended.
type Warehouse struct {
	URL string

	t      testing.TB
	engine *sparktest.Server
	store  *httptest.Server
	api    *httptest.Server

	mu    sync.Mutex
	fault string
	runs  map[string]*run
	tried map[string]bool // links that were followed
	ended []string        // states of statements that were ended
}

type run struct {
	cancel  context.CancelFunc
	done    chan struct{}
	state   string
	message string
	columns []object
	total   int64
	chunks  [][]byte
	rows    []int64
}

type object = map[string]any

// New starts a warehouse.
func New(t testing.TB, engine *sparktest.Server) *Warehouse {
	t.Helper()
	w := &Warehouse{t: t, engine: engine, runs: map[string]*run{}, tried: map[string]bool{}}
	if err := engine.Set(t.Context(), "spark.sql.ansi.enabled", "true"); err != nil { // as Databricks has it
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	const statements = "/api/2.0/sql/statements"
	mux.HandleFunc("GET /api/2.0/sql/warehouses/{id}", w.asked(w.describe))
	mux.HandleFunc("POST "+statements, w.asked(w.start))
	mux.HandleFunc("GET "+statements+"/{id}", w.asked(w.look))
	mux.HandleFunc("GET "+statements+"/{id}/result/chunks/{n}", w.asked(w.chunk))
	mux.HandleFunc("POST "+statements+"/{id}/cancel", w.asked(w.end))
	w.api = httptest.NewServer(mux)
	w.store = httptest.NewServer(http.HandlerFunc(w.give))
	w.URL = w.api.URL
	t.Cleanup(func() {
		w.api.Close()
		w.store.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.runs {
			r.cancel()
		}
	})
	return w
}

// Kill has workspace and store answer no more.
func (w *Warehouse) Kill() {
	for _, s := range []*httptest.Server{w.store, w.api} {
		_ = s.Listener.Close()
		s.CloseClientConnections()
	}
}

// Break has a fault from now on: closed and truncated answers, a chunk that is cut, broken
// or has more behind it, a token that is good no more, links that are expired or lead elsewhere, rows that are short of what
// is announced, or another zone.
func (w *Warehouse) Break(fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = fault
}

// Ended are the states in which statements were when they were ended.
func (w *Warehouse) Ended() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// asked answers who has the token; nil: there is no such thing.
func (w *Warehouse) asked(answer func(*http.Request) object) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		var code = http.StatusOK
		var said object
		w.mu.Lock()
		refuses := w.fault == "token"
		w.mu.Unlock()
		if got := r.Header.Get("Authorization"); got != "Bearer "+Token || refuses {
			code, said = http.StatusUnauthorized, object{"error_code": 401, "message": "Credential was not sent: " + got}
		} else if said = answer(r); said == nil {
			code, said = http.StatusNotFound, object{"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "there is no " + r.URL.Path}
		}
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(code)
		_ = json.NewEncoder(to).Encode(said)
	}
}

func (w *Warehouse) describe(r *http.Request) object {
	if r.PathValue("id") != ID {
		return nil
	}
	return object{"id": ID, "state": "STOPPED"}
}

func (w *Warehouse) start(r *http.Request) object {
	var asked struct {
		Statement, Format, Disposition string
		Warehouse                      string `json:"warehouse_id"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Format != "ARROW_STREAM" || asked.Disposition != "EXTERNAL_LINKS" || asked.Warehouse != ID {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	of := &run{cancel: cancel, done: make(chan struct{}), state: "RUNNING"}
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprintf("s%d", len(w.runs)+1)
	w.runs[id] = of
	if w.fault == "zone" {
		asked.Statement = strings.Replace(asked.Statement, "current_timezone()", "'Asia/Tokyo'", 1)
	}
	go w.compute(ctx, of, asked.Statement)
	return object{"statement_id": id, "status": object{"state": "PENDING"}}
}

func (w *Warehouse) compute(ctx context.Context, r *run, sql string) {
	defer close(r.done)
	err := w.engine.Rows(ctx, sql, func(stream []byte) {
		of, err := ipc.NewReader(bytes.NewReader(stream))
		if err != nil {
			w.t.Error(err)
			return
		}
		defer of.Release()
		rows := int64(0)
		for of.Next() {
			rows += of.RecordBatch().NumRows()
		}
		if r.columns == nil {
			for _, f := range of.Schema().Fields() {
				r.columns = append(r.columns, object{"name": f.Name, "type_text": f.Type.String()})
			}
		}
		if rows > 0 {
			r.chunks, r.rows, r.total = append(r.chunks, bytes.Clone(stream)), append(r.rows, rows), r.total+rows
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case r.state != "RUNNING":
	case err != nil:
		s, _ := status.FromError(err)
		r.state, r.message = "FAILED", s.Message()
	default:
		r.state = "SUCCEEDED"
	}
}

func (w *Warehouse) look(r *http.Request) object {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := r.PathValue("id")
	of := w.runs[id]
	if of == nil {
		return nil
	}
	state := object{"state": of.state}
	out := object{"statement_id": id, "status": state}
	switch of.state {
	case "FAILED":
		state["error"] = object{"error_code": "BAD_REQUEST", "message": of.message}
	case "SUCCEEDED":
		if w.fault == "closed" && len(of.chunks) > 1 {
			state["state"] = "CLOSED"
		}
		total := of.total
		if w.fault == "short" && len(of.chunks) > 1 {
			total++
		}
		out["manifest"] = object{"format": "ARROW_STREAM", "schema": object{"columns": of.columns}, "total_row_count": total,
			"total_chunk_count": len(of.chunks), "truncated": w.fault == "truncated" && len(of.chunks) > 1}
		if len(of.chunks) > 0 {
			out["result"] = object{"external_links": w.links(id, 0, "first")}
		}
	}
	return out
}

func (w *Warehouse) chunk(r *http.Request) object {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	_, _ = fmt.Sscan(r.PathValue("n"), &n)
	if of := w.runs[r.PathValue("id")]; of == nil || n >= len(of.chunks) {
		return nil
	}
	return object{"external_links": w.links(r.PathValue("id"), n, "again")}
}

func (w *Warehouse) links(id string, n int, when string) []object {
	return []object{{"external_link": fmt.Sprintf("%s/%s/%d?signed=%s", w.store.URL, id, n, when), "chunk_index": n, "row_count": w.runs[id].rows[n],
		"http_headers": object{"X-Store": "yes"}}}
}

func (w *Warehouse) end(r *http.Request) object {
	w.mu.Lock()
	of := w.runs[r.PathValue("id")]
	if of != nil {
		w.ended = append(w.ended, of.state)
		of.state = "CANCELED"
		of.cancel()
	}
	w.mu.Unlock()
	return object{}
}

// give is the store, another host. The link to a first chunk has expired; one that is asked
// for again is good.
func (w *Warehouse) give(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, n := "", 0
	_, _ = fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%s %d", &id, &n)
	again := r.URL.Query().Get("signed") == "again"
	of := w.runs[id]
	switch {
	case r.Header.Get("Authorization") != "" || r.Header.Get("X-Store") != "yes":
		w.t.Errorf("the store is sent other headers than its link has: %v", r.Header)
		to.WriteHeader(http.StatusBadRequest)
	case w.fault == "elsewhere" && n == 1:
		http.Redirect(to, r, "http://127.0.0.1:1/", http.StatusFound)
	case !again && !w.tried[r.URL.Path] && len(of.chunks) > 1, w.fault == "expired" && n == 1:
		w.tried[r.URL.Path] = true
		to.WriteHeader(http.StatusForbidden)
	case w.fault == "cut" && n == 1: // at the end mark
		_, _ = to.Write(of.chunks[n][:len(of.chunks[n])-8])
	case w.fault == "more" && n == 1:
		_, _ = to.Write(append(bytes.Clone(of.chunks[n]), "<Error>"...))
	case w.fault == "broken" && n == 1: // the line breaks
		to.Header().Set("Content-Length", fmt.Sprint(len(of.chunks[n])))
		_, _ = to.Write(of.chunks[n][:len(of.chunks[n])/2])
	default:
		_, _ = to.Write(of.chunks[n])
	}
}

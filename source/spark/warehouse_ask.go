package spark

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wholestream"
)

// answer is what a warehouse says of a statement.
type answer struct {
	ID     string `json:"statement_id"`
	Status struct {
		State string
		Error struct{ Message string }
	}
	Manifest struct {
		Schema struct {
			Columns []struct {
				Type string `json:"type_text"`
			}
		}
		Rows      int64 `json:"total_row_count"`
		Chunks    int   `json:"total_chunk_count"`
		Truncated bool
	}
	Result links
}

// links are where parts of the rows lie.
type links struct {
	External []link `json:"external_links"`
}

type link struct {
	URL     string            `json:"external_link"`
	Chunk   int               `json:"chunk_index"`
	Headers map[string]string `json:"http_headers"`
}

const statementsPath = "/api/2.0/sql/statements"

// firstPause and longestPause limit the time between two questions about a running
// statement.
const firstPause, longestPause = 10 * time.Millisecond, 2 * time.Second

// ask runs a statement until its rows are there.
func (w *Warehouse) ask(ctx context.Context, sql string) (*answer, error) {
	// A caller who leaves does not end this request: without the statement's number in its
	// answer, nobody could stop the statement.
	begin, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
	defer cancel()
	a, err := call[answer](begin, w, http.MethodPost, statementsPath, map[string]any{"warehouse_id": w.o.ID, "catalog": w.o.Catalog,
		"schema": w.o.Schema, "statement": sql, "disposition": "EXTERNAL_LINKS", "format": "ARROW_STREAM", "wait_timeout": "0s"})
	if err != nil {
		return nil, err
	}
	id := a.ID
	for pause := firstPause; err == nil && (a.Status.State == "PENDING" || a.Status.State == "RUNNING"); pause = min(2*pause, longestPause) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			a, err = call[answer](ctx, w, http.MethodGet, statementsPath+"/"+url.PathEscape(id), nil)
		case <-ctx.Done():
			timer.Stop()
			err = ctx.Err()
		}
	}
	switch {
	case err != nil:
		w.stop(ctx, id)
	case a.Status.State == "FAILED":
		err = status.Error(codes.Internal, a.Status.Error.Message)
	case a.Status.State != "SUCCEEDED":
		err = status.Error(codes.Canceled, "the statement is "+a.Status.State)
	case a.Manifest.Truncated:
		err = unexpected("the rows of the statement are cut")
	}
	return a, err
}

// startTime limits how long a warehouse may take to take a statement.
const startTime = 30 * time.Second

// stop ends a statement, and has its rows forgotten.
func (w *Warehouse) stop(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	_, _ = call[struct{}](ctx, w, http.MethodPost, statementsPath+"/"+url.PathEscape(id)+"/cancel", struct{}{}) // else it ends by itself
}

// chunk opens a part of the rows. Links expire after some minutes, also those in the
// statement's own answer: for an expired link it asks for a new one, once.
func (w *Warehouse) chunk(ctx context.Context, a *answer, n int) (*ipc.Reader, error) {
	at := &a.Result
	for fresh := false; ; fresh = true {
		if n > 0 || fresh {
			var err error
			path := fmt.Sprintf("%s/%s/result/chunks/%d", statementsPath, url.PathEscape(a.ID), n)
			if at, err = call[links](ctx, w, http.MethodGet, path, nil); err != nil {
				return nil, err
			}
		}
		i := slices.IndexFunc(at.External, func(l link) bool { return l.Chunk == n })
		if i < 0 {
			return nil, unexpected(fmt.Sprintf("it does not say where the chunk %d of the rows is", n))
		}
		body, err := w.follow(ctx, at.External[i]) // it is read to its end, or the context ends it
		if err == nil {
			return wholestream.New(body, wholestream.Nothing)
		}
		if fresh || !errors.Is(err, errExpired) {
			return nil, err
		}
	}
}

// errExpired is what a store says of a link that has ended.
var errExpired = errors.New("the link has expired")

// follow opens what a link leads to. Its host gets the headers that came with it, and never
// the token.
func (w *Warehouse) follow(ctx context.Context, l link) (io.Reader, error) {
	if strings.HasPrefix(w.base, "https:") && !strings.HasPrefix(l.URL, "https:") {
		return nil, unexpected("rows lie at an address without TLS")
	}
	resp, err := w.send(ctx, http.MethodGet, l.URL, nil, l.Headers)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusOK:
		return resp.Body, nil
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 == 4 {
		return nil, errExpired
	}
	return nil, status.Error(codes.Unavailable, fmt.Sprintf("the store of the rows answers with HTTP status %d", resp.StatusCode))
}

// send makes a request. Its error has no address, which may be secret.
func (w *Warehouse) send(ctx context.Context, method, address string, body []byte, header map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, unexpected("an address of it is not valid")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := w.http.Do(req)
	var at *url.Error
	if errors.As(err, &at) {
		return nil, status.Error(codes.Unavailable, at.Err.Error())
	}
	return resp, err
}

// maxAnswer limits what a warehouse says of a statement; rows are elsewhere.
const maxAnswer = 64 << 20

// statusOf maps HTTP statuses to the gRPC codes by which failures are classified.
var statusOf = map[int]codes.Code{http.StatusUnauthorized: codes.Unauthenticated, http.StatusForbidden: codes.PermissionDenied,
	http.StatusNotFound: codes.NotFound, http.StatusBadRequest: codes.InvalidArgument, http.StatusTooManyRequests: codes.ResourceExhausted}

// call makes one request of the workspace, and reads its answer.
func call[T any](ctx context.Context, w *Warehouse, method, path string, body any) (*T, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	resp, err := w.send(ctx, method, w.base+path, text, map[string]string{"Authorization": "Bearer " + w.o.Token,
		"Content-Type": "application/json"})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out := new(T)
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, status.Error(codes.Unavailable, err.Error())
	case resp.StatusCode != http.StatusOK:
		return nil, status.Error(cmp.Or(statusOf[resp.StatusCode], codes.Unavailable), fmt.Sprintf("HTTP status %d: %s", resp.StatusCode,
			api.Clip(strings.ToValidUTF8(string(said), "?"), 300)))
	case json.Unmarshal(said, out) != nil:
		return nil, unexpected("it cannot be read as JSON")
	}
	return out, nil
}

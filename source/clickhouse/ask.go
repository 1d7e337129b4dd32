package clickhouse

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/telemetry"
)

// answer is what a statement gives. Its Body is read to its end, or the answer stopped.
type answer struct {
	Body io.Reader
	// last is the end of what was read: an error after rows is text there.
	last   *last
	body   io.Closer
	ended  bool
	cancel context.CancelFunc
	unwind func() bool // unregisters the function that kills the statement when ctx is done; false if that has already run
}

// ask runs a statement that only reads. When ctx is done, it is also stopped in the
// engine, which goes on when a connection is merely closed.
func (c *ClickHouse) ask(ctx context.Context, statement, format string) (*answer, error) {
	mode, err := c.mode(ctx)
	if err != nil {
		return nil, err
	}
	set := url.Values{"default_format": {format}, "database": {c.database}, "query_id": {"da-" + rand.Text()}}
	for name, value := range c.fixed {
		set.Set(name, value)
	}
	maps.Copy(set, c.settings)
	if end, ok := ctx.Deadline(); ok && !set.Has("max_execution_time") {
		set.Set("max_execution_time", strconv.Itoa(int(max(time.Until(end), 0).Seconds())+1))
	}
	query := set.Encode()
	if mode == "0" {
		query += "&readonly=1" // behind the others, which it forbids
	}
	ctx, cancel := context.WithCancel(ctx)
	a := &answer{cancel: cancel, last: &last{}, unwind: context.AfterFunc(ctx, func() { c.kill(set.Get("query_id")) })}
	resp, err := c.post(ctx, c.http, query, statement) //nolint:bodyclose // stop closes it
	if err != nil {
		var refused *Exception
		if errors.As(err, &refused) { // nothing runs any more
			a.unwind()
		}
		cancel()
		return nil, err
	}
	a.body, a.Body = resp.Body, io.TeeReader(resp.Body, a.last)
	return a, nil
}

// end marks the answer as complete, so that ctx no longer stops the statement.
func (a *answer) end() {
	a.ended = true
	a.unwind()
}

// stop gives up an answer, also one that was read to its end.
func (a *answer) stop() {
	a.cancel()
	_ = a.body.Close() // of a connection that is given up
}

// post sends a statement. An answer with another status than 200 is an error.
func (c *ClickHouse) post(ctx context.Context, by *http.Client, query, statement string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"?"+query, strings.NewReader(statement))
	if err != nil {
		return nil, err
	}
	telemetry.Pass(ctx, req.Header)
	if c.user != "" {
		req.Header.Set("X-ClickHouse-User", c.user)
		req.Header.Set("X-ClickHouse-Key", c.password)
	}
	resp, err := by.Do(req)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err // without the address and the statement's settings
		}
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if said := exceptionIn(text); said != nil {
		return nil, said
	}
	return nil, errors.Join(&Exception{Status: resp.StatusCode, Text: api.Clip(string(bytes.ToValidUTF8(text, []byte("?"))), 300)}, err)
}

// rows runs a statement over the catalog, and decodes its rows, one JSON object each.
func rows[T any](ctx context.Context, c *ClickHouse, statement string) ([]T, error) {
	a, err := c.ask(ctx, statement, "JSONEachRow")
	if err != nil {
		return nil, err
	}
	defer a.stop()
	var list []T
	for dec := json.NewDecoder(a.Body); ; {
		var row T
		if err := dec.Decode(&row); errors.Is(err, io.EOF) {
			a.end()
			return list, nil
		} else if err != nil {
			return nil, a.because(err)
		}
		list = append(list, row)
	}
}

// because prefers what the engine says at the end of an answer to what is wrong with
// its form.
func (a *answer) because(err error) error {
	_, _ = io.CopyN(io.Discard, a.Body, 64<<10) // what more it says
	if said := exceptionIn(a.last.text); said != nil {
		return said
	}
	return err
}

// mode is the setting readonly of the user: 0 lets every statement of ours set it, 2
// lets it set all others, and 1 nothing.
func (c *ClickHouse) mode(ctx context.Context) (string, error) {
	if known := c.readonly.Load(); known != nil {
		return *known, nil
	}
	resp, err := c.post(ctx, c.http, "", "SELECT value FROM system.settings WHERE name = 'readonly'")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 100))
	if err != nil {
		return "", err
	}
	switch value := strings.TrimSpace(string(text)); value {
	case "0", "2":
		c.readonly.Store(&value)
		return value, nil
	case "1":
		return "", sourceError(api.KindPermissionDenied, "the database lets the server set no limits: its user has readonly = 1",
			"The operator must run ALTER USER … SETTINGS readonly = 2, which lets it read, and no more.", nil)
	}
	return "", sourceError(api.KindUnsupportedServer, "what answers at the address is not a ClickHouse that da can read", supported, nil)
}

const (
	// killTime limits how long stopping a statement may take.
	killTime = 10 * time.Second
	// killAgain is how long to wait for a statement that has not begun; then twice as
	// long, and so on.
	killAgain = 200 * time.Millisecond
)

// kill stops a statement in the engine. The order may arrive before the statement, so
// that it is given again where there is none yet.
func (c *ClickHouse) kill(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	order := fmt.Sprintf("KILL QUERY WHERE query_id = %s SYNC", literal(id))
	var err error
	for wait := killAgain; wait < killTime; wait *= 2 {
		var resp *http.Response
		if resp, err = c.post(ctx, c.killer, "", order); err != nil {
			break
		}
		var killed int64
		killed, err = io.Copy(io.Discard, resp.Body) // it ends when the statement has
		if err = errors.Join(err, resp.Body.Close()); err != nil || killed > 0 {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	if err != nil {
		c.log.Warn("a statement that nobody waits for may still run on the database", "query_id", id, "cause", err)
	}
}

// last keeps the end of what is written to it.
type last struct{ text []byte }

const lastBytes = 16 << 10

// Write implements io.Writer.
func (l *last) Write(p []byte) (int, error) {
	if len(p) >= lastBytes {
		l.text = append(l.text[:0], p[len(p)-lastBytes:]...)
		return len(p), nil
	}
	if drop := len(l.text) + len(p) - lastBytes; drop > 0 {
		l.text = append(l.text[:0], l.text[drop:]...)
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

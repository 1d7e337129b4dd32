package trino

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/telemetry"
)

// conversation is a running statement, whose pages are got one after the other.
type conversation struct {
	t    *Trino
	ctx  context.Context //nolint:containedctx // of the statement
	next string          // path and query of the next page; empty at the end
	body bytes.Buffer    // of the last answer
	rows func(*scanner) error
}

// ask starts a statement, with properties beside those of all. encoding is that of rows in
// segments; empty: they come in pages. A cluster that is not ready yet is asked again.
func (t *Trino) ask(ctx context.Context, encoding, statement string, more ...string) (*conversation, page, error) {
	limit := ""
	if end, ok := ctx.Deadline(); ok && !t.unlimited.Load() && !strings.Contains(strings.Join(t.properties, ","), "query_max_run_time=") {
		limit = fmt.Sprintf("query_max_run_time=%ds", int(max(time.Until(end), 0).Seconds())+1)
	}
	for wait := firstWait; ; wait *= 2 {
		c := &conversation{t: t, ctx: ctx}
		p, err := c.start(encoding, statement, append(more[:len(more):len(more)], limit)...)
		var said *Exception
		if !errors.As(err, &said) {
			return c, p, err
		}
		switch {
		case limit != "" && said.Name == "PERMISSION_DENIED" && strings.Contains(said.Message, "session property"):
			limit = ""
			t.unlimited.Store(true)
			continue
		case !starting[said.Name] || wait > lastWait:
			return c, p, err
		}
		if err := pause(ctx, wait); err != nil {
			return c, p, err
		}
	}
}

// starting are the errors of a cluster that is not ready yet.
var starting = map[string]bool{"SERVER_STARTING_UP": true, "NO_NODES_AVAILABLE": true, "CATALOG_NOT_READY": true}

// How long to wait for a cluster that is not ready, first and in the end: half a minute
// together.
const firstWait, lastWait = 100 * time.Millisecond, 15 * time.Second

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start posts a statement and gets its pages up to the first that has columns, or the
// last.
func (c *conversation) start(encoding, statement string, more ...string) (page, error) {
	properties := slices.DeleteFunc(slices.Concat(c.t.properties, more), func(p string) bool { return p == "" })
	p, err := c.get(http.MethodPost, "/v1/statement", statement, http.Header{
		"X-Trino-Time-Zone": {"UTC"}, "X-Trino-Catalog": {c.t.catalog}, "X-Trino-Schema": {c.t.schema}, "X-Trino-Session": properties,
		"X-Trino-Client-Capabilities": {"PARAMETRIC_DATETIME"}, // without it, digits of times are lost
		"X-Trino-Query-Data-Encoding": {encoding},
	})
	for err == nil && p.columns == nil && c.next != "" {
		p, err = c.page()
	}
	return p, err
}

// page gets the next page. Its bytes are valid until the one after it.
func (c *conversation) page() (page, error) { return c.get(http.MethodGet, c.next, "", nil) }

// get makes one request. A server that is busy is asked again: a page can be got twice.
func (c *conversation) get(method, path, statement string, header http.Header) (page, error) {
	for wait := firstWait; ; wait *= 2 {
		resp, err := c.t.send(c.ctx, method, path, statement, header)
		if err != nil {
			return page{}, err
		}
		c.body.Reset()
		_, err = c.body.ReadFrom(io.LimitReader(resp.Body, maxPage+1))
		err = errors.Join(err, resp.Body.Close())
		switch {
		case err != nil:
			return page{}, err
		case c.body.Len() > maxPage:
			return page{}, fmt.Errorf("a page has more than %d bytes", maxPage)
		case resp.StatusCode == http.StatusOK:
			return c.read()
		case !busy(resp.StatusCode) || wait > lastWait:
			return page{}, &Exception{Status: resp.StatusCode, Message: api.Clip(strings.ToValidUTF8(c.body.String(), "?"), 300)}
		}
		if err := pause(c.ctx, wait); err != nil {
			return page{}, err
		}
	}
}

// maxPage limits a page; those of the engine have some megabytes.
const maxPage = 512 << 20

func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusGatewayTimeout
}

// read reads the envelope of a page.
func (c *conversation) read() (page, error) {
	p, err := readPage(c.body.Bytes(), c.rows)
	if err != nil {
		return page{}, err
	}
	c.next = ""
	if p.next != "" {
		u, err := url.Parse(p.next)
		if err != nil {
			return page{}, errors.New("the address of the next page is not valid")
		}
		c.next = u.RequestURI() // on the host that was configured, whatever one is named
	}
	if p.failed != nil {
		c.next = ""
		return page{}, p.failed
	}
	return p, nil
}

// send sends a request with the source's credentials.
func (t *Trino) send(ctx context.Context, method, path, statement string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.base.String()+path, strings.NewReader(statement))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		if v := strings.Join(values, ","); v != "" {
			req.Header.Set(name, v)
		}
	}
	telemetry.Pass(ctx, req.Header)
	req.Header.Set("X-Trino-User", t.user)
	req.Header.Set("X-Trino-Source", "da")
	switch {
	case t.token != "":
		req.Header.Set("Authorization", "Bearer "+t.token)
	case t.password != "":
		req.SetBasicAuth(t.user, t.password)
	}
	resp, err := t.http.Do(req)
	return resp, withoutAddress(err)
}

func withoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// killTime limits how long stopping a statement may take.
const killTime = 10 * time.Second

// stop ends the statement in the engine, if it still runs.
func (c *conversation) stop() {
	if c.next == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), killTime)
	defer cancel()
	if resp, err := c.t.send(ctx, http.MethodDelete, c.next, "", nil); err == nil {
		_ = resp.Body.Close() // an engine that is not reached ends it by itself
	}
	c.next = ""
}

// table runs a statement over the catalog, and returns its rows as texts; NULL is nil.
func (t *Trino) table(ctx context.Context, statement string) ([][]*string, error) {
	c, p, err := t.ask(ctx, "", statement)
	defer c.stop()
	var rows [][]*string
	for ; err == nil; p, err = c.page() {
		if rows, err = texts(rows, p); err != nil || c.next == "" {
			break
		}
	}
	return rows, err
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

func (c *call) syncManifest() error {
	if err := c.params(); err != nil {
		return err
	}
	c.mayPack()
	return answer(c, func(ctx context.Context) (*api.SyncManifest, error) { return c.data.Manifest(ctx) })
}

// syncTable serves a file like any web server: as a whole or in ranges, with its
// hash as ETag.
func (c *call) syncTable() error {
	id, err := c.tableID()
	if err != nil {
		return err
	}
	if err := c.params(); err != nil {
		return err
	}
	t, err := c.data.LocalTable(c.r.Context(), id)
	if err != nil {
		return err
	}
	if want := c.r.Header.Get("If-Match"); want != "" && want != etagOf(t) && want != "*" {
		return core.TableChanged(id)
	}
	if strings.Contains(c.r.Header.Get("Range"), ",") {
		// Several ranges would each be audited as a part of their own, so send
		// the whole file instead.
		c.r.Header.Del("Range")
	}
	body := &ranged{ctx: c.r.Context(), syncer: c.data, table: *t}
	defer body.Close()
	if c.r.Method == http.MethodHead {
		return c.syncHead(t, body)
	}
	// An error must come before the first byte of the answer.
	body.at, body.end = wantedRange(c.r.Header.Get("Range"), t.Bytes)
	if err := body.reopen(); err != nil {
		return err
	}
	return c.syncBody(t, body)
}

// syncHead answers a HEAD request, like a part of 0 bytes.
func (c *call) syncHead(t *api.SyncTable, body *ranged) error {
	none, err := c.data.TableData(c.r.Context(), *t, 0, 0)
	if err == nil {
		err = none.Close()
	}
	if err != nil {
		return err
	}
	return c.syncBody(t, body)
}

func (c *call) syncBody(t *api.SyncTable, body *ranged) error {
	h := c.w.Header()
	h.Set("Content-Type", "application/vnd.apache.parquet")
	h.Set("ETag", etagOf(t))
	h.Set("Content-Disposition", `attachment; filename="`+t.TableID+`.parquet"`)
	http.ServeContent(c.w, c.r, "", time.Time{}, body)
	if body.err != nil {
		return body.err
	}
	return body.Close()
}

func etagOf(t *api.SyncTable) string { return `"` + t.XXH3 + `"` }

// wantedRange returns the range in a header; the whole file if it has none or
// several.
func wantedRange(header string, size int64) (from, end int64) {
	var rest string
	n, _ := fmt.Sscanf(header, "bytes=%d-%d%s", &from, &end, &rest)
	if n != 2 || from < 0 || from > end || from >= size {
		return 0, size
	}
	return from, min(end+1, size)
}

// ranged is a file of a Syncer for http.ServeContent: it supports seeking and
// then reading on from there.
type ranged struct {
	ctx    context.Context //nolint:containedctx // of the request
	syncer api.Syncer
	table  api.SyncTable
	at     int64 // offset of the next Read
	end    int64 // expected end of the part
	open   io.ReadCloser
	next   int64 // current offset of open
	err    error // the error that ended reading
}

// reopen opens the part that starts at r.at.
func (r *ranged) reopen() error {
	if r.err = r.Close(); r.err != nil {
		return r.err
	}
	end := r.end
	if r.at >= end {
		end = r.table.Bytes
	}
	r.open, r.err = r.syncer.TableData(r.ctx, r.table, r.at, end-r.at)
	r.next = r.at
	return r.err
}

// Seek implements io.Seeker.
func (r *ranged) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.table.Bytes
	}
	r.at = offset
	return r.at, nil
}

// Read implements io.Reader.
func (r *ranged) Read(p []byte) (int, error) {
	if r.at >= r.table.Bytes {
		return 0, io.EOF
	}
	if r.open == nil || r.next != r.at {
		if err := r.reopen(); err != nil {
			return 0, err
		}
	}
	n, err := r.open.Read(p)
	r.at += int64(n)
	r.next = r.at
	if errors.Is(err, io.EOF) {
		// The part has ended; if more is needed after all, the next call opens
		// it.
		err = r.Close()
	}
	if err != nil {
		r.err = err
	}
	return n, err
}

// Close implements io.Closer.
func (r *ranged) Close() error {
	if r.open == nil {
		return nil
	}
	open := r.open
	r.open = nil
	return open.Close()
}

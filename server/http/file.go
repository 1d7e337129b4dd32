package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// file sends the rows of a scan as a parquet file. Before the first byte, an
// error is answered as usual; after it, the connection is cut.
func (c *call) file(req api.FileRequest) error {
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	ctx = core.TellingQueue(ctx, func(place int) { c.queued.Store(int64(place)) })
	var f *api.File
	defer func() {
		if f != nil {
			cancel()
			f.Close()
		}
	}()
	err := c.await(func() (err error) {
		f, err = c.data.ScanFile(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	c.announce(f.Stream, wire.FileType)
	c.w.Header().Set(wire.HeaderFrom, strconv.FormatInt(f.From, 10))
	if f.Tag != "" {
		c.w.Header().Set("ETag", `"`+f.Tag+`"`)
	}
	c.w.WriteHeader(http.StatusOK)
	if f.Gone != nil {
		go c.w.cutOnce(ctx, f.Gone)
	}
	end, err := wire.EncodeFile(ctx, c.w, c.w.flush, f, c.interimEvery)
	if err != nil {
		return err
	}
	c.ended(end)
	return nil
}

// wanted reads from the headers whether the file is to be kept, and where to
// start. If a proxy has removed the headers, it starts at the beginning.
func (c *call) wanted(scan api.ScanRequest, codec string) api.FileRequest {
	h := c.r.Header
	req := api.FileRequest{Scan: scan, Codec: codec, Keep: h.Get(wire.HeaderKeep) == "true", Tag: strings.Trim(h.Get("If-Match"), `"`)}
	var from int64
	if n, _ := fmt.Sscanf(h.Get("Range"), "bytes=%d-", &from); n == 1 && from >= 0 && req.Tag != "" {
		req.From = from
	}
	return req
}

// forgetFile drops a kept file.
func (c *call) forgetFile() error {
	if c.data.Filer == nil {
		return errNoRoute
	}
	return c.done(c.data.ForgetFile(c.r.Context(), c.r.PathValue("tag")))
}

package httpapi

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
)

// file sends the rows of a scan as a parquet file. Until it has begun nothing has
// been sent, so what goes wrong before that is an error like any other; after
// it, the connection is cut.
func (c *call) file(req api.FileRequest) error {
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
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
	c.w.WriteHeader(http.StatusOK)
	end, err := wire.EncodeFile(ctx, c.w, c.w.flush, f, c.interimEvery)
	if err != nil {
		return err
	}
	c.ended(end)
	return nil
}

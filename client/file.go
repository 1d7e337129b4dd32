package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
)

// ScanFile implements api.Filer. Servers of older releases send rows.
func (c *Client) ScanFile(ctx context.Context, req api.FileRequest) (*api.File, error) {
	if err := api.CheckName("table id", req.Scan.TableID); err != nil {
		return nil, err
	}
	f, err := c.file(ctx, req)
	if req.Scan.RefuseCut && errors.Is(err, &api.Error{Code: api.CodeBadRequest, Kind: api.KindUnknownField}) {
		req.Scan.RefuseCut = false // a server of an older release: it cuts the result and marks it
		return c.ScanFile(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	if err := wantColumns(f.Stream, req.Scan.Select); err != nil {
		f.Close()
		return nil, err
	}
	if f.Data == nil {
		f.Stream = atMost(f.Stream, req.Scan.Limit)
	}
	return f, nil
}

// file sends the request. A result that is no file is taken as rows.
func (c *Client) file(ctx context.Context, req api.FileRequest) (f *api.File, err error) {
	codec := req.Codec
	if codec == "" {
		codec = c.fileCodec()
	}
	r := request{method: http.MethodPost, path: []string{"api", "v2", "scan"}, body: req.Scan, long: true, accept: wire.AcceptFile(codec, c.accept())}
	err = c.send(ctx, r, func(a *answer) *failure {
		var failed *api.Error
		if f, failed = c.decodeFile(a); failed != nil {
			_ = a.body.Close() // the error is known already
			return &failure{err: failed}
		}
		return nil
	})
	return f, err
}

// fileCodec is how files are compressed unless the caller says: beyond this
// machine a smaller file is worth the time that it takes.
func (c *Client) fileCodec() string {
	if isLoopback(c.base.Hostname()) {
		return api.FileSnappy
	}
	return api.FileZstd
}

func (c *Client) decodeFile(a *answer) (*api.File, *api.Error) {
	if !isMediaType(a.header, wire.FileType) {
		s, failed := c.decode(a)
		return &api.File{Stream: s}, failed
	}
	s, failed := c.announced(a.header)
	if failed != nil {
		return nil, failed
	}
	frames, err := wire.DecodeFile(a.body)
	if err != nil {
		return nil, identify(err, s.RequestID)
	}
	s.Batches = api.NoRows(frames.Schema())
	s.End = frames.End
	s.CloseFunc = func() { _ = a.body.Close() } // there is nobody to tell
	return &api.File{Stream: s, Data: identifiedData{frames, s.RequestID}, Progress: frames.Progress}, nil
}

// identifiedData names the request in the errors of its file.
type identifiedData struct {
	io.Reader
	id string
}

// Read implements io.Reader.
func (r identifiedData) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, identify(err, r.id)
	}
	return n, err
}

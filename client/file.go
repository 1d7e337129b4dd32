package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// ScanFile implements api.Filer. A server can send batches instead of a file.
func (c *Client) ScanFile(ctx context.Context, req api.FileRequest) (*api.File, error) {
	if err := api.CheckTable(req.Scan.TableID); err != nil {
		return nil, err
	}
	f, err := c.file(ctx, req)
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

// file sends the request. If the answer is not a file, it is read as batches.
func (c *Client) file(ctx context.Context, req api.FileRequest) (f *api.File, err error) {
	err = c.send(ctx, c.fileRequest(req), func(a *answer) *failure {
		var failed *api.Error
		if f, failed = c.decodeFile(ctx, a, req); failed != nil {
			_ = a.body.Close() // another error is returned already
			return &failure{err: failed}
		}
		return nil
	})
	return f, err
}

// fileRequest builds the request for a file.
func (c *Client) fileRequest(req api.FileRequest) request {
	codec := req.Codec
	if codec == "" {
		codec = c.fileCodec()
	}
	r := request{method: http.MethodPost, path: []string{"api", "v2", "scan"}, body: req.Scan, long: true, onQueue: req.OnQueue,
		accept: wire.AcceptFile(codec, c.accept()), header: map[string]string{}}
	if req.Keep {
		r.header[wire.HeaderKeep] = "true"
	}
	if req.Tag != "" {
		r.header["If-Match"] = `"` + req.Tag + `"`
		r.header["Range"] = fmt.Sprintf("bytes=%d-", req.From)
	}
	return r
}

// fileCodec is the default compression. For a remote server, a smaller file is
// worth the extra time.
func (c *Client) fileCodec() string {
	if isLoopback(c.base.Hostname()) {
		return api.FileSnappy
	}
	return api.FileZstd
}

func (c *Client) decodeFile(ctx context.Context, a *answer, req api.FileRequest) (*api.File, *api.Error) {
	if !isMediaType(a.header, wire.FileType) {
		s, failed := c.decode(a)
		return &api.File{Stream: s}, failed
	}
	s, failed := c.announced(a.header)
	if failed != nil {
		return nil, failed
	}
	r := &resuming{client: c, ctx: ctx, req: req, tag: tagOf(a.header), body: a.body, id: s.RequestID}
	if req.Tag != "" {
		r.tag, r.at = req.Tag, req.From
		r.frames, failed = r.rest(a)
	} else if frames, err := wire.DecodeFile(a.body); err != nil {
		failed = identify(err, s.RequestID)
	} else {
		r.frames = frames
	}
	if failed != nil {
		return nil, failed
	}
	s.Batches = api.NoRows(r.frames.Schema())
	s.End = func() api.End { return r.frames.End() }
	s.CloseFunc = r.close
	return &api.File{Stream: s, Data: r, Tag: r.tag, From: req.From, Progress: func() (rows, bytes int64) { return r.frames.Progress() }}, nil
}

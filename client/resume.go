package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// Limits for resuming a file: the maximum number of consecutive tries without
// real progress, how many bytes count as progress, the first and the longest
// pause, and the time limit for telling the server to forget the file.
const (
	maxResumes    = 8
	leastProgress = 4 << 10
	resumePause   = 250 * time.Millisecond
	longestWait   = 15 * time.Second
	forgetWait    = 2 * time.Second
)

// resuming reads a file that the server keeps. When the connection is lost, it
// requests the rest, as long as it makes progress.
type resuming struct {
	client *Client
	ctx    context.Context //nolint:containedctx // of the request
	req    api.FileRequest
	tag    string
	body   io.Closer
	frames *wire.FileReader
	id     string // the request id
	at     int64
	came   int64 // bytes received on this connection
	failed int   // consecutive tries without real progress
	lost   bool  // the connection is lost for good; the server may still have the rest
}

// Read implements io.Reader. Errors are *api.Error.
func (r *resuming) Read(p []byte) (int, error) {
	for {
		n, err := r.frames.Read(p)
		r.at += int64(n)
		if n > 0 {
			if r.came += int64(n); r.came >= leastProgress {
				r.failed = 0
			}
			return n, nil // the next Read meets the error again
		}
		if err == nil || errors.Is(err, io.EOF) {
			return n, err
		}
		if err = r.again(identify(err, r.id)); err != nil {
			return 0, err
		}
	}
}

// again opens the rest of the file after an error, or returns why it cannot.
func (r *resuming) again(err *api.Error) error {
	for ; r.tag != "" && api.ConnectionLost(err) && r.failed < maxResumes; r.failed++ {
		if r.failed == 0 && r.req.OnCut != nil {
			r.req.OnCut(r.at)
		}
		if r.client.wait(r.ctx, min(resumePause<<r.failed, longestWait)) != nil {
			return interrupted(r.ctx)
		}
		failed := r.open()
		if failed == nil {
			r.failed++
			return nil
		}
		if failed.Kind == api.KindChanged {
			return err // the rest is gone; report the original cut
		}
		err = failed
	}
	r.lost = api.ConnectionLost(err)
	return err
}

// open requests the file from where it stopped.
func (r *resuming) open() *api.Error {
	req := r.req
	req.Tag, req.From = r.tag, r.at
	_ = r.body.Close() // it is no longer needed
	err := r.client.send(r.ctx, r.client.fileRequest(req), func(a *answer) *failure {
		frames, err := r.rest(a)
		if err != nil {
			_ = a.body.Close()
			return &failure{err: err}
		}
		r.frames, r.body, r.came = frames, a.body, 0
		return nil
	})
	if err == nil {
		return nil
	}
	return identify(err, r.id)
}

// rest skips the beginning of an answer up to the wanted byte. A proxy may have
// removed the range header, so that the answer starts at the first byte.
func (r *resuming) rest(a *answer) (*wire.FileReader, *api.Error) {
	from, err := strconv.ParseInt(a.header.Get(wire.HeaderFrom), 10, 64)
	if err != nil || from < 0 || from > r.at || tagOf(a.header) != r.tag || !isMediaType(a.header, wire.FileType) {
		return nil, &api.Error{Code: api.CodeStreamCut, Kind: api.KindChanged,
			Message: "the server sent another result than the one that was begun"}
	}
	frames, err := wire.DecodeFile(a.body)
	if err == nil && r.frames != nil && !frames.Schema().Equal(r.frames.Schema()) {
		err = &api.Error{Code: api.CodeStreamCut, Kind: api.KindChanged, Message: "the server sent another result than the one that was begun"}
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, frames, r.at-from)
	}
	if err != nil {
		return nil, identify(err, r.id)
	}
	return frames, nil
}

// close closes the file, and tells the server to forget it. If the connection was
// lost, the server keeps the file for a while, since the caller may return for
// the rest.
func (r *resuming) close() {
	_ = r.body.Close() // nothing to report it to
	if r.tag == "" || r.lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), forgetWait)
	defer cancel()
	// Ignore errors: the server forgets the file by itself after a while.
	_ = r.client.ForgetFile(ctx, r.tag)
}

// ForgetFile implements api.Filer.
func (c *Client) ForgetFile(ctx context.Context, tag string) error {
	return c.get(ctx, request{method: http.MethodDelete, path: []string{"api", "v2", "scan", "files", tag}}, nil)
}

// tagOf returns the tag of a kept file, or "".
func tagOf(h http.Header) string {
	tag, ok := strings.CutPrefix(h.Get("ETag"), `"`)
	if tag = strings.TrimSuffix(tag, `"`); !ok || !hashPattern().MatchString(tag) {
		return ""
	}
	return tag
}

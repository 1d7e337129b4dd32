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
	"github.com/agnes-data/da/internal/wire"
)

// How a file is gone on with: how often in a row with fewer bytes than are worth
// it, the first pause, the longest, and how long a server is waited for that is
// told of the end.
const (
	maxResumes    = 8
	leastProgress = 4 << 10
	resumePause   = 250 * time.Millisecond
	longestWait   = 15 * time.Second
	forgetWait    = 2 * time.Second
)

// resuming reads a file that the server keeps. Where the connection is lost, it
// asks for the rest, as often as it gets on.
type resuming struct {
	client *Client
	ctx    context.Context //nolint:containedctx // of the request
	req    api.FileRequest
	tag    string
	body   io.Closer
	frames *wire.FileReader
	id     string // of the request
	at     int64
	came   int64 // bytes of this connection
	failed int   // tries in a row that brought next to nothing
	lost   bool  // the connection was, for good: the server may still have the rest
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
			return err // the rest is gone: the cut is what counts
		}
		err = failed
	}
	r.lost = api.ConnectionLost(err)
	return err
}

// open asks for the file from where it stopped.
func (r *resuming) open() *api.Error {
	req := r.req
	req.Tag, req.From = r.tag, r.at
	_ = r.body.Close() // it is of no use any more
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

// rest reads the beginning of an answer, up to the byte that is wanted. A proxy
// that has taken off the range makes it begin at the first.
func (r *resuming) rest(a *answer) (*wire.FileReader, *api.Error) {
	from, err := strconv.ParseInt(a.header.Get(wire.HeaderFrom), 10, 64)
	if err != nil || from < 0 || from > r.at || tagOf(a.header) != r.tag || !isMediaType(a.header, wire.FileType) {
		return nil, &api.Error{Code: api.CodeStreamCut, Kind: api.KindChanged, Message: "the server sent another result than the one that was begun"}
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

// close lets go of the file, here and at the server. Where the connection was
// lost, the server keeps it for a while: whoever asked may come back for the rest.
func (r *resuming) close() {
	_ = r.body.Close() // there is nobody to tell
	if r.tag == "" || r.lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), forgetWait)
	defer cancel()
	// A server that does not hear of it forgets it by itself.
	_ = r.client.ForgetFile(ctx, r.tag)
}

// ForgetFile implements api.Filer.
func (c *Client) ForgetFile(ctx context.Context, tag string) error {
	return c.get(ctx, request{method: http.MethodDelete, path: []string{"api", "v2", "scan", "files", tag}}, nil)
}

// tagOf returns the tag of a kept file; empty if there is none.
func tagOf(h http.Header) string {
	tag, ok := strings.CutPrefix(h.Get("ETag"), `"`)
	if tag = strings.TrimSuffix(tag, `"`); !ok || !hashPattern().MatchString(tag) {
		return ""
	}
	return tag
}

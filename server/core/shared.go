package core

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/server/artifact"
	"github.com/agnes-data/da/server/blob"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/spool"
)

// Times of results that servers share.
const (
	// shareAfter is how old a result is before others can find it: most have been
	// fetched by then.
	shareAfter = 2 * time.Second
	// leaveAfter is how long a server that ends lets its clients finish by themselves.
	leaveAfter = time.Second
	// A server that writes a result gives a sign of life every signEvery. One that has not for
	// deadAfter is dead.
	signEvery = 3 * time.Second
	deadAfter = 12 * time.Second
	lookEvery = 250 * time.Millisecond
	// sharedFor is how long a result stays whose server has gone, by the clock of the state.
	sharedFor  = 2 * api.FileKeptFor
	sweepEvery = 5 * time.Minute
	// forgetTime bounds the removal of what nobody waits for.
	forgetTime = 10 * time.Second
)

// maxShared bounds the record of a result. The list of the table's files is most of it.
const maxShared = 64 << 20

// shared keeps results where every server of the state finds them, so that any of them
// goes on with what another began. A result is two blobs: TAG.json, the record, and
// TAG.parquet, once it is whole.
type shared struct {
	core    *Core
	blobs   blob.Store // nil: nothing is shared
	leaving chan struct{}
	mu      sync.Mutex // guards left, before which alone something may begin to run
	left    bool
	running sync.WaitGroup
	swept   time.Time
}

// sharedResult is what other servers know of a result.
type sharedResult struct {
	// Key and Owner are hashes of what identifies the request, and its user.
	Key   string `json:"key"`
	Owner string `json:"owner"`
	// Signs of life are counted while the file is being written.
	Signs         int       `json:"signs"`
	RequestID     string    `json:"request_id"`
	EffectiveAsOf time.Time `json:"effective_as_of"`
	Ordered       bool      `json:"ordered"`
	RowRule       bool      `json:"row_rule"`
	Schema        []byte    `json:"schema"` // as an Arrow stream without batches
	End           *api.End  `json:"end"`    // nil: not whole yet
}

// ShareIn lets results be kept for the other servers. In a folder that all of them see,
// which is empty if there is none, they also make each file of a synced table once. Call
// it before the first request.
func (c *Core) ShareIn(b blob.Store, dir string) {
	c.shared.blobs = b
	if dir != "" {
		c.files = artifact.At(filepath.Join(dir, syncDir), func() time.Time { return c.now() })
	}
}

// Leave hands what clients are reading over to the other servers, until ctx is done. Call
// it when no more requests come in.
func (c *Core) Leave(ctx context.Context) {
	c.shared.leave()
	done := make(chan struct{})
	go func() {
		c.shared.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (s *shared) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.left = true
		close(s.leaving)
	}
}

// boundTo hashes a text together with a tag, so that records tell nobody whether two of
// them are about the same.
func boundTo(tag, text string) string {
	sum := sha256.Sum256([]byte(tag + "\x00" + text))
	return hex.EncodeToString(sum[:])
}

// keep shares a file until it is gone, which is when the client has it.
func (s *shared) keep(f *spool.File, m *making, owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blobs == nil || s.left {
		return
	}
	var schema bytes.Buffer
	if err := ipc.NewWriter(&schema, ipc.WithSchema(m.schema)).Close(); err != nil {
		return // such a schema cannot be sent either
	}
	r := sharedResult{Key: boundTo(f.Tag, f.Key()), Owner: boundTo(f.Tag, owner), RequestID: m.stream.RequestID,
		EffectiveAsOf: m.stream.EffectiveAsOf, Ordered: m.stream.Ordered, RowRule: m.stream.RowRule, Schema: schema.Bytes()}
	s.running.Go(func() {
		if s.unneeded(m.gone) {
			return
		}
		err := s.publish(f, m, &r)
		if err != nil && !closed(m.gone) {
			s.core.log.Warn("a result is not kept for other servers", "cause", fault.Cause(err), "request_id", r.RequestID)
		}
		if err == nil && s.wait(m.gone) {
			f.Drop() // its client goes on at another server
			return
		}
		s.remove(context.Background(), f.Tag)
	})
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// unneeded waits for a moment, and reports whether the file has gone by then.
func (s *shared) unneeded(gone <-chan struct{}) bool {
	select {
	case <-gone:
		return true
	case <-time.After(shareAfter):
	case <-s.leaving:
		select {
		case <-gone:
			return true
		case <-time.After(leaveAfter):
		}
	}
	return false
}

// wait returns when the file has gone, or whether this server ends, which leaves the
// file to the others.
func (s *shared) wait(gone <-chan struct{}) (leaving bool) {
	select {
	case <-gone:
	case <-s.leaving:
		return true
	}
	return false
}

// errNotWhole is why a file cannot be shared: it failed, or there was no room for all of
// it.
var errNotWhole = errors.New("the file is not kept whole")

// publish puts the file once it is written, and says meanwhile that it will be there.
func (s *shared) publish(f *spool.File, m *making, r *sharedResult) error {
	ctx := context.Background()
	tick := time.NewTicker(signEvery)
	defer tick.Stop()
	for written := false; !written; r.Signs++ {
		if err := s.put(ctx, f.Tag, r); err != nil {
			return err
		}
		select {
		case <-m.written:
			written = true
		case <-m.gone:
			return errNotWhole
		case <-tick.C:
		}
	}
	data, size := f.Whole()
	if data == nil {
		return errNotWhole
	}
	if err := s.blobs.Put(ctx, f.Tag+".parquet", data, size); err != nil {
		return err
	}
	r.End = &m.end
	return s.put(ctx, f.Tag, r)
}

func (s *shared) put(ctx context.Context, tag string, r *sharedResult) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.blobs.Put(ctx, tag+".json", bytes.NewReader(text), int64(len(text)))
}

func (s *shared) remove(ctx context.Context, tag string) {
	ctx, end := context.WithTimeout(ctx, forgetTime)
	defer end()
	for _, ext := range []string{".json", ".parquet"} {
		_ = s.blobs.Remove(ctx, tag+ext) // the sweep tries again
	}
}

// forget removes a user's result that another server has shared.
func (s *shared) forget(ctx context.Context, tag, owner string) {
	if r, err := s.read(ctx, tag); err == nil && r.Owner == boundTo(tag, owner) {
		s.remove(ctx, tag)
	}
}

// read returns the record of a tag, which comes from a client. The error is
// fs.ErrNotExist if there is none.
func (s *shared) read(ctx context.Context, tag string) (*sharedResult, error) {
	if s.blobs == nil || !store.IsHex(tag, 32) {
		return nil, fs.ErrNotExist
	}
	in, err := s.blobs.Open(ctx, tag+".json", 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var r sharedResult
	if json.NewDecoder(io.LimitReader(in, maxShared)).Decode(&r) != nil || r.End != nil && r.End.FileBytes < 0 {
		return nil, fs.ErrNotExist // no server writes such a one
	}
	return &r, nil
}

// find returns the rest of a result that another server has begun; nil if there is none.
// It waits for one that is still being written.
func (s *shared) find(ctx context.Context, req api.FileRequest, key string) (*api.File, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	signs, since, patience := -1, time.Now(), shareAfter+leaveAfter
	for {
		r, err := s.read(ctx, req.Tag)
		switch {
		case s.blobs == nil:
			return nil, nil
		case errors.Is(err, fs.ErrNotExist): // its server may be about to share it
		case err != nil:
			s.core.log.Warn("results of other servers cannot be read", "cause", fault.Cause(err))
			return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindBusy, Message: "the rest of this result cannot be read now",
				Hint: "Try again later.", Err: err}
		case r.Key != boundTo(req.Tag, key):
			return nil, nil
		case r.End != nil:
			return s.open(ctx, req, r)
		case r.Signs != signs:
			signs, since, patience = r.Signs, time.Now(), deadAfter
		}
		if time.Since(since) > patience {
			return nil, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// open returns the rest of a whole result. Its rows were charged when they were written.
func (s *shared) open(ctx context.Context, req api.FileRequest, r *sharedResult) (*api.File, error) {
	schema, err := ipc.NewReader(bytes.NewReader(r.Schema))
	if err != nil {
		return nil, internalError("read the schema of a shared result", err)
	}
	defer schema.Release()
	data := io.NopCloser(io.Reader(bytes.NewReader(nil)))
	if req.From < r.End.FileBytes {
		data, err = s.blobs.Open(ctx, req.Tag+".parquet", req.From)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, internalError("open a shared result", err)
	}
	stream := api.Stream{RequestID: r.RequestID, EffectiveAsOf: r.EffectiveAsOf, Ordered: r.Ordered, RowRule: r.RowRule,
		Batches: api.NoRows(schema.Schema()), End: func() api.End { return *r.End }, CloseFunc: func() { _ = data.Close() }}
	return &api.File{Stream: &stream, Data: data, Tag: req.Tag, From: req.From,
		Progress: func() (rows, bytes int64) { return r.End.Rows, r.End.Bytes }}, nil
}

// sweep removes what servers that were killed have left. One goroutine calls it.
func (s *shared) sweep(ctx context.Context) {
	now := s.core.now()
	if s.blobs == nil || now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	if err := s.blobs.Sweep(ctx, now.Add(-sharedFor), nil); err != nil && ctx.Err() == nil {
		s.core.log.Warn("old results of servers stay for now", "cause", fault.Cause(err))
	}
}

// ExplainBlobs returns a store whose failures tell what to do: as CodeUnavailable, but for
// fs.ErrNotExist and what the caller has ended.
func ExplainBlobs(s blob.Store) blob.Store { return explained{s} }

type explained struct{ blob.Store }

func (e explained) Put(ctx context.Context, name string, data io.ReaderAt, size int64) error {
	return explainBlobs(ctx, e.Store.Put(ctx, name, data, size))
}

func (e explained) Open(ctx context.Context, name string, from int64) (io.ReadCloser, error) {
	r, err := e.Store.Open(ctx, name, from)
	return r, explainBlobs(ctx, err)
}

func (e explained) Trim(ctx context.Context, most int64) error {
	return explainBlobs(ctx, e.Store.Trim(ctx, most))
}

func (e explained) Clear(ctx context.Context) error { return explainBlobs(ctx, e.Store.Clear(ctx)) }

func (e explained) In(path string) blob.Store { return explained{e.Store.In(path)} }

func explainBlobs(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return err
	}
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindState, Err: err,
		Message: "the server cannot use the place where it keeps files for its other servers",
		Hint:    "Nothing was changed; try again later. Its operator looks at server.blobs in the instance file, and at the server's log."}
}

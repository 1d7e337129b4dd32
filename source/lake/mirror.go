package lake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/bucket"
)

// objects is a bucket, or what stands for one.
type objects interface {
	List(ctx context.Context, prefix string, each func(bucket.Object) error) error
	Read(ctx context.Context, o bucket.Object, from, n int64) (io.ReadCloser, error)
}

// mirror is what of a bucket lies on this machine's disk, where the engine can
// read it. A file is there whole, or, of parquet, with its footer only: as long
// as the object, with a hole in place of its data. Several processes may share
// one mirror.
type mirror struct {
	bucket objects
	dir    string // below it files, and states of them
	limit  int64  // bytes of whole files
	// rest is how long a file stays that nobody asks for: the engine may still
	// be reading it.
	rest time.Duration

	mu    sync.Mutex
	known map[string]state // by file; saves reading the states
}

// state says what of an object is there.
type state struct {
	Rel   string `json:"rel"`
	ETag  string `json:"etag"`
	Size  int64  `json:"size"`
	Whole bool   `json:"whole"`
}

const (
	defaultMirrorSize = 20_000_000_000
	mirrorRest        = time.Hour
	mirrorTemp        = ".tmp-"
	// loads is how many objects are loaded at a time.
	loads = 8
)

// mirrorName is the folder of a bucket among those of others: objects of the
// same name in two of them are two files.
func mirrorName(o bucket.Options) string {
	sum := sha256.Sum256([]byte(o.Endpoint + "\x00" + o.URL))
	return hex.EncodeToString(sum[:16])
}

func openMirror(b objects, dir string, limit int64) (*mirror, error) {
	if limit == 0 {
		limit = defaultMirrorSize
	}
	m := &mirror{bucket: b, dir: dir, limit: limit, rest: mirrorRest, known: map[string]state{}}
	for _, d := range []string{m.files(), m.states()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, &api.Error{Code: api.CodeNotWritable, Message: "the cache_dir of a lake cannot be written", Err: err}
		}
	}
	m.sweep()
	return m, nil
}

func (m *mirror) files() string  { return filepath.Join(m.dir, "files") }
func (m *mirror) states() string { return filepath.Join(m.dir, "states") }

func (m *mirror) path(rel string) string { return filepath.Join(m.files(), filepath.FromSlash(rel)) }

// statePath is where the state of a file lies; its lock lies beside it.
func (m *mirror) statePath(rel string) string {
	sum := sha256.Sum256([]byte(rel))
	return filepath.Join(m.states(), hex.EncodeToString(sum[:16])+".json")
}

// sweep removes what processes that were killed had begun to load.
func (m *mirror) sweep() {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && len(e.Name()) > len(mirrorTemp) && e.Name()[:len(mirrorTemp)] == mirrorTemp && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(m.dir, e.Name()))
		}
	}
}

// bring makes sure that files are there: whole, or at least their footers.
func (m *mirror) bring(ctx context.Context, files []file, whole bool) error {
	var missing []file
	for _, f := range files {
		if !m.has(f, whole) {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if whole {
		if err := m.room(missing); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan file)
	failed := make(chan error, loads)
	var group sync.WaitGroup
	for range min(loads, len(missing)) {
		group.Go(func() {
			for f := range work {
				if err := m.load(ctx, f, whole); err != nil {
					failed <- err
					cancel() // the others need not go on
					return
				}
			}
		})
	}
	for _, f := range missing {
		select {
		case work <- f:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(work)
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// has reports whether a file is there, and notes that it is used.
func (m *mirror) has(f file, whole bool) bool {
	m.mu.Lock()
	s, ok := m.known[f.rel]
	m.mu.Unlock()
	if !ok || s.ETag != f.etag || whole && !s.Whole {
		if s, ok = m.read(f.rel); !ok {
			return false
		}
	}
	info, err := os.Stat(m.path(f.rel))
	if err != nil || info.Size() != f.size || s.ETag != f.etag || whole && !s.Whole {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(m.statePath(f.rel), now, now) // a file that seems unused is only loaded again
	m.keep(s)
	return true
}

func (m *mirror) keep(s state) {
	m.mu.Lock()
	m.known[s.Rel] = s
	m.mu.Unlock()
}

func (m *mirror) read(rel string) (s state, ok bool) {
	data, err := os.ReadFile(m.statePath(rel))
	return s, err == nil && json.Unmarshal(data, &s) == nil && s.Rel == rel
}

// load loads one object, unless another process has done so meanwhile.
func (m *mirror) load(ctx context.Context, f file, whole bool) error {
	lock := flock.New(m.statePath(f.rel) + ".lock")
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return errors.Join(ctx.Err(), atomicfile.Explain("lock a file of the lake's cache", err))
	}
	defer lock.Close()
	if m.has(f, whole) {
		return nil
	}
	temp, err := os.CreateTemp(m.dir, mirrorTemp)
	if err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if whole {
		err = m.copy(ctx, temp, f, 0)
	} else {
		err = m.footer(ctx, temp, f)
	}
	if err != nil {
		return err
	}
	if err := m.install(temp, f, whole); err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	return nil
}

// install puts a file in its place. The state is written last: without it the
// file does not count.
func (m *mirror) install(temp *os.File, f file, whole bool) error {
	if err := errors.Join(temp.Sync(), os.MkdirAll(filepath.Dir(m.path(f.rel)), 0o700), os.Remove(m.statePath(f.rel))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(temp.Name(), m.path(f.rel)); err != nil {
		return err
	}
	s := state{Rel: f.rel, ETag: f.etag, Size: f.size, Whole: whole}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(m.statePath(f.rel), data, 0o600); err != nil {
		return err
	}
	m.keep(s)
	return nil
}

// copy writes an object from an offset to its end to the same place of out.
func (m *mirror) copy(ctx context.Context, out *os.File, f file, from int64) error {
	body, err := m.bucket.Read(ctx, bucket.Object{Key: f.rel, Size: f.size, ETag: f.etag}, from, f.size-from)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.Copy(io.NewOffsetWriter(out, from), body)
	switch {
	case atomicfile.DiskFull(err), atomicfile.NotWritable(err):
		return atomicfile.Explain("write to the lake's cache", err)
	case ctx.Err() != nil:
		return stoppedListing(ctx.Err())
	case err != nil || n != f.size-from:
		return sourceError(bucket.KindUnreachable, fmt.Sprintf("the object store broke off in the middle of %s", f.rel), err)
	}
	return nil
}

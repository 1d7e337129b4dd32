// Package mirror caches objects of a bucket on this machine's disk, where an
// engine can read them, within a size limit. It knows nothing about tables or the
// contents of objects.
package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Objects is a bucket, or a replacement for one.
type Objects interface {
	List(ctx context.Context, prefix string, each func(bucket.Object) error) error
	Read(ctx context.Context, o bucket.Object, from, n int64) (io.ReadCloser, error)
}

// Mirror is the cache of a bucket on this machine's disk, where the engine can
// read it. Several processes can share one. Its folder contains
//
//	files/VERSION/KEY   one content of one object, as long as the object; for
//	parquet it may be the footer only, after a hole
//	states/VERSION.*    a mark that the file is complete, .whole or .footer;
//	its time is when the file was last used, and about
//	that of the file itself
//	holds/*             what is being read: see Lease
//	loading/LEASE.*     what is being loaded for a lease
//	locks/VERSION       locked while it is being loaded, and removed after that
//	lock                locked while leases are read or changed
//
// A marked file never changes, except that a hole is filled: a new content of an
// object is another version, in its own file.
type Mirror struct {
	bucket Objects
	dir    string
	limit  int64 // for all files together, in bytes

	// OnBring, if set, is called with what a request is about to read.
	OnBring func([]bucket.Object)

	step func(string) // called after each change on disk; for tests

	mu sync.Mutex // taken before the lock, so that goroutines of this process need not wait for the file lock
}

const defaultLimit = 20_000_000_000

// Name is the folder of a bucket among those of others: objects of the
// same name in two of them are two files.
func Name(o bucket.Options) string { return digest(o.Endpoint, o.URL) }

// digest hashes texts into a name of letters and digits.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Place is the path of an object below Files. Each content of it has its own.
func Place(o bucket.Object) string { return version(o) + "/" + o.Key }

// version names one content of one object.
func version(o bucket.Object) string { return digest(o.Key, o.ETag, fmt.Sprint(o.Size)) }

// Open opens the mirror of a bucket in its own folder, which it creates. Its
// files take at most limit bytes; 0 means 20 GB.
func Open(b Objects, dir string, limit int64) (*Mirror, error) {
	if limit == 0 {
		limit = defaultLimit
	}
	m := &Mirror{bucket: b, dir: dir, limit: limit, step: func(string) {}}
	if err := m.makeFolders(); err != nil {
		return nil, &api.Error{Code: api.CodeNotWritable, Message: "the cache_dir of a lake cannot be written", Err: err}
	}
	m.trySweep()
	return m, nil
}

// trySweep sweeps unless the mirror is in use.
func (m *Mirror) trySweep() {
	if lock, err := store.TryLock(m.pathOf("lock")); err == nil {
		m.sweep()
		lock.Unlock()
	}
}

// makeFolders creates missing folders, because tools that clean up old files also
// remove empty folders.
func (m *Mirror) makeFolders() error {
	for _, d := range []string{"files", "states", "holds", "loading", "locks"} {
		if err := os.MkdirAll(m.pathOf(d), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// List lists the objects whose keys start with prefix, until each returns an
// error.
func (m *Mirror) List(ctx context.Context, prefix string, each func(bucket.Object) error) error {
	return m.bucket.List(ctx, prefix, each)
}

func (m *Mirror) pathOf(names ...string) string {
	return filepath.Join(append([]string{m.dir}, names...)...)
}

// Files is the folder that the engine reads.
func (m *Mirror) Files() string { return m.pathOf("files") }

// path is where a file lies.
func (m *Mirror) path(o bucket.Object) string { return m.pathOf("files", filepath.FromSlash(Place(o))) }

// mark is the path of the mark of a version.
func (m *Mirror) mark(version string, whole bool) string {
	if whole {
		return m.pathOf("states", version+".whole")
	}
	return m.pathOf("states", version+".footer")
}

// onDisk reports whether a file is on disk, and records that it is used. The caller
// must have pinned the file; otherwise it could be evicted immediately.
func (m *Mirror) onDisk(o bucket.Object, whole bool) bool {
	mark := m.mark(version(o), true)
	info, err := os.Stat(mark)
	if err != nil && !whole {
		mark = m.mark(version(o), false)
		info, err = os.Stat(mark)
	}
	if err != nil {
		return false
	}
	// The file may have been deleted by hand.
	if file, err := os.Stat(m.path(o)); err != nil || file.Size() != o.Size {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Minute {
		// Ignore errors: at worst an apparently unused file is evicted and loaded
		// again.
		_ = os.Chtimes(m.path(o), now, now)
		_ = os.Chtimes(mark, now, now)
	}
	return true
}

// locked runs f while nobody else, in this or another process, reads or changes
// leases. f must not wait for anything.
func (m *Mirror) locked(ctx context.Context, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	lock, err := store.WaitLock(ctx, m.pathOf("lock"), store.Alone)
	if err != nil {
		return lockFailed(ctx, err)
	}
	defer lock.Unlock()
	return f()
}

func lockFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx.Err())
	}
	return atomicfile.Explain("lock the lake's cache", err)
}

// stopped is the error of a request that ended while it waited.
func stopped(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &api.Error{Code: api.CodeTimeout, Message: "bringing the files into the lake's cache took too long", Err: err}
	}
	return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: err}
}

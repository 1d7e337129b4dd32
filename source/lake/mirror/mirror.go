// Package mirror keeps objects of a bucket on this machine's disk, where an
// engine can read them: as much as is asked for, within a limit. It knows nothing
// of tables: what an object holds is the lake's affair.
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
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/store"
)

// Objects is a bucket, or what stands for one.
type Objects interface {
	List(ctx context.Context, prefix string, each func(bucket.Object) error) error
	Read(ctx context.Context, o bucket.Object, from, n int64) (io.ReadCloser, error)
}

// Mirror is what of a bucket lies on this machine's disk, where the engine can
// read it. Several processes may share one. Its folder holds
//
//	files/VERSION/KEY   one content of one object, as long as the object; of
//	                    parquet it may be the footer alone, with a hole before it
//	states/VERSION.*    a mark that the file is complete, .whole or .footer;
//	                    its time is when the file was last used, and about
//	                    that of the file itself
//	holds/*             what is being read: see Lease
//	loading/LEASE.*     what is being loaded for a lease
//	locks/VERSION       locked by who loads it, and gone after that
//	lock                locked by who looks at leases, or changes them
//
// A file never changes once it is marked, but for a hole that is filled: what
// an object becomes is another version, beside it.
type Mirror struct {
	bucket Objects
	dir    string
	limit  int64 // bytes of all files

	// OnBring, if set, is told what a request is about to read.
	OnBring func([]bucket.Object)

	step func(string) // told each change on disk; for tests

	mu sync.Mutex // taken before the lock, of which it spares this process the waiting
}

const defaultLimit = 20_000_000_000

// Name is the folder of a bucket among those of others: objects of the
// same name in two of them are two files.
func Name(o bucket.Options) string { return digest(o.Endpoint, o.URL) }

// digest is a name for some texts, made of letters and digits only.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Place is where an object lies below Files. Another content of it has another.
func Place(o bucket.Object) string { return version(o) + "/" + o.Key }

// version names one content of one object.
func version(o bucket.Object) string { return digest(o.Key, o.ETag, fmt.Sprint(o.Size)) }

// Open opens the mirror of a bucket in a folder of its own, which it makes. Its
// files take at most limit bytes; 0: 20 GB.
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

// trySweep sweeps if nobody is at work.
func (m *Mirror) trySweep() {
	if lock, err := store.TryLock(m.in("lock")); err == nil {
		m.sweep()
		lock.Unlock()
	}
}

// makeFolders makes the folders that are not there: what cleans a machine of old
// files takes empty folders, too.
func (m *Mirror) makeFolders() error {
	for _, d := range []string{"files", "states", "holds", "loading", "locks"} {
		if err := os.MkdirAll(m.in(d), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// List lists the objects of the bucket whose keys begin with prefix, until each
// returns an error.
func (m *Mirror) List(ctx context.Context, prefix string, each func(bucket.Object) error) error {
	return m.bucket.List(ctx, prefix, each)
}

func (m *Mirror) in(names ...string) string {
	return filepath.Join(append([]string{m.dir}, names...)...)
}

// Files is the folder that the engine reads.
func (m *Mirror) Files() string { return m.in("files") }

// path is where a file lies.
func (m *Mirror) path(o bucket.Object) string { return m.in("files", filepath.FromSlash(Place(o))) }

// mark is the path of the mark of a version.
func (m *Mirror) mark(version string, whole bool) string {
	if whole {
		return m.in("states", version+".whole")
	}
	return m.in("states", version+".footer")
}

// has reports whether a file is there, and notes that it is used. Who asks
// holds the file, else it could go the next moment.
func (m *Mirror) has(o bucket.Object, whole bool) bool {
	mark := m.mark(version(o), true)
	info, err := os.Stat(mark)
	if err != nil && !whole {
		mark = m.mark(version(o), false)
		info, err = os.Stat(mark)
	}
	if err != nil {
		return false
	}
	// Somebody may have tidied up.
	if file, err := os.Stat(m.path(o)); err != nil || file.Size() != o.Size {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Minute {
		// A file that seems unused is only loaded again, whether this cache makes
		// room or the machine is cleaned of what is old.
		_ = os.Chtimes(m.path(o), now, now)
		_ = os.Chtimes(mark, now, now)
	}
	return true
}

// locked runs f while no other process, and nobody else in this one, looks at
// the mirror's leases. f does not wait for anything.
func (m *Mirror) locked(ctx context.Context, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	lock, err := store.WaitLock(ctx, m.in("lock"), store.Alone)
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

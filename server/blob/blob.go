// Package blob keeps files where every server of one state finds them: in a folder that
// all of them see, or in a bucket. It knows names and bytes, but not what they are.
package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Store is a place of blobs. Names are made by its callers, of at least 32 hex digits and
// hyphens, a dot and letters. Unknown ones are fs.ErrNotExist.
type Store interface {
	// Put makes or replaces a blob, whole or not at all.
	Put(ctx context.Context, name string, data io.ReaderAt, size int64) error
	// Open reads a blob from an offset. One that has no byte there is not what was put.
	Open(ctx context.Context, name string, from int64) (io.ReadCloser, error)
	// Remove removes a blob, if it is there.
	Remove(ctx context.Context, name string) error
	// Sweep removes the blobs that were put before a time and that keep, if there is one, does
	// not name, and nothing else of what is there.
	Sweep(ctx context.Context, before time.Time, keep func(name string) bool) error
	// Clear removes all that is in this place, and in those below it.
	Clear(ctx context.Context) error
	// In is a place of its own below this one, whose blobs this one does not see.
	In(path string) Store
}

// InFolder is a folder as a store. It is made with the first blob.
func InFolder(dir string) Store { return folder(dir) }

// InBucket is a bucket as a store.
func InBucket(b *bucket.Bucket) Store { return objects{b, ""} }

// swept are the names of blobs, and of files that are to become ones.
var swept = lazyregexp.New(`^\.?[0-9a-f-]{32,}\.[a-z]+(\.tmp.*)?$`)

type folder string

// Put implements Store.
func (f folder) Put(_ context.Context, name string, data io.ReaderAt, size int64) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(string(f), name), 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(data, 0, size))
		return err
	})
}

// Open implements Store.
func (f folder) Open(_ context.Context, name string, from int64) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(string(f), name))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() <= from {
		err = fs.ErrNotExist
	}
	if err == nil {
		_, err = file.Seek(from, io.SeekStart)
	}
	if err != nil {
		_ = file.Close() // nothing was read
		return nil, err
	}
	return file, nil
}

// Remove implements Store.
func (f folder) Remove(_ context.Context, name string) error {
	err := os.Remove(filepath.Join(string(f), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Sweep implements Store. Files that a killed server had begun go, too.
func (f folder) Sweep(ctx context.Context, before time.Time, keep func(string) bool) error {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		info, gone := e.Info()
		if gone == nil && info.Mode().IsRegular() && info.ModTime().Before(before) && old(e.Name(), keep) {
			err = errors.Join(err, f.Remove(ctx, e.Name()))
		}
	}
	return err
}

// Clear implements Store.
func (f folder) Clear(context.Context) error { return os.RemoveAll(string(f)) }

// In implements Store.
func (f folder) In(path string) Store {
	return folder(filepath.Join(string(f), filepath.FromSlash(path)))
}

// old reports whether a name is that of a blob, and not to be kept.
func old(name string, keep func(string) bool) bool {
	return swept().MatchString(name) && (keep == nil || !keep(name))
}

type objects struct {
	bucket *bucket.Bucket
	below  string // empty, or ends with a slash
}

// In implements Store.
func (o objects) In(path string) Store { return objects{o.bucket, o.below + path + "/"} }

// Put implements Store.
func (o objects) Put(ctx context.Context, name string, data io.ReaderAt, size int64) error {
	return o.bucket.Put(ctx, o.below+name, data, size)
}

// Open implements Store.
func (o objects) Open(ctx context.Context, name string, from int64) (io.ReadCloser, error) {
	return o.bucket.Get(ctx, o.below+name, from)
}

// Remove implements Store.
func (o objects) Remove(ctx context.Context, name string) error {
	return o.bucket.Remove(ctx, o.below+name)
}

// Sweep implements Store.
func (o objects) Sweep(ctx context.Context, before time.Time, keep func(string) bool) error {
	return o.remove(ctx, func(name string, b bucket.Object) bool { return b.Modified.Before(before) && old(name, keep) })
}

// Clear implements Store.
func (o objects) Clear(ctx context.Context) error {
	return o.remove(ctx, func(string, bucket.Object) bool { return true })
}

// remove removes the objects whose names below this place match.
func (o objects) remove(ctx context.Context, match func(name string, b bucket.Object) bool) error {
	var names []string
	err := o.bucket.List(ctx, o.below, func(b bucket.Object) error {
		if name := strings.TrimPrefix(b.Key, o.below); match(name, b) {
			names = append(names, name)
		}
		return nil
	})
	for _, name := range names {
		err = errors.Join(err, o.Remove(ctx, name))
	}
	return err
}

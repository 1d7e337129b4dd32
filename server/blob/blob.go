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
	"slices"
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
	// Trim removes the oldest blobs until the others have at most so many bytes.
	Trim(ctx context.Context, most int64) error
	// Clear removes everything in this place and below it.
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
	return sweep(ctx, f, before, keep)
}

// Trim implements Store.
func (f folder) Trim(ctx context.Context, most int64) error { return trim(ctx, f, most) }

func (f folder) list(context.Context) (all []entry, err error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if info, gone := e.Info(); gone == nil && info.Mode().IsRegular() {
			all = append(all, entry{e.Name(), info.Size(), info.ModTime()})
		}
	}
	return all, err
}

// Clear implements Store.
func (f folder) Clear(context.Context) error { return os.RemoveAll(string(f)) }

// In implements Store.
func (f folder) In(path string) Store {
	return folder(filepath.Join(string(f), filepath.FromSlash(path)))
}

// entry is a blob of a place, or of one below it.
type entry struct {
	name string
	size int64
	at   time.Time
}

type lister interface {
	Store
	list(ctx context.Context) ([]entry, error)
}

func sweep(ctx context.Context, s lister, before time.Time, keep func(string) bool) error {
	all, err := s.list(ctx)
	for _, e := range all {
		if e.at.Before(before) && swept().MatchString(e.name) && (keep == nil || !keep(e.name)) {
			err = errors.Join(err, s.Remove(ctx, e.name))
		}
	}
	return err
}

func trim(ctx context.Context, s lister, most int64) error {
	all, err := s.list(ctx)
	all = slices.DeleteFunc(all, func(e entry) bool { return !swept().MatchString(e.name) })
	slices.SortFunc(all, func(a, b entry) int { return b.at.Compare(a.at) })
	for _, e := range all {
		if most -= e.size; most < 0 {
			err = errors.Join(err, s.Remove(ctx, e.name))
		}
	}
	return err
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
	return sweep(ctx, o, before, keep)
}

// Trim implements Store.
func (o objects) Trim(ctx context.Context, most int64) error { return trim(ctx, o, most) }

// Clear implements Store.
func (o objects) Clear(ctx context.Context) error {
	all, err := o.list(ctx)
	for _, e := range all {
		err = errors.Join(err, o.Remove(ctx, e.name))
	}
	return err
}

func (o objects) list(ctx context.Context) (all []entry, err error) {
	err = o.bucket.List(ctx, o.below, func(b bucket.Object) error {
		all = append(all, entry{strings.TrimPrefix(b.Key, o.below), b.Size, b.Modified})
		return nil
	})
	return all, err
}

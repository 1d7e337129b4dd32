package lake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/bucket"
)

// loads is how many objects are loaded at a time.
const loads = 8

// load loads objects for which room is reserved.
func (h *hold) load(ctx context.Context, missing []file, whole bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan file)
	failed := make(chan error, loads)
	var group sync.WaitGroup
	for range min(loads, len(missing)) {
		group.Go(func() {
			for f := range work {
				if err := h.loadOne(ctx, f, whole); err != nil {
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

// loadOne loads one object, unless somebody else has done so meanwhile.
func (h *hold) loadOne(ctx context.Context, f file, whole bool) error {
	lock, err := lockFile(ctx, h.mirror.in("locks", f.version()), 4*lockRetry)
	if err != nil {
		return lockFailed(ctx, err)
	}
	defer unlockFile(lock)
	if h.mirror.has(f, whole) {
		return nil
	}
	temp, err := os.CreateTemp(h.mirror.in("loading"), h.id+".")
	if err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	bytes := f.size
	if whole {
		err = h.mirror.copy(ctx, temp, f, 0)
	} else {
		bytes, err = h.footer(ctx, temp, f)
	}
	if err == nil {
		err = h.mirror.install(temp, f, whole, bytes)
	}
	return atomicfile.Explain("write to the lake's cache", err)
}

// install puts a file in its place. The mark is written last: without it the
// file does not count. Nor may the mark of a whole file that somebody removed
// vouch for the footer that takes its place.
func (m *mirror) install(temp *os.File, f file, whole bool, bytes int64) error {
	data, err := json.Marshal(state{Key: f.rel, Bytes: bytes})
	if err != nil {
		return err
	}
	if err := errors.Join(temp.Sync(), os.MkdirAll(filepath.Dir(m.path(f)), 0o700)); err != nil {
		return err
	}
	if !whole {
		if err := m.unmark(f); err != nil {
			return err
		}
	}
	if err := os.Rename(temp.Name(), m.path(f)); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(filepath.Dir(m.path(f))); err != nil {
		return err
	}
	if err := atomicfile.WriteFile(m.mark(f.version(), whole), data, 0o600); err != nil {
		return err
	}
	if whole {
		_ = os.Remove(m.mark(f.version(), false)) // of a footer, if it was there
	}
	return nil
}

// unmark removes the mark of a whole file, for good.
func (m *mirror) unmark(f file) error {
	err := os.Remove(m.mark(f.version(), true))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, atomicfile.SyncDir(m.in("states")))
}

// copy writes an object from an offset to its end to the same place of out.
func (m *mirror) copy(ctx context.Context, out *os.File, f file, from int64) error {
	length := f.size - from
	body, err := m.bucket.Read(ctx, bucket.Object{Key: f.rel, Size: f.size, ETag: f.etag}, from, length)
	if err != nil {
		return err
	}
	defer body.Close()
	n, err := io.CopyN(io.NewOffsetWriter(out, from), body, length)
	switch {
	case n == length:
		return nil
	case atomicfile.DiskFull(err), atomicfile.NotWritable(err):
		return atomicfile.Explain("write to the lake's cache", err)
	case ctx.Err() != nil:
		return stoppedListing(ctx.Err())
	}
	return sourceError(bucket.KindUnreachable, fmt.Sprintf("the object store broke off in the middle of %s", f.rel), err)
}

package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// loads is how many objects are loaded at a time.
const loads = 8

// load loads objects for which room is reserved.
func (h *Lease) load(ctx context.Context, missing []bucket.Object, whole bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan bucket.Object)
	failed := make(chan error, loads)
	var group sync.WaitGroup
	for range min(loads, len(missing)) {
		group.Go(func() {
			for o := range work {
				if err := h.loadOne(ctx, o, whole); err != nil {
					failed <- err
					cancel() // the others need not continue
					return
				}
			}
		})
	}
	for _, o := range missing {
		select {
		case work <- o:
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

// loadOne loads one object, unless another process has done so meanwhile.
func (h *Lease) loadOne(ctx context.Context, o bucket.Object, whole bool) error {
	lock, err := store.WaitLock(ctx, h.mirror.pathOf("locks", version(o)), store.Long)
	if err != nil {
		return lockFailed(ctx, err)
	}
	defer lock.Remove()
	if h.mirror.onDisk(o, whole) {
		return nil
	}
	temp, err := os.CreateTemp(h.mirror.pathOf("loading"), h.id+".")
	if err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	bytes := o.Size
	if whole {
		err = h.mirror.copy(ctx, temp, o, 0)
	} else {
		bytes, err = h.footer(ctx, temp, o)
	}
	if err == nil {
		err = h.mirror.install(temp, o, whole, bytes)
	}
	return atomicfile.Explain("write to the lake's cache", err)
}

// install moves a file to its place. The mark is written last, because a file
// without a mark does not count. If somebody has removed a whole file, its old
// mark must not vouch for the footer that replaces it.
func (m *Mirror) install(temp *os.File, o bucket.Object, whole bool, bytes int64) error {
	data, err := json.Marshal(state{Key: o.Key, Bytes: bytes})
	if err != nil {
		return err
	}
	if err := errors.Join(temp.Sync(), os.MkdirAll(filepath.Dir(m.path(o)), 0o700)); err != nil {
		return err
	}
	if !whole {
		if err := m.unmark(o); err != nil {
			return err
		}
	}
	if _, err := store.Place(temp.Name(), m.path(o), m.mark(version(o), whole), data, m.step); err != nil {
		return err
	}
	if whole {
		_ = os.Remove(m.mark(version(o), false)) // of a footer, if it was there
	}
	return nil
}

// unmark removes the mark of a whole file durably.
func (m *Mirror) unmark(o bucket.Object) error {
	err := os.Remove(m.mark(version(o), true))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, atomicfile.SyncDir(m.pathOf("states")))
}

// copy writes an object from an offset to its end to the same place of out.
func (m *Mirror) copy(ctx context.Context, out *os.File, o bucket.Object, from int64) error {
	length := o.Size - from
	body, err := m.bucket.Read(ctx, o, from, length)
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
		return stopped(ctx.Err())
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: "the object store broke off in the middle of " + o.Key,
		Err: err}
}

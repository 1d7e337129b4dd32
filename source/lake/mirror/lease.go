package mirror

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Lease pins the files that one request reads until it is released, and reserves
// space for those being loaded. It is a file that its process keeps locked, with
// a line for each version and the maximum bytes of it.
type Lease struct {
	mirror *Mirror
	id     string
	lock   *store.Lock
	// pins are bytes by version, 0: it was there. While objects are loaded they
	// are guarded by the mirror's lock.
	pins map[string]int64
	// brought are the files that the request reads now.
	brought []broughtObject
}

// broughtObject is an object that was loaded, completely or at least its footer.
type broughtObject struct {
	bucket.Object
	whole bool
}

// Lease starts a request, which must release it. It is not for concurrent use.
func (m *Mirror) Lease() *Lease {
	return &Lease{mirror: m, id: rand.Text(), pins: map[string]int64{}}
}

// Release ends the request: its files can be evicted.
func (h *Lease) Release() {
	if h.lock != nil {
		h.lock.Remove()
	}
}

// Bring makes sure that objects, or at least their footers, are on disk and stay
// there. Its errors are those of the bucket, a cache that is full or too small,
// and a disk that is full or not writable.
func (h *Lease) Bring(ctx context.Context, objects []bucket.Object, whole bool) error {
	if err := h.mirror.makeFolders(); err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	// Pin first, because files could otherwise be evicted before they are pinned.
	if err := h.mirror.locked(ctx, func() error {
		for _, o := range objects {
			h.pins[version(o)] += 0
		}
		return h.write()
	}); err != nil {
		return err
	}
	if err := h.fill(ctx, objects, whole); err != nil {
		return err
	}
	for _, o := range objects {
		h.brought = append(h.brought, broughtObject{o, whole})
	}
	if h.mirror.OnBring != nil {
		h.mirror.OnBring(objects)
	}
	return nil
}

// fill loads those of the objects that are not there.
func (h *Lease) fill(ctx context.Context, objects []bucket.Object, whole bool) error {
	missing := map[string]int64{}
	var load []bucket.Object
	for _, o := range objects {
		if !h.mirror.onDisk(o, whole) {
			load = append(load, o)
			missing[version(o)] = needs(o, whole)
		}
	}
	if len(load) == 0 {
		return nil
	}
	if err := h.reserve(ctx, missing); err != nil {
		return err
	}
	return h.load(ctx, load, whole)
}

// Forget releases at the next Bring what was brought so far.
func (h *Lease) Forget() { h.pins, h.brought = map[string]int64{}, nil }

// Lost explains a failure that the mirror may have caused: a brought file is
// missing, although nothing of ours removes leased files. It then returns
// api.KindChangedMeanwhile, and a retry loads the file again. Other errors are returned
// unchanged.
func (h *Lease) Lost(err error) error {
	if err == nil || api.CodeInterrupted.Is(err) || api.CodeTimeout.Is(err) {
		return err
	}
	for _, b := range h.brought {
		if !h.mirror.onDisk(b.Object, b.whole) {
			return &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile,
				Message: "a file of the lake's cache was removed before it was read", Err: err,
				Hint: "Try again. If it happens again, another program removes files from the cache_dir of the source."}
		}
	}
	return err
}

// write puts the lease on disk. The mirror is locked.
func (h *Lease) write() error {
	path := h.mirror.pathOf("holds", h.id)
	var b strings.Builder
	for version, bytes := range h.pins {
		fmt.Fprintln(&b, version, bytes)
	}
	var err error
	if h.lock == nil {
		h.lock, err = store.TryLock(path)
	}
	if err == nil {
		err = os.WriteFile(path, []byte(b.String()), 0o600)
	}
	return atomicfile.Explain("write to the lake's cache", err)
}

// pinned reads all leases, and removes those whose process has ended. The caller
// holds the mirror's lock.
func (m *Mirror) pinned() (pins map[string]int64, holds map[string]bool, err error) {
	ids, err := store.BaseNames(m.pathOf("holds"))
	if err != nil {
		return nil, nil, atomicfile.Explain("read the lake's cache", err)
	}
	pins, holds = map[string]int64{}, map[string]bool{}
	for _, id := range ids {
		path := m.pathOf("holds", id)
		if store.Reclaim(path, func() error { return nil }) {
			continue
		}
		holds[id] = true
		if err := readPins(path, pins); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, atomicfile.Explain("read the lake's cache", err)
		}
	}
	return pins, holds, nil
}

// readPins adds the lines of one lease.
func readPins(path string, pins map[string]int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var version string
		var bytes int64
		if _, err := fmt.Sscan(lines.Text(), &version, &bytes); err != nil {
			return fmt.Errorf("a line of a lease: %w", err)
		}
		pins[version] = max(pins[version], bytes)
	}
	return lines.Err()
}

package lake

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/bucket"
)

// hold is what one request reads of the mirror: those files stay as long as it
// stands, and what it loads has its room. It is a file, locked as long as its
// process lives, with a line for each version and the bytes that it may take.
// In a lake of a folder it holds the links for the engine only.
type hold struct {
	mirror *mirror // nil: of a lake in a folder
	links  []*linked
	twins  []*twin
	refs   atomic.Int64

	id   string
	lock *flock.Flock
	// pins are bytes by version, 0: it was there. While objects are loaded they
	// are guarded by the mirror's lock.
	pins map[string]int64
	// brought are the files that the request reads now.
	brought []broughtFile
}

// broughtFile is a file that was there, whole or at least its footer.
type broughtFile struct {
	file
	whole bool
}

// hold begins a request. It is released as often as it was retained, and once
// more.
func (l *Lake) hold() *hold {
	h := &hold{mirror: l.mirror, id: rand.Text(), pins: map[string]int64{}}
	h.refs.Store(1)
	return h
}

func (h *hold) retain() { h.refs.Add(1) }

func (h *hold) release() {
	if h.refs.Add(-1) != 0 {
		return
	}
	for _, k := range h.links {
		k.close()
	}
	for _, tw := range h.twins {
		tw.give()
	}
	if h.lock != nil {
		_ = os.Remove(h.lock.Path()) // else whoever makes room does it
		_ = h.lock.Close()
	}
}

// changeTries is how often a request is tried whose objects change while they
// are brought.
const changeTries = 5

// held runs a request with a hold on what it brings, and anew with another if
// an object has changed since it was listed, or if what was brought has gone.
func held[T any](l *Lake, request func(*hold) (T, error)) (T, error) {
	for n := 1; ; n++ {
		h := l.hold()
		v, err := request(h)
		err = h.lost(err)
		h.release()
		var e *api.Error
		if n == changeTries || !errors.As(err, &e) || e.Kind != bucket.KindChanged {
			return v, err
		}
	}
}

// bring makes sure that files are there, whole or at least their footers, and
// stay. It is called by one at a time.
func (h *hold) bring(ctx context.Context, files []file, whole bool) error {
	if h.mirror == nil {
		return nil
	}
	if err := h.mirror.makeFolders(); err != nil {
		return atomicfile.Explain("write to the lake's cache", err)
	}
	// What is there could go before it is held, so that comes first.
	if err := h.mirror.locked(ctx, func() error {
		for _, f := range files {
			h.pins[f.version()] += 0
		}
		return h.write()
	}); err != nil {
		return err
	}
	if err := h.fill(ctx, files, whole); err != nil {
		return err
	}
	for _, f := range files {
		h.brought = append(h.brought, broughtFile{f, whole})
	}
	if h.mirror.afterBring != nil {
		h.mirror.afterBring(files)
	}
	return nil
}

// fill loads those of the files that are not there.
func (h *hold) fill(ctx context.Context, files []file, whole bool) error {
	missing := map[string]int64{}
	var load []file
	for _, f := range files {
		if !h.mirror.has(f, whole) {
			load = append(load, f)
			missing[f.version()] = needs(f, whole)
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

// forget lets go what was brought so far, with the next bring.
func (h *hold) forget() {
	if h.mirror != nil {
		h.pins, h.brought = map[string]int64{}, nil
	}
}

// lost is a failure that may have been one of the cache: a file that was brought
// is not there any more, though nothing of ours removes what is held. Then it is
// worth another try, which brings the file again.
func (h *hold) lost(err error) error {
	if h.mirror == nil || err == nil || api.CodeInterrupted.Is(err) || api.CodeTimeout.Is(err) {
		return err
	}
	for _, f := range h.brought {
		if !h.mirror.has(f.file, f.whole) {
			return &api.Error{Code: api.CodeSource, Kind: bucket.KindChanged, Message: "a file of the lake's cache was removed before it was read", Err: err,
				Hint: "Ask again. If it stays so, something else than da removes files from the cache_dir of the source."}
		}
	}
	return err
}

// write puts the hold on disk. The mirror is locked.
func (h *hold) write() error {
	path := h.mirror.in("holds", h.id)
	var b strings.Builder
	for version, bytes := range h.pins {
		fmt.Fprintln(&b, version, bytes)
	}
	err := os.WriteFile(path, []byte(b.String()), 0o600)
	if err == nil && h.lock == nil {
		lock := flock.New(path)
		if _, err = lock.TryLock(); err == nil {
			h.lock = lock
		}
	}
	return atomicfile.Explain("write to the lake's cache", err)
}

// pinned reads what all holds say together, and removes those whose process has
// ended. The mirror is locked.
func (m *mirror) pinned() (pins map[string]int64, holds map[string]bool, err error) {
	entries, err := os.ReadDir(m.in("holds"))
	if err != nil {
		return nil, nil, atomicfile.Explain("read the lake's cache", err)
	}
	pins, holds = map[string]int64{}, map[string]bool{}
	for _, e := range entries {
		path := m.in("holds", e.Name())
		lock := flock.New(path)
		if ok, err := lock.TryLock(); ok && err == nil {
			_ = os.Remove(path)
			_ = lock.Close()
			continue
		}
		holds[e.Name()] = true
		if err := readPins(path, pins); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, atomicfile.Explain("read the lake's cache", err)
		}
	}
	return pins, holds, nil
}

// readPins adds what one hold says.
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
			return fmt.Errorf("a line of a hold: %w", err)
		}
		pins[version] = max(pins[version], bytes)
	}
	return lines.Err()
}

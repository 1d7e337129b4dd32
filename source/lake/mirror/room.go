package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// footerGuess is how much of the end of a file is read at first: most footers are
// shorter.
const footerGuess = 64 << 10

// state is the content of a mark: how much of an object is on disk. Key is for
// people.
type state struct {
	Key   string `json:"key"`
	Bytes int64  `json:"bytes"` // on disk
}

// needs is the space for a file or its footer, as far as that is known before it
// is read.
func needs(o bucket.Object, whole bool) int64 {
	if whole {
		return o.Size
	}
	return min(o.Size, footerGuess)
}

// plus adds sizes, which may be absurd, without overflow.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// reserve makes space for versions that are about to be loaded, and reserves it.
func (h *Lease) reserve(ctx context.Context, wanted map[string]int64) error {
	return h.mirror.locked(ctx, func() error {
		if err := h.mirror.room(wanted); err != nil {
			return err
		}
		for version, bytes := range wanted {
			h.pins[version] = max(h.pins[version], bytes)
		}
		return h.write()
	})
}

// room makes space: it evicts the least recently used files that are not pinned.
// The caller holds the mirror's lock.
func (m *Mirror) room(wanted map[string]int64) error {
	pins, _, err := m.pinned()
	if err != nil {
		return err
	}
	asked := int64(0)
	for version, bytes := range wanted {
		pins[version] = max(pins[version], bytes)
		asked = plus(asked, bytes)
	}
	there, err := m.versions()
	if err != nil {
		return err
	}
	// Pinned files count with the size that they may grow to, others with their
	// current size.
	held := int64(0)
	var loose []store.Item
	for _, k := range there {
		if bytes, ok := pins[k.Name]; ok {
			pins[k.Name] = max(bytes, k.Bytes)
		} else {
			loose = append(loose, k)
		}
	}
	for _, bytes := range pins {
		held = plus(held, bytes)
	}
	_, err = store.Evict(loose, store.Budget{Bytes: m.limit - held}, func(k store.Item) (bool, error) { return true, m.evict(k.Name) })
	switch {
	case err != nil:
		return atomicfile.Explain("make room in the lake's cache", err)
	case held > m.limit:
		return m.full(asked)
	}
	return nil
}

func (m *Mirror) full(asked int64) error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindCacheTooSmall,
		Message: fmt.Sprintf("the files to read are %d bytes, more than the lake's cache has room for", asked)}
	e.Hint = "Ask for fewer partitions, or let the operator raise cache_size of the source."
	if asked <= m.limit {
		e.Kind = api.KindCacheFull
		e.Message = fmt.Sprintf("the files to read are %d bytes, and the lake's cache is full of what other requests read", asked)
		e.Hint = "Ask again when they have ended, or let the operator raise cache_size of the source."
	}
	e.Details = map[string]any{"bytes": asked, "cache_size": m.limit}
	return e
}

// markPattern is the name of a mark.
var markPattern = lazyregexp.New(`^([0-9a-f]{32})\.(whole|footer)$`)

// versions lists the versions on disk.
func (m *Mirror) versions() ([]store.Item, error) {
	list, err := os.ReadDir(m.pathOf("states"))
	if err != nil {
		return nil, atomicfile.Explain("read the lake's cache", err)
	}
	var out []store.Item
	for _, e := range list {
		mark := markPattern().FindStringSubmatch(e.Name())
		if mark == nil {
			continue // it is being written
		}
		version := mark[1]
		info, err := e.Info()
		data, readErr := os.ReadFile(m.pathOf("states", e.Name()))
		err = errors.Join(err, readErr)
		if errors.Is(err, os.ErrNotExist) {
			continue // it has just become complete
		}
		if err != nil {
			return nil, atomicfile.Explain("read the lake's cache", err)
		}
		var s state
		if err := json.Unmarshal(data, &s); err != nil || s.Bytes < 0 {
			s.Bytes = 0 // only we write here, so the mark is damaged; its file is evicted in turn
		}
		// Sorted by name, a footer's mark comes before that of the whole file.
		if n := len(out); n > 0 && out[n-1].Name == version {
			out = out[:n-1]
		}
		out = append(out, store.Item{Name: version, Bytes: s.Bytes, Used: info.ModTime()})
	}
	return out, nil
}

// evict removes a version that is not pinned. It removes the marks first, because
// a file without a mark does not count.
func (m *Mirror) evict(version string) error {
	var errs []error
	for _, path := range []string{m.mark(version, true), m.mark(version, false)} {
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	m.step(store.StepRecordRemoved)
	errs = append(errs, os.RemoveAll(m.pathOf("files", version)))
	m.step(store.StepDataRemoved)
	return errors.Join(errs...)
}

// sweep removes what killed processes left behind: files without marks,
// incomplete downloads, and their locks. What cannot be removed stays. The caller
// holds the mirror's lock.
func (m *Mirror) sweep() {
	known, holds, err := m.pinned()
	there, keptErr := m.versions()
	if err != nil || keptErr != nil {
		return
	}
	for _, k := range there {
		known[k.Name] += 0
	}
	for _, e := range entries(m.Files()) {
		if _, ok := known[e]; !ok {
			_ = os.RemoveAll(m.pathOf("files", e))
		}
	}
	for _, e := range entries(m.pathOf("loading")) {
		if id, _, _ := strings.Cut(e, "."); !holds[id] {
			_ = os.Remove(m.pathOf("loading", e))
		}
	}
	// A mark is written under the lock of its version.
	for _, e := range entries(m.pathOf("states")) {
		if version, _, _ := strings.Cut(strings.TrimPrefix(e, "."), "."); atomicfile.Leftover(e) {
			store.Reclaim(m.pathOf("locks", version), func() error { return os.Remove(m.pathOf("states", e)) })
		}
	}
	for _, e := range entries(m.pathOf("locks")) {
		store.Reclaim(m.pathOf("locks", e), func() error { return nil })
	}
}

// entries lists a folder; an unreadable folder counts as empty.
func entries(dir string) []string {
	names, _ := store.BaseNames(dir)
	return names
}

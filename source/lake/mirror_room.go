package lake

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agnes-data/da/api"
)

// kept is a whole file that lies in the mirror.
type kept struct {
	state
	used time.Time
}

// room makes room for files that are about to be loaded: those go first that
// were not used for longest. Those that may be in use stay.
func (m *mirror) room(missing []file) error {
	wanted := int64(0)
	for _, f := range missing {
		wanted += f.size
	}
	held, used := m.held()
	if used+wanted <= m.limit {
		return nil
	}
	slices.SortFunc(held, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range held {
		if time.Since(k.used) < m.rest {
			break
		}
		if m.evict(k.Rel) {
			used -= k.Size
		}
		if used+wanted <= m.limit {
			return nil
		}
	}
	return &api.Error{Code: api.CodeSource, Kind: kindRoom, Message: fmt.Sprintf("the files to read are %d bytes, more than the lake's cache has room for", wanted),
		Hint: "Ask for fewer partitions, or let the operator raise cache_size of the source.", Details: map[string]any{"bytes": wanted, "cache_size": m.limit}}
}

// held lists the whole files, and how large they are together.
func (m *mirror) held() (held []kept, used int64) {
	entries, err := os.ReadDir(m.states())
	if err != nil {
		return nil, 0
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		var k kept
		info, err := e.Info()
		if err != nil {
			continue // it has just gone
		}
		data, err := os.ReadFile(filepath.Join(m.states(), e.Name()))
		if err != nil || json.Unmarshal(data, &k.state) != nil || !k.Whole {
			continue
		}
		k.used = info.ModTime()
		held, used = append(held, k), used+k.Size
	}
	return held, used
}

// evict removes a file, unless somebody is just loading it.
func (m *mirror) evict(rel string) bool {
	lock := flock.New(m.statePath(rel) + ".lock")
	if ok, err := lock.TryLock(); !ok || err != nil {
		return false
	}
	defer lock.Close()
	m.mu.Lock()
	delete(m.known, rel)
	m.mu.Unlock()
	if os.Remove(m.statePath(rel)) != nil {
		return false
	}
	return os.Remove(m.path(rel)) == nil
}

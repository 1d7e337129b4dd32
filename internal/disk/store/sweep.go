package store

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// StepSweeping is told when a sweep looks closer than at names.
const StepSweeping = "sweeping"

// Named returns the base name of the data that an entry's record names, empty
// if it names none; ok is false if that is not known, and all of the entry's
// files stay.
type Named func(name string) (base string, ok bool)

// Sweep clears away what killed processes left. It reads a folder or two, and
// takes the store's lock and opens files only where names look odd. It never
// waits: what it cannot do now, the next one does.
func (s *Store) Sweep(named Named) {
	l, err := s.list()
	if err != nil {
		return
	}
	for id := range l.temps {
		Reclaim(s.tempLock(id), func() error { return s.removeTemp(id) })
	}
	claims, _ := BaseNames(filepath.Join(s.Dir, NamesDir))
	if !s.odd(l) && len(claims) == 0 {
		return
	}
	// A change shows the same odd names while it is at work, so look again when
	// nobody is.
	lock, err := s.TryLock()
	if err != nil {
		return
	}
	defer lock.Unlock()
	s.step(StepSweeping)
	s.Tidy(named)
	for _, name := range claims {
		if s.Name(name) {
			_ = s.Idle(name)
		}
	}
}

// Tidy finishes or undoes the changes that were interrupted: the records say
// which. The caller holds the store's lock alone. A record is never removed
// here, nor is anything beside one that does not lead to its data: people may
// still save it.
func (s *Store) Tidy(named Named) {
	l, err := s.list()
	if err != nil {
		return
	}
	for _, base := range l.staged {
		_ = os.Remove(s.Path(base))
	}
	for name, p := range l.entries {
		if s.complete(p) {
			continue
		}
		if !p.record {
			s.clear(name, p)
		} else if data, ok := named(name); ok {
			if s.Linked {
				_ = s.Point(name, data)
			}
			s.removeData(p.data, data)
		}
	}
}

// SweepFolders removes the folders below run whose processes are gone.
func SweepFolders(run string) { sweepFolders(run, "") }

// sweepFolders removes what nobody holds. Beside a user's files it takes only
// what has a lock of this user's.
func sweepFolders(parent, prefix string) {
	bases, err := BaseNames(parent)
	if err != nil {
		return
	}
	ids := map[string]bool{}
	for _, base := range bases {
		rest, ok := strings.CutPrefix(base, prefix)
		if id := strings.TrimSuffix(rest, lockExt); ok && isFolderID(prefix, id) {
			ids[id] = true
		}
	}
	for id := range ids {
		path := filepath.Join(parent, prefix+id)
		if prefix == besidePrefix && !isMine(path+lockExt) {
			continue
		}
		// Symbolic links in it go, their targets stay.
		Reclaim(path+lockExt, func() error { return os.RemoveAll(path) })
	}
}

// isFolderID reports whether a text is the id of a folder. Earlier versions
// used decimal numbers, where there was a prefix.
func isFolderID(prefix, id string) bool {
	_, err := strconv.ParseUint(id, 10, 64)
	return IsID(id) || prefix != "" && err == nil
}

// isMine reports whether this user has made a lock's file.
func isMine(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

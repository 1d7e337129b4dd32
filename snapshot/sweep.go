package snapshot

import (
	"os"
	"path/filepath"
	"strings"
)

// sweep clears away what killed processes left. It reads two or three folders,
// and opens files only where the names alone look odd. It never waits, and
// what it cannot do now, the next one does: so it returns nothing.
func (s *Store) sweep() {
	s.sweepReaders()
	l, err := s.list()
	if err != nil {
		return
	}
	for id := range l.temps {
		s.sweepTemp(id)
	}
	claims, _ := baseNames(filepath.Join(s.dir, namesDir))
	if !l.odd() && len(claims) == 0 {
		return
	}
	// An install or a drop shows the same odd names while it is at work, so
	// look again when nobody is.
	unlock, ok := s.tryLock()
	if !ok {
		return
	}
	defer unlock()
	s.step(stepSweeping)
	if l, err = s.list(); err != nil {
		return
	}
	for _, base := range l.staged {
		_ = os.Remove(s.path(base))
	}
	for name, p := range l.snapshots {
		if !p.whole() {
			s.tidy(name, p)
		}
	}
	for _, name := range claims {
		if isName(name) {
			_ = s.idle(name)
		}
	}
}

// odd reports whether the names show anything but finished snapshots.
func (l *listing) odd() bool {
	for _, p := range l.snapshots {
		if !p.whole() {
			return true
		}
	}
	return len(l.staged) > 0
}

// tidy finishes an install or a drop that was interrupted: the sidecar says
// which. The store is locked. A sidecar is never removed here, nor is anything
// beside one that does not lead to its data: people may still save it.
func (s *Store) tidy(name string, p *presence) {
	keep := ""
	if p.sidecar {
		m, found := s.load(name)
		if !found || m.Damage != nil {
			return
		}
		keep = m.DataFile
		_ = s.relink(name, keep)
	} else {
		_ = os.Remove(s.usedPath(name))
		s.unlink(name)
	}
	s.removeData(p.data, keep)
}

// removeData removes generations but the one to keep. One that is a folder is
// none of ours.
func (s *Store) removeData(bases []string, keep string) {
	for _, base := range bases {
		if base == keep {
			continue
		}
		if info, err := os.Lstat(s.path(base)); err == nil && !info.IsDir() {
			_ = os.Remove(s.path(base))
		}
	}
}

// sweepTemp removes a temporary file, and what DuckDB wrote beside it, if no
// process owns it.
func (s *Store) sweepTemp(id string) {
	release, ok := orphaned(s.tempLockPath(id))
	if !ok {
		return
	}
	s.removeTemp(id)
	release()
}

func (s *Store) removeTemp(id string) {
	_ = os.Remove(s.tempPath(id))
	_ = os.Remove(s.path(scratchPrefix + tempPrefix + id + dataExt))
}

// sweepReaders removes the folders of readers that are gone.
func (s *Store) sweepReaders() {
	bases, err := baseNames(s.run)
	if err != nil {
		return
	}
	ids := map[string]bool{}
	for _, base := range bases {
		if id := strings.TrimSuffix(base, lockExt); isID(id) {
			ids[id] = true
		}
	}
	for id := range ids {
		if release, ok := orphaned(s.readerLockPath(id)); ok {
			_ = os.RemoveAll(s.readerDir(id)) // symbolic links go, their targets stay
			release()
		}
	}
}

func (s *Store) readerDir(id string) string      { return filepath.Join(s.run, id) }
func (s *Store) readerLockPath(id string) string { return s.readerDir(id) + lockExt }

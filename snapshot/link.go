package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/api"
)

// Links are snapshots held for one reader: hard links in a folder of its own.
// What is dropped, refreshed or pruned meanwhile stays as it is for the
// reader. Close lets go of them.
type Links struct {
	// Dir holds the links and nothing else; empty if no name was asked for.
	Dir string
	// Direct says that no folder could be made, as in a home that is read-only,
	// and Dir is the store's own: a change meanwhile is then not kept out.
	Direct bool
	// Metas describe what is held, in the order in which it was asked for.
	Metas []Meta

	s     *Store
	lock  *owned
	files map[string]string // name → base name in Dir
}

// Link holds snapshots for a reader, all as of one moment: CodeUnknownSnapshot
// for a name without one, the damage as an error for one that is damaged. It
// also notes that they were used, if it can.
func (s *Store) Link(names []string) (*Links, error) {
	for _, name := range names {
		if err := api.CheckName("snapshot name", name); err != nil {
			return nil, err
		}
	}
	l := &Links{s: s, files: map[string]string{}}
	if len(names) == 0 {
		return l, nil
	}
	l.makeFolder()
	// In a home that is read-only there may be no lock to share, and its
	// holder may have been stopped. Without it, each name is still held whole,
	// only not all as of the same moment.
	if unlock, err := s.lock(context.Background(), false, s.readPatience); err == nil {
		defer unlock()
	}
	for _, name := range names {
		if _, held := l.files[name]; held {
			continue
		}
		if err := l.hold(name); err != nil {
			l.Close()
			return nil, err
		}
	}
	if l.Direct {
		l.pointAtStore()
	}
	for _, m := range l.Metas {
		s.markUsed(m.Name)
	}
	return l, nil
}

// Path returns the file to read for a name that was asked for, empty for
// another.
func (l *Links) Path(name string) string {
	base, ok := l.files[name]
	if !ok {
		return ""
	}
	return filepath.Join(l.Dir, base)
}

// Close removes the links and their folder. It may be called more than once.
func (l *Links) Close() {
	if l.lock == nil {
		return
	}
	_ = os.RemoveAll(l.s.readerDir(l.lock.id))
	l.lock.release()
	l.lock = nil
}

// makeFolder makes the reader's folder, or makes it read the store directly.
func (l *Links) makeFolder() {
	lock, err := own(l.s.readerLockPath)
	if err == nil {
		l.lock = lock
		l.Dir = l.s.readerDir(lock.id)
		err = os.Mkdir(l.Dir, dirPerm)
	}
	if err != nil {
		l.pointAtStore()
	}
}

// pointAtStore gives the folder up: a reader reads all its files in one way.
func (l *Links) pointAtStore() {
	l.Close()
	l.Dir, l.Direct = l.s.dir, true
	for _, m := range l.Metas {
		l.files[m.Name] = m.DataFile
	}
}

// hold links one snapshot's data.
func (l *Links) hold(name string) error {
	for {
		m, found := l.s.load(name)
		if !found {
			return l.s.unknown(name)
		}
		if m.Damage != nil {
			return m.Damage
		}
		l.s.step(stepLoaded)
		base := m.DataFile
		if !l.Direct {
			base = name + dataExt
			err := os.Link(l.s.path(m.DataFile), filepath.Join(l.Dir, base))
			if errors.Is(err, fs.ErrNotExist) && !l.folderGone() {
				continue // changed since it was loaded
			}
			if err != nil {
				// No hard links here, or none to another's files.
				l.Direct, base = true, m.DataFile
			}
		}
		l.files[name] = base
		l.Metas = append(l.Metas, m)
		return nil
	}
}

func (l *Links) folderGone() bool {
	_, err := os.Lstat(l.Dir)
	return err != nil
}

// Names returns the names that are held, ordered.
func (l *Links) Names() []string {
	var names []string
	for name := range l.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// markUsed notes the time of use, for Prune. Nothing depends on its success.
func (s *Store) markUsed(name string) {
	path, now := s.usedPath(name), s.now()
	if err := os.Chtimes(path, now, now); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|noFollow, filePerm)
	if err != nil {
		return
	}
	_ = f.Close()
	_ = os.Chtimes(path, now, now)
}

package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/store"
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

	s      *Store
	folder *store.Folder     // nil: none, or none any more
	files  map[string]string // name → base name in Dir
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
	if unlock, err := s.lock(context.Background(), store.Shared, s.readPatience); err == nil {
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
		s.files.Use(m.Name, s.now())
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
	l.folder.Close()
	l.folder = nil
}

// makeFolder makes the reader's folder, or makes it read the store directly.
func (l *Links) makeFolder() {
	folder, err := store.RunFolder(l.s.run)
	if err != nil {
		l.pointAtStore()
		return
	}
	l.folder, l.Dir = folder, folder.Path
}

// pointAtStore gives the folder up: a reader reads all its files in one way.
func (l *Links) pointAtStore() {
	l.Close()
	l.Dir, l.Direct = l.s.files.Dir, true
	for _, m := range l.Metas {
		l.files[m.Name] = m.DataFile
	}
}

// hold links one snapshot's data.
func (l *Links) hold(name string) (err error) {
	var m Meta
	find := func() (base string, err error) {
		var found bool
		if m, found = l.s.load(name); !found {
			return "", l.s.unknown(name)
		}
		if m.Damage != nil {
			return "", m.Damage
		}
		l.s.step(stepLoaded)
		return m.DataFile, nil
	}
	base := name + dataExt
	if l.Direct {
		base, err = find()
	} else {
		err = l.s.files.Hold(filepath.Join(l.Dir, base), find)
		if system := new(os.LinkError); errors.As(err, &system) {
			// No hard links here, or none to another's files.
			l.Direct, base, err = true, m.DataFile, nil
		}
	}
	if err != nil {
		return err
	}
	l.files[name] = base
	l.Metas = append(l.Metas, m)
	return nil
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

package snapshot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// Links pins snapshots for one reader, as hard links in a folder of its own.
// Drops, refreshes and prunes do not affect the reader. Close releases them.
type Links struct {
	// Dir contains only the links; empty if no name was asked for.
	Dir string
	// Direct says that no folder could be made, for example in a read-only home,
	// so Dir is the store's own folder. The reader is then not protected from
	// changes.
	Direct bool
	// Metas describe the pinned snapshots, in the order in which they were asked
	// for.
	Metas []Meta

	s      *Store
	folder *store.Folder     // nil: never made, or closed
	files  map[string]string // name → base name in Dir
}

// Link pins snapshots for a reader, all as of the same moment. It returns
// CodeUnknownSnapshot for an unknown name, and the damage of a damaged snapshot.
// It also records that they were used, if it can.
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
	// In a read-only home the lock may not exist, or a suspended process may hold
	// it. Without the lock each snapshot is still pinned whole, but not all as of
	// the same moment.
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

// Path returns the data file of a pinned name, or "" for any other name.
func (l *Links) Path(name string) string {
	base, ok := l.files[name]
	if !ok {
		return ""
	}
	return filepath.Join(l.Dir, base)
}

// Close removes the links and their folder. It can be called more than once.
func (l *Links) Close() {
	l.folder.Close()
	l.folder = nil
}

// makeFolder makes the reader's folder. If that fails, the reader reads the store
// directly.
func (l *Links) makeFolder() {
	folder, err := store.RunFolder(l.s.run)
	if err != nil {
		l.pointAtStore()
		return
	}
	l.folder, l.Dir = folder, folder.Path
}

// pointAtStore switches to reading the store directly. It drops the folder,
// because a reader reads all its files the same way.
func (l *Links) pointAtStore() {
	l.Close()
	l.Dir, l.Direct = l.s.files.Dir, true
	for _, m := range l.Metas {
		l.files[m.Name] = m.DataFile
	}
}

// hold links the data of one snapshot.
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
			// Hard links do not work here, or not for files of another user.
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

// Names returns the pinned names, sorted.
func (l *Links) Names() []string {
	var names []string
	for name := range l.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

package store

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// listing is what the names in a store's folder say, without opening any.
type listing struct {
	entries map[string]*files
	temps   map[string]bool // ids
	staged  []string        // base names of interrupted small writes
}

// files says which files of one entry there are.
type files struct {
	record, link bool
	data         []string // base names of generations
}

// complete reports whether there is what a finished change leaves, and no more.
// A record may name no data.
func (s *Store) complete(p *files) bool {
	if !p.record || len(p.data) > 1 {
		return false
	}
	return !s.Linked || p.link && len(p.data) == 1
}

// list reads the folder once. A store that was never written to is empty.
func (s *Store) list() (*listing, error) {
	bases, err := BaseNames(s.Dir)
	if err != nil {
		return nil, err
	}
	l := &listing{entries: make(map[string]*files, len(bases)/3), temps: map[string]bool{}}
	for _, base := range bases {
		s.sort(l, base)
	}
	return l, nil
}

// sort puts one base name where it belongs; names that are not ours are passed
// over.
func (s *Store) sort(l *listing, base string) {
	// Most names come thrice, and are checked once.
	of := func(name string) *files {
		p := l.entries[name]
		if p == nil && s.Name(name) {
			p = &files{}
			l.entries[name] = p
		}
		return p
	}
	if atomicfile.Leftover(base) {
		l.staged = append(l.staged, base)
	} else if rest, ok := strings.CutPrefix(strings.TrimPrefix(base, engineTemp), tempPrefix); ok {
		if id := strings.TrimSuffix(strings.TrimSuffix(rest, s.DataExt), lockExt); IsID(id) {
			l.temps[id] = true
		}
	} else if name, ok := strings.CutSuffix(base, s.RecordExt); ok {
		if p := of(name); p != nil {
			p.record = true
		}
	} else if name, ok := s.DataOf(base); ok {
		if p := of(name); p != nil {
			p.data = append(p.data, base)
		}
	} else if name, ok := strings.CutSuffix(base, s.DataExt); ok && s.Linked {
		if p := of(name); p != nil {
			p.link = true
		}
	}
}

// odd reports whether the names show anything but finished entries.
func (s *Store) odd(l *listing) bool {
	for _, p := range l.entries {
		if !s.complete(p) {
			return true
		}
	}
	return len(l.staged) > 0
}

// Names returns the names of all entries, ordered.
func (s *Store) Names() ([]string, error) {
	bases, err := BaseNames(s.Dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, base := range bases {
		if name, ok := strings.CutSuffix(base, s.RecordExt); ok && s.Name(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// BaseNames returns the names in a folder, in no order; none if there is no
// such folder.
func BaseNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	bases, err := f.Readdirnames(-1)
	_ = f.Close()
	return bases, err
}

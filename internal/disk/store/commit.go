package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// The steps of a change on disk, in the order in which tests may stop at them.
const (
	StepTempSynced      = "temp-synced"
	StepDataRenamed     = "data-renamed"
	StepDataSynced      = "data-synced"
	StepRecordStaged    = "record-staged"
	StepRecordCommitted = "record-committed" // from here on it is the new one
	StepRecordSynced    = "record-synced"
	StepLinkStaged      = "link-staged"
	StepLinked          = "linked"
	StepOldRemoved      = "old-removed"

	StepRecordRemoved = "record-removed" // from here on it is gone
	StepRemovalSynced = "removal-synced"
	StepUseForgotten  = "use-forgotten"
	StepUnlinked      = "unlinked"
	StepDataRemoved   = "data-removed"
)

// Change is what an entry becomes.
type Change struct {
	Name   string
	Temp   string // path of new data, which SyncData has synced; empty: the data stays
	Data   string // base name of the data that the record names; empty: it has none
	Record []byte
}

// Commit makes the change, but for what Settle does. If it fails before the
// record is renamed, nothing has changed and the data is at Temp again. If the
// very last sync fails, the new entry is there, and so is the old data, in case
// a power cut brings the old record back.
func (s *Store) Commit(c Change) error {
	data := ""
	if c.Temp != "" {
		data = s.Path(c.Data)
	}
	committed, err := Place(c.Temp, data, s.RecordPath(c.Name), c.Record, s.step)
	if err == nil || committed || c.Temp == "" {
		return err
	}
	if _, gone := os.Lstat(c.Temp); errors.Is(gone, fs.ErrNotExist) {
		_ = os.Rename(data, c.Temp)
	}
	return err
}

// Place is the heart of Commit, for a store that calls its files by names of
// its own: it renames temp to data, unless temp is empty or has that name
// already, and writes the record. It reports whether the record was renamed.
func Place(temp, data, path string, record []byte, step func(string)) (committed bool, err error) {
	if temp != "" {
		if err := rename(temp, data, step); err != nil {
			return false, err
		}
	}
	staged, err := atomicfile.Stage(path, filePerm, func(w io.Writer) error {
		_, err := w.Write(record)
		return err
	})
	if err != nil {
		return false, err
	}
	step(StepRecordStaged)
	if err := staged.Commit(); err != nil {
		staged.Discard()
		return false, err
	}
	step(StepRecordCommitted)
	err = atomicfile.SyncDir(filepath.Dir(path))
	step(StepRecordSynced)
	return true, err
}

// CommitRecord is Commit for an entry without data whose record was too large to
// hold: it is at temp, and SyncData has synced it.
func (s *Store) CommitRecord(name, temp string) error {
	return rename(temp, s.RecordPath(name), s.step)
}

// rename puts data in its place, for good.
func rename(temp, data string, step func(string)) error {
	if temp != data {
		if err := os.Rename(temp, data); err != nil {
			return err
		}
	}
	step(StepDataRenamed)
	err := atomicfile.SyncDir(filepath.Dir(data))
	step(StepDataSynced)
	return err
}

// Settle follows a commit, which it cannot undo: it makes the link lead to the
// data, and removes other generations. Its error is that of the link.
func (s *Store) Settle(name, data string) error {
	var err error
	if s.Linked {
		err = s.Point(name, data)
		s.step(StepLinked)
	}
	if l, listErr := s.list(); listErr == nil && s.Generation != nil {
		if p := l.entries[name]; p != nil {
			s.removeData(p.data, data)
		}
	}
	s.step(StepOldRemoved)
	return err
}

// Point makes the link of an entry lead to its data. It replaces only a link of
// this store: what else has that name is somebody's own.
func (s *Store) Point(name, data string) error {
	path := s.LinkPath(name)
	target, err := os.Readlink(path)
	switch {
	case err == nil && target == data:
		return nil
	case err == nil && !s.ours(name, target), err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is not a link of this store", path)
	}
	staged, err := atomicfile.StageSymlink(data, path)
	if err != nil {
		return err
	}
	s.step(StepLinkStaged)
	if err := staged.Commit(); err != nil {
		staged.Discard()
		return err
	}
	return nil
}

// unlink removes the link for other tools, if it is ours.
func (s *Store) unlink(name string) {
	if target, err := os.Readlink(s.LinkPath(name)); err == nil && s.ours(name, target) {
		_ = os.Remove(s.LinkPath(name))
	}
}

// ours reports whether a link's target is data of the name.
func (s *Store) ours(name, target string) bool {
	of, ok := s.DataOf(target)
	return ok && of == name
}

// Remove removes entries, at the cost of one sync. Those whose records were
// removed are gone even if it fails later.
func (s *Store) Remove(names ...string) error {
	if len(names) == 0 {
		return nil
	}
	var gone []string
	var failed error
	for _, name := range names {
		if failed = os.Remove(s.RecordPath(name)); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			break
		}
		failed = nil
		gone = append(gone, name)
		s.step(StepRecordRemoved)
	}
	// Data must not go before the record's end is certain.
	if err := atomicfile.SyncDir(s.Dir); err != nil {
		return errors.Join(failed, err)
	}
	s.step(StepRemovalSynced)
	l, err := s.list()
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, name := range gone {
		s.clear(name, l.entries[name])
	}
	return failed
}

// RemoveUnless removes the entries that keep refuses.
func (s *Store) RemoveUnless(keep func(name string) bool) error {
	names, err := s.Names()
	return errors.Join(err, s.Remove(slices.DeleteFunc(names, keep)...))
}

// clear removes what is left of an entry without a record.
func (s *Store) clear(name string, p *files) {
	_ = os.Remove(s.UsedPath(name))
	s.step(StepUseForgotten)
	if s.Linked {
		s.unlink(name)
		s.step(StepUnlinked)
	}
	// Last, since it is by the data that a sweep sees what is unfinished.
	if p != nil {
		s.removeData(p.data, "")
	}
	s.step(StepDataRemoved)
}

// removeData removes generations but the one to keep. One that is a folder is
// none of ours.
func (s *Store) removeData(bases []string, keep string) {
	for _, base := range bases {
		if base == keep {
			continue
		}
		if info, err := os.Lstat(s.Path(base)); err == nil && !info.IsDir() {
			_ = os.Remove(s.Path(base))
		}
	}
}

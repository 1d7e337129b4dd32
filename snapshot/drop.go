package snapshot

import (
	"errors"
	"fmt"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// Drop removes a snapshot: CodeUnknownSnapshot if there is none,
// CodeSnapshotBusy while it is fetched or refreshed. Readers that have linked
// it keep what they have. after and the warnings are as for Install.
func (s *Store) Drop(name string, after After) (warnings []string, err error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return nil, err
	}
	doing := fmt.Sprintf("drop snapshot '%s'", name)
	unlock, err := s.lockAlone()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.idle(name); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(s.sidecarPath(name)); errors.Is(err, os.ErrNotExist) {
		return nil, s.unknown(name)
	}
	if err := s.expect(after); err != nil && !atomicfile.DiskFull(err) {
		return nil, atomicfile.Explain(doing, err)
	}
	if err := os.Remove(s.sidecarPath(name)); err != nil {
		return nil, atomicfile.Explain(doing, err)
	}
	s.step(stepSidecarRemoved)
	if err := s.clear([]string{name}); err != nil {
		return nil, atomicfile.Explain(doing, err)
	}
	return s.followed(after), nil
}

// clear removes what is left of snapshots whose sidecars have just been
// removed. The store is locked.
func (s *Store) clear(names []string) error {
	// Data must not go before the sidecar's end is certain.
	if err := atomicfile.SyncDir(s.dir); err != nil {
		return err
	}
	s.step(stepDropSynced)
	l, err := s.list()
	if err != nil {
		return err
	}
	for _, name := range names {
		_ = os.Remove(s.usedPath(name))
		s.step(stepUseForgotten)
		s.unlink(name)
		s.step(stepUnlinked)
		// Last, since it is by the data that a sweep sees what is unfinished.
		if p := l.snapshots[name]; p != nil {
			s.removeData(p.data, "")
		}
		s.step(stepDataRemoved)
	}
	return nil
}

package snapshot

import (
	"errors"
	"fmt"
	"os"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// Drop removes a snapshot. It returns CodeUnknownSnapshot if there is no such
// snapshot, and CodeSnapshotBusy during a fetch or refresh. Readers that have
// linked it keep their data. after and the warnings are as for Install.
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
	if _, err := os.Lstat(s.files.RecordPath(name)); errors.Is(err, os.ErrNotExist) {
		return nil, s.unknown(name)
	}
	if err := s.expect(after); err != nil && !atomicfile.DiskFull(err) {
		return nil, atomicfile.Explain(doing, err)
	}
	if err := s.remove(name); err != nil {
		return nil, atomicfile.Explain(doing, err)
	}
	return s.followed(after), nil
}

package artifact

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// Invalidate makes the next request for any file of a table ask the source again,
// also for other rights and in other processes.
func (s *Store) Invalidate(tableID string) error {
	if err := s.files.Make(); err != nil {
		return err
	}
	return atomicfile.WriteFile(s.files.Path(tableID+askedExt), []byte(s.now().UTC().Format(time.RFC3339Nano)), 0o600)
}

// RemoveUnless removes the files of tables that are no longer synced. Servers
// that share the folder may know different tables for a while, for example during
// an upgrade, so files written in the last day stay.
func (s *Store) RemoveUnless(ctx context.Context, known func(tableID string) bool) error {
	bases, err := store.BaseNames(s.files.Dir)
	if err != nil || len(bases) == 0 {
		return err
	}
	gone := func(tableID, base string) bool {
		info, err := os.Lstat(s.files.Path(base))
		return err == nil && s.now().Sub(info.ModTime()) >= retainedFor && !known(tableID)
	}
	var names []string
	for _, base := range bases {
		if id, ok := strings.CutSuffix(base, askedExt); ok && api.CheckName("table id", id) == nil && gone(id, base) {
			_ = os.Remove(s.files.Path(base)) // the next call tries again
		}
		name, _ := strings.CutSuffix(base, recordExt)
		if id, ok := tableOf(name); ok && name != base && gone(id, base) {
			names = append(names, name)
		}
	}
	return s.remove(ctx, names...)
}

func (s *Store) remove(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	lock, err := s.files.Lock(ctx, store.Alone)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return s.files.Remove(names...)
}

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// lockAlone takes the store's exclusive lock for a short change.
func (s *Store) lockAlone() (unlock func(), err error) {
	return s.lock(context.Background(), store.Alone, s.patience)
}

// lock takes the store's lock, exclusive or shared. It gives up when ctx is done
// or patience has run out.
func (s *Store) lock(ctx context.Context, mode store.Mode, patience time.Duration) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l, err := s.files.Lock(wait, mode)
	switch {
	case err == nil:
		return l.Unlock, nil
	case wait.Err() != nil && ctx.Err() == nil:
		return nil, s.stuck(err)
	}
	return nil, atomicfile.Explain("lock the snapshots", err)
}

// stuck is the error for a lock that should be held only briefly but does not
// become free.
func (s *Store) stuck(err error) error {
	return &api.Error{
		Code:    api.CodeSnapshotBusy,
		Message: "another process has been changing the snapshots for very long",
		Hint:    "If a process of da was suspended, resume or end it, then try again.",
		Details: map[string]any{"lock": s.files.LockPath()},
		Err:     err,
	}
}

// idle returns CodeSnapshotBusy if the name is being fetched. The caller holds
// the store's exclusive lock, so no fetch can start.
func (s *Store) idle(name string) error { return s.claimed(name, s.files.Idle(name)) }

// claimed returns the error for a failed claim.
func (s *Store) claimed(name string, err error) error {
	if errors.Is(err, store.ErrBusy) {
		return s.busy(name)
	}
	return atomicfile.Explain(fmt.Sprintf("lock snapshot '%s'", name), err)
}

// busy returns the error for a name that is being fetched; it names the process
// that does so.
func (s *Store) busy(name string) error {
	e := &api.Error{
		Code:    api.CodeSnapshotBusy,
		Message: fmt.Sprintf("snapshot '%s' is being fetched right now", name),
		Hint:    "Wait for that fetch to end, or use another name.",
		Details: map[string]any{"snapshot": name},
	}
	h, ok := s.files.Holder(name)
	if !ok {
		return e
	}
	e.Message += fmt.Sprintf(" (by process %d, started %s)", h.PID, ago(s.now().Sub(h.Since)))
	e.Details["pid"], e.Details["host"], e.Details["since"] = h.PID, h.Host, h.Since
	return e
}

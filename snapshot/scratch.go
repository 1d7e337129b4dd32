package snapshot

import "os"

// Scratch is a folder for what an engine cannot keep in memory. It is the
// holder's own, lies where the store lies, and goes with its holder.
type Scratch struct {
	// Dir is the folder; empty in a home where none can be made, as in one that
	// is read-only: the holder then does without.
	Dir string

	s    *Store
	lock *owned
}

// Scratch makes a folder for the caller, who closes it.
func (s *Store) Scratch() *Scratch {
	lock, err := own(s.readerLockPath)
	if err != nil {
		return &Scratch{s: s}
	}
	dir := s.readerDir(lock.id)
	if err := os.Mkdir(dir, dirPerm); err != nil {
		lock.release()
		return &Scratch{s: s}
	}
	return &Scratch{Dir: dir, s: s, lock: lock}
}

// Close removes the folder. It may be called more than once.
func (c *Scratch) Close() {
	if c.lock == nil {
		return
	}
	_ = os.RemoveAll(c.Dir)
	c.lock.release()
	c.lock = nil
}

package process

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Uncached has the system read a program from the disk again, as after a start of
// the machine. From Linux 6.18 on, the size of the pieces in which a file came into
// the system's cache decides how much of a program is resident: one that was written
// a moment ago counts with twice as much memory.
func Uncached(program string) error {
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	err = f.Sync()
	if err == nil {
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) //nolint:gosec // a descriptor
	}
	return errors.Join(err, f.Close())
}

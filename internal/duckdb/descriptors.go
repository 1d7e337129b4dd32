package duckdb

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// spareDescriptors is how many files a process must still be able to open when
// an instance starts. The engine aborts the process if it finds none.
const spareDescriptors = 8

// checkDescriptors fails if the process has too few descriptors left.
func checkDescriptors() error {
	for range spareDescriptors {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return fmt.Errorf("duckdb: no room to start the engine: %w", err)
		}
		defer f.Close()
	}
	return nil
}

// OutOfDescriptors reports whether err says that the process, or the machine,
// has no descriptors left.
func OutOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

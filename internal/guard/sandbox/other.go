//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

// Available returns what this machine can restrict: nothing.
func Available() Isolation { return Isolation{} }

// Command fails with ErrUnsupported.
func Command(context.Context, Spec) (*exec.Cmd, error) { return nil, ErrUnsupported }

// Start fails with ErrUnsupported.
func Start(context.Context, *exec.Cmd) error { return ErrUnsupported }

// Used fails with ErrUnsupported.
func Used(string, int, int64, Disk) (Disk, error) { return Disk{}, ErrUnsupported }

// Taken fails with ErrUnsupported.
func Taken(int) (Load, error) { return Load{}, ErrUnsupported }

// Moment is a time by the clock of a file system.
type Moment struct{}

// Now fails with ErrUnsupported.
func Now(string) (Moment, error) { return Moment{}, ErrUnsupported }

// RemoveSince fails with ErrUnsupported.
func RemoveSince(string, Moment) (removed, left Disk, err error) {
	return Disk{}, Disk{}, ErrUnsupported
}

// Main says that nothing can be isolated, and returns the exit code.
func Main(stderr io.Writer) int {
	fmt.Fprintln(stderr, ErrUnsupported)
	return 125
}

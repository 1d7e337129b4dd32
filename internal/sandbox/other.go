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

// Main says that nothing can be isolated, and returns the exit code.
func Main(stderr io.Writer) int {
	fmt.Fprintln(stderr, ErrUnsupported)
	return 125
}

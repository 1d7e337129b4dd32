//go:build unix

package kernelfs

import "syscall"

// NoWait keeps opening a pipe from waiting for a writer.
const NoWait = syscall.O_NONBLOCK

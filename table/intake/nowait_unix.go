//go:build unix

package intake

import "syscall"

// NoWait keeps the opening of a pipe from waiting for somebody who writes to
// it.
const NoWait = syscall.O_NONBLOCK

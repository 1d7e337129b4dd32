//go:build !linux

package worker

import "syscall"

// confine leaves out core dumps. No limit of this system's counts the memory of
// a process as the engine takes it.
func confine(int64) error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// resident is unknown here.
func resident() int64 { return 0 }

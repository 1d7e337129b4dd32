//go:build unix

package embedded

import "syscall"

// maxOpenFiles is how many files the process can have open.
func maxOpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 3*MaxFiles {
		return 3 * MaxFiles
	}
	return int(limit.Cur)
}

//go:build unix

package httpapi

import "syscall"

// connectionsFor is how many connections a process can have: a quarter of its
// descriptors. The files of lakes can use two thirds.
func connectionsFor() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 4*maxConnections {
		return maxConnections
	}
	return max(1, int(limit.Cur)/4)
}

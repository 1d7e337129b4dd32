package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// confine bounds the memory of this process, until it is called again; 0: not at
// all. RLIMIT_DATA counts what is written
// to; RLIMIT_AS would also count what Go and the allocators only reserve.
func confine(memory int64) error {
	// Of the processes on this machine a worker is missed least. It is not a fault
	// if the kernel does not take the advice.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("leave out core dumps: %w", err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("read the limit of the memory: %w", err)
	}
	limit.Cur = limit.Max
	if memory > 0 {
		limit.Cur = min(limit.Max, uint64(memory))
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	return nil
}

// resident is how much memory this process holds, in bytes; 0: unknown.
func resident() int64 {
	text, _ := os.ReadFile("/proc/self/statm") // unknown without it
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

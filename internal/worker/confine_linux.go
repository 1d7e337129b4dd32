package worker

import (
	"fmt"
	"os"
	"syscall"
)

// confine bounds the memory of this process. RLIMIT_DATA counts what is written
// to; RLIMIT_AS would also count what Go and the allocators only reserve.
func confine(memory int64) error {
	// Of the processes on this machine a worker is missed least. It is no fault
	// if the kernel does not take the advice.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("leave out core dumps: %w", err)
	}
	if memory <= 0 {
		return nil
	}
	limit := syscall.Rlimit{Cur: uint64(memory), Max: uint64(memory)}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	return nil
}

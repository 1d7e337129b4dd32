//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// notRestricted is the exit code of a sandbox that could not be made.
const notRestricted = 125

// Main restricts this process and becomes the program of the Spec. It returns
// only if it cannot, with the exit code.
func Main(stderr io.Writer) int {
	var s *Spec
	if err := json.Unmarshal([]byte(os.Getenv(envSpec)), &s); err != nil {
		fmt.Fprintln(stderr, "there is no program to isolate")
		return notRestricted
	}
	if s == nil {
		return 0 // only whether it starts was to be found out
	}
	// Landlock and seccomp restrict a thread, and the program starts from it.
	runtime.LockOSThread()
	err := s.restrict()
	if err == nil {
		// Last, since our own start has taken more addresses than the program may. What it
		// reserves without using it, as allocators do, counts for the second limit alone.
		err = errors.Join(limit(unix.RLIMIT_DATA, uint64(s.Memory)), limit(unix.RLIMIT_AS, 2*uint64(s.Memory)))
	}
	if err == nil {
		err = syscall.Exec(s.Program, append([]string{s.Program}, s.Args...), s.Env)
	}
	fmt.Fprintln(stderr, "the program cannot be isolated:", err)
	return notRestricted
}

func (s *Spec) restrict() error {
	for what, most := range map[int]uint64{
		unix.RLIMIT_FSIZE: uint64(s.FileSize), unix.RLIMIT_CPU: uint64(max(1, s.CPU/time.Second)), unix.RLIMIT_NOFILE: maxFiles, unix.RLIMIT_CORE: 0,
	} {
		if err := limit(what, most); err != nil {
			return err
		}
	}
	// The engine does not open its files close-on-exec, so this process has inherited
	// them, and Landlock does not restrict files that are already open.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close inherited files: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := s.landlock(); err != nil {
		return fmt.Errorf("restrict files: %w", err)
	}
	if err := s.filter(uint32(os.Getpid()), landlockVersion()); err != nil {
		return fmt.Errorf("restrict system calls: %w", err)
	}
	return nil
}

// maxFiles is how many files the program may have open.
const maxFiles = 256

func limit(what int, most uint64) error {
	if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("set limit %d to %d: %w", what, most, err)
	}
	return nil
}

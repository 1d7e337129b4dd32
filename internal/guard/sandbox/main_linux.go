//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

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
		err = s.become()
	}
	fmt.Fprintln(stderr, "the program cannot be isolated:", err)
	return notRestricted
}

// become bounds the memory of this process and makes it the program. The bounds come
// last, since our own start has taken more addresses than the program may. What it
// reserves without using it, as allocators do, counts for the second bound alone.
func (s *Spec) become() error {
	path, err := syscall.BytePtrFromString(s.Program)
	if err != nil {
		return err
	}
	args, err := syscall.SlicePtrFromStrings(append([]string{s.Program}, s.Args...))
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(s.Env)
	if err != nil {
		return err
	}
	bounds := [2]unix.Rlimit{{Cur: uint64(s.Memory), Max: uint64(s.Memory)}, {Cur: 2 * uint64(s.Memory), Max: 2 * uint64(s.Memory)}}
	// From here on nothing is allocated: there may be no memory for it.
	for i, what := range [2]uintptr{unix.RLIMIT_DATA, unix.RLIMIT_AS} {
		if _, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, what, uintptr(unsafe.Pointer(&bounds[i])), 0, 0, 0); errno != 0 {
			return errno
		}
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&args[0])),
		uintptr(unsafe.Pointer(&env[0])))
	return errno
}

func (s *Spec) restrict() error {
	for what, most := range map[int]uint64{
		unix.RLIMIT_FSIZE: uint64(s.FileSize), unix.RLIMIT_CPU: uint64(max(1, s.CPU/time.Second)), unix.RLIMIT_NOFILE: maxFiles,
		unix.RLIMIT_CORE: 0,
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

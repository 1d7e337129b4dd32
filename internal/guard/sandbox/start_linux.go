//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Available returns what this machine can restrict. It is found out once.
var Available = sync.OnceValue(func() Isolation {
	return Isolation{Landlock: landlockVersion(), Seccomp: hasSeccomp(), Namespaces: hasNamespaces()}
})

// Command prepares the program, which ends with ctx or with this process. The
// caller connects its streams and starts it. A program that cannot be
// restricted ends with exit code 125 and the reason on stderr.
func Command(ctx context.Context, s Spec) (*exec.Cmd, error) {
	if !Available().Enough() {
		return nil, ErrUnsupported
	}
	spec, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe", Arg)
	cmd.Args[0] = "da" // as the program knows itself
	cmd.Env = []string{envSpec + "=" + string(spec)}
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if Available().Namespaces {
		inNamespaces(cmd.SysProcAttr)
	}
	return cmd, nil
}

// Start starts a program that Command has prepared. The kernel ends the program
// when the thread ends that has started it, so this thread is kept until ctx is done.
func Start(ctx context.Context, cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			<-ctx.Done()
		}
	}()
	return <-started
}

// insider is the user and group in a user namespace: nobody special.
const insider = 1000

// inNamespaces gives a process namespaces of its own.
func inNamespaces(a *syscall.SysProcAttr) {
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: insider, HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: insider, HostID: os.Getegid(), Size: 1}}
}

// hasNamespaces tries: many systems forbid them to ordinary users.
func hasNamespaces() bool {
	cmd := exec.Command("/proc/self/exe", Arg)
	cmd.Args[0] = "da"
	cmd.Env = []string{envSpec + "=null"}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	inNamespaces(cmd.SysProcAttr)
	return cmd.Run() == nil
}

// landlockVersion is a variable for tests, which make it older than it is.
var landlockVersion = func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// hasSeccomp asks whether filters are known: without a filter the kernel finds
// a bad address, and else a bad argument.
func hasSeccomp() bool {
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0)
	return err == unix.EFAULT
}

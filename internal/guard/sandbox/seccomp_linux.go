//go:build linux && (amd64 || arm64)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the parts of a system call lie in struct seccomp_data, in bytes
// (linux/seccomp.h); arguments have 64 bits, low half first.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
)

// The instructions of the filter, as linux/bpf_common.h numbers them.
const (
	load      = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jumpEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpSet   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	jumpAbove = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	mask      = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	give      = unix.BPF_RET | unix.BPF_K
)

const (
	permitted = unix.SECCOMP_RET_ALLOW
	refused   = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	// ignored calls do nothing and succeed.
	ignored = unix.SECCOMP_RET_ERRNO
	// foreign are the numbers of another interface of the same machine (x32).
	foreign = 0x40000000
)

// program is a filter that is being written.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

// answer gives a call its answer.
func (p *program) answer(number, verdict uint32) {
	p.add(jumpEqual, number, 0, 1)
	p.add(give, verdict, 0, 0)
}

// when gives a call the answer then if an argument has one of the values, else
// otherwise. All these arguments have 32 bits for the kernel.
func (p *program) when(number, argument uint32, values []uint32, then, otherwise uint32) {
	p.add(jumpEqual, number, 0, uint8(len(values)+3))
	p.add(load, offArg0+8*argument, 0, 0)
	for i, v := range values {
		p.add(jumpEqual, v, uint8(len(values)-i), 0)
	}
	p.add(give, otherwise, 0, 0)
	p.add(give, then, 0, 0)
}

// withoutTruncating refuses a call that opens a file if its flags empty the file but
// do not say that it is written to: Landlock before version 3 allows these.
func (p *program) withoutTruncating(number, argument uint32) {
	p.add(jumpEqual, number, 0, 6)
	p.add(load, offArg0+8*argument, 0, 0)
	p.add(mask, unix.O_TRUNC|unix.O_ACCMODE, 0, 0)
	p.add(jumpEqual, unix.O_TRUNC|unix.O_RDONLY, 2, 0)
	p.add(jumpEqual, unix.O_TRUNC|unix.O_ACCMODE, 1, 0)
	p.add(give, permitted, 0, 0)
	p.add(give, refused, 0, 0)
}

// filterFor writes the filter of a process with that id, for a version of Landlock.
// What is not listed is unknown, as it would be to an older kernel: libraries are
// prepared for that.
func (s *Spec) filterFor(pid uint32, landlock int) program {
	var p program
	p.add(load, offArch, 0, 0)
	p.add(jumpEqual, arch, 1, 0)
	p.add(give, unix.SECCOMP_RET_KILL_PROCESS, 0, 0)
	p.add(load, offNumber, 0, 0)
	p.add(jumpAbove, foreign, 0, 1)
	p.add(give, unknown, 0, 0)
	if s.Office {
		p.when(unix.SYS_SOCKET, 0, []uint32{unix.AF_UNIX}, permitted, refused)
		p.answer(unix.SYS_BIND, ignored)
		p.answer(unix.SYS_LISTEN, ignored)
	}
	for _, number := range forbidden {
		p.answer(number, refused)
	}
	// A new thread, but no new process.
	p.add(jumpEqual, unix.SYS_CLONE, 0, 4)
	p.add(load, offArg0, 0, 0)
	p.add(jumpSet, unix.CLONE_THREAD, 0, 1)
	p.add(give, permitted, 0, 0)
	p.add(give, refused, 0, 0)
	// Signals to itself, its own limits and processors, and nobody else's.
	for _, number := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL} {
		p.when(number, 0, []uint32{pid}, permitted, refused)
	}
	for _, number := range []uint32{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY} {
		p.when(number, 0, []uint32{0, pid}, permitted, refused)
	}
	// A file can send any signal to its owner, a lease keeps others from a file, and
	// large pipes are memory that no limit counts.
	p.when(unix.SYS_FCNTL, 1, []uint32{unix.F_SETOWN, unix.F_SETSIG, unix.F_SETOWN_EX, unix.F_SETLEASE, unix.F_SETPIPE_SZ}, refused, permitted)
	p.when(unix.SYS_IOCTL, 1, []uint32{fioSetOwn, unix.SIOCSPGRP}, refused, permitted)
	// The end of its parent ends it.
	p.when(unix.SYS_PRCTL, 0, []uint32{unix.PR_SET_PDEATHSIG}, refused, permitted)
	p.when(unix.SYS_SOCKETPAIR, 0, []uint32{unix.AF_UNIX}, permitted, refused)
	// A message to the other end of a pair has no address; one with an address goes to
	// any socket of the machine.
	p.add(jumpEqual, unix.SYS_SENDTO, 0, 6)
	p.add(load, offArg0+8*4, 0, 0)
	p.add(jumpEqual, 0, 0, 3)
	p.add(load, offArg0+8*4+4, 0, 0)
	p.add(jumpEqual, 0, 0, 1)
	p.add(give, permitted, 0, 0)
	p.add(give, refused, 0, 0)
	if landlock < 3 { // it does not know of truncating: only calls on files opened for writing may
		p.answer(unix.SYS_TRUNCATE, refused)
		p.answer(unix.SYS_OPENAT2, unknown) // the filter cannot see its flags
		p.withoutTruncating(unix.SYS_OPENAT, 2)
		if oldOpen != 0 {
			p.withoutTruncating(oldOpen, 1)
		}
	}
	for _, number := range append([]uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_UTIMENSAT}, modesOfArch...) {
		p.answer(number, ignored)
	}
	for _, list := range [][]uint32{common, ofArch} {
		for _, number := range list {
			p.answer(number, permitted)
		}
	}
	p.add(give, unknown, 0, 0)
	return p
}

// filter puts the filter on this thread.
func (s *Spec) filter(pid uint32, landlock int) error {
	p := s.filterFor(pid, landlock)
	f := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
}

// forbidden are calls whose refusal programs should be told of by its name.
var forbidden = []uint32{
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_PTRACE, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT,
}

// fioSetOwn is FIOSETOWN of asm-generic/sockios.h.
const fioSetOwn = 0x8901

// common are the calls that programs need, of every machine. memfd_create is not
// one: no limit counts the memory that is written there. Calls for modes and times
// are not either, since Landlock allows them on every file of the user: they are
// ignored, as programs that copy files make them and do not expect a refusal.
var common = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP,
	unix.SYS_BRK, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPENDING,
	unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_SIGSUSPEND, unix.SYS_SIGALTSTACK, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREADV, unix.SYS_PWRITEV, unix.SYS_PREADV2, unix.SYS_PWRITEV2, unix.SYS_SCHED_YIELD,
	unix.SYS_MREMAP, unix.SYS_MSYNC, unix.SYS_MINCORE, unix.SYS_MADVISE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETITIMER, unix.SYS_SETITIMER,
	unix.SYS_GETTIMEOFDAY, unix.SYS_TIMES, unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETGID,
	unix.SYS_GETEUID, unix.SYS_GETEGID, unix.SYS_GETGROUPS, unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_GETPGID, unix.SYS_GETSID,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE,
	unix.SYS_FLOCK, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE,
	unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_UMASK,
	unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_STATX, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT,
	unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_READLINKAT, unix.SYS_FACCESSAT,
	unix.SYS_FACCESSAT2, unix.SYS_GETXATTR, unix.SYS_FGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_FADVISE64,
	unix.SYS_READAHEAD,
	unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_PSELECT6, unix.SYS_PPOLL, unix.SYS_PIPE2,
	unix.SYS_EVENTFD2, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_SETTIME,
	unix.SYS_RECVFROM, unix.SYS_SHUTDOWN, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_MEMBARRIER,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER,
	unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_GETPRIORITY,
	unix.SYS_GETRANDOM, unix.SYS_RESTART_SYSCALL, unix.SYS_CLOSE_RANGE, unix.SYS_EXECVE,
}

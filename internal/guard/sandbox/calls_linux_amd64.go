package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_X86_64

// ofArch are the older forms of calls that this machine still has.
var ofArch = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_POLL, unix.SYS_ACCESS, unix.SYS_PIPE, unix.SYS_SELECT, unix.SYS_DUP2,
	unix.SYS_PAUSE, unix.SYS_ALARM, unix.SYS_GETDENTS, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_CREAT, unix.SYS_LINK,
	unix.SYS_UNLINK, unix.SYS_SYMLINK, unix.SYS_READLINK, unix.SYS_GETRLIMIT, unix.SYS_GETPGRP,
	unix.SYS_ARCH_PRCTL, unix.SYS_TIME, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_NEWFSTATAT,
}

// modesOfArch are the older forms of the calls that change modes and times.
var modesOfArch = []uint32{unix.SYS_CHMOD, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

// oldOpen is the older form of openat.
const oldOpen = unix.SYS_OPEN

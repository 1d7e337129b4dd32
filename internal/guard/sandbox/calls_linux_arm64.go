package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

// ofArch are the calls that this machine names in its own way.
var ofArch = []uint32{unix.SYS_GETRLIMIT, unix.SYS_FSTATAT}

// modesOfArch is empty: there are no older forms of the calls that change modes and times.
var modesOfArch []uint32

// oldOpen is 0: there is no older form of openat.
const oldOpen = 0

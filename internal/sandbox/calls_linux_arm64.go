package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

// ofArch are the calls that this machine names in its own way.
var ofArch = []uint32{unix.SYS_GETRLIMIT, unix.SYS_FSTATAT}

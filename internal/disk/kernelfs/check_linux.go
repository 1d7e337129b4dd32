package kernelfs

import (
	"errors"
	"os"
	"syscall"
)

// kernels lists the file systems whose files the kernel generates, by the type
// number that statfs(2) returns: proc, sysfs, debugfs, tracefs, securityfs,
// cgroup, cgroup2, devpts, bpf, configfs, efivarfs, pstore and selinuxfs.
var kernels = map[uint32]bool{
	0x9fa0: true, 0x62656572: true, 0x64626720: true, 0x74726163: true, 0x73636673: true, 0x27e0eb: true, 0x63677270: true,
	0x1cd1: true, 0xcafe4a11: true, 0x62656570: true, 0xde5e81e4: true, 0x6165676c: true, 0xf97cff8c: true,
}

// ErrKernel says that a file is the kernel's.
var ErrKernel = errors.New("it is a file of the kernel, such as those in /proc, and holds no data")

// Check returns ErrKernel if the open file is the kernel's.
func Check(f *os.File) error {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	if kernels[uint32(st.Type)] {
		return ErrKernel
	}
	return nil
}

// pipes is the file system of pipes without a name in a folder.
const pipes = 0x50495045

// isNameless reports whether a pipe is one of a shell's, as /dev/fd/63 is.
func isNameless(path string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(path, &st) == nil && st.Type == pipes
}

//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights on files, as Landlock has them.
const (
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readDir  = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// ownDir lets a program keep files, folders and links, but no devices,
	// sockets or pipes, and run none of them.
	ownDir = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ofFiles = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// system is what every program reads: libraries, time zones, devices without
// content.
var system = map[string]uint64{
	"/lib": readDir, "/lib64": readDir, "/usr/lib": readDir, "/usr/lib64": readDir, "/usr/local/lib": readDir,
	"/usr/share/zoneinfo": readDir, "/etc/ld.so.cache": readFile, "/etc/localtime": readFile,
	"/dev/null": ofFiles, "/dev/zero": readFile, "/dev/urandom": readFile, "/dev/random": readFile,
}

// landlock forbids all files except those of the Spec, TCP, and signals to
// other processes, as far as the kernel knows how.
func (s *Spec) landlock() error {
	version := landlockVersion()
	handled := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM)<<1 - 1 // all of the first version
	attr := unix.LandlockRulesetAttr{}
	for since, more := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= since {
			handled |= more
		}
	}
	attr.Handled_access_fs = handled
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if version >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(attr.Scoped)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(rules))
	for path, rights := range system {
		if err := allow(int(rules), path, rights&handled); err != nil {
			return err
		}
	}
	for _, path := range limits() {
		_ = allow(int(rules), path, unix.LANDLOCK_ACCESS_FS_READ_FILE) // programs run without them, too
	}
	for _, path := range append([]string{s.Program}, s.Read...) {
		if err := allow(int(rules), path, readDir&handled); err != nil {
			return err
		}
	}
	if err := allow(int(rules), s.Dir, ownDir&handled); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// limits are the files in which a process finds the limits of its control group. DuckDB
// does not start where they are there and cannot be read.
func limits() []string {
	paths := []string{"/proc/self/cgroup"}
	groups := map[string]bool{"/": true}
	text, _ := os.ReadFile(paths[0]) // a file that cannot be read has no limits
	for line := range strings.Lines(string(text)) {
		if fields := strings.SplitN(strings.TrimSpace(line), ":", 3); len(fields) == 3 {
			groups[fields[2]] = true
		}
	}
	for group := range groups {
		for _, file := range []string{"cpu.max", "memory.max", "memory.high"} {
			paths = append(paths, filepath.Join("/sys/fs/cgroup", group, file), filepath.Join("/sys/fs/cgroup/unified", group, file))
		}
		for _, file := range []string{"cpu/:cpu.cfs_quota_us", "cpu/:cpu.cfs_period_us", "cpu,cpuacct/:cpu.cfs_quota_us",
			"cpu,cpuacct/:cpu.cfs_period_us", "memory/:memory.limit_in_bytes"} {
			paths = append(paths, filepath.Join("/sys/fs/cgroup", strings.Replace(file, ":", group+"/", 1)))
		}
	}
	return paths
}

// allow gives rights on a path and on what lies below it.
func allow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles // the others are those of folders
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("%s: %w", path, errno)
	}
	return nil
}

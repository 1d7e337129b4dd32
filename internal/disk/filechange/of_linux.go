package filechange

import (
	"io/fs"
	"syscall"
)

// Of returns when the file or its inode was last changed, in nanoseconds, and the
// inode. No program can set that time.
func Of(info fs.FileInfo) (nanos int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

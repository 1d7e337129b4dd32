//go:build linux

package cachedb

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time of the last change of the file's inode, which cannot
// be forged, and the inode.
func changeOf(info fs.FileInfo) (nanos int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

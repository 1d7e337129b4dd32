//go:build !linux

package filechange

import "io/fs"

// Of returns zeros where the system does not report changes in the same way.
func Of(fs.FileInfo) (nanos int64, inode uint64) { return 0, 0 }

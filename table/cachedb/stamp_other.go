//go:build !linux

package cachedb

import "io/fs"

// changeOf returns zeros, because other systems provide these values differently.
func changeOf(fs.FileInfo) (nanos int64, inode uint64) { return 0, 0 }

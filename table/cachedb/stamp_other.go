//go:build !linux

package cachedb

import "io/fs"

// changeOf returns nothing where the system does not tell it the same way.
func changeOf(fs.FileInfo) (nanos int64, inode uint64) { return 0, 0 }

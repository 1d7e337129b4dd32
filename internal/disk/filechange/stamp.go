package filechange

import (
	"fmt"
	"io/fs"
)

// Stamp is another text once the file has changed.
func Stamp(info fs.FileInfo) string {
	nanos, inode := Of(info)
	return fmt.Sprintf("%d.%d.%d.%d", info.Size(), info.ModTime().UnixNano(), nanos, inode)
}

package lake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// open opens a listed file through the root's handle. It fails if the file is no
// longer the one that was listed, because its name may now lead to anything.
func (l *Lake) open(f file) (*os.File, error) {
	opened, err := l.root.OpenFile(filepath.FromSlash(f.place), os.O_RDONLY|kernelfs.NoWait, 0)
	if err != nil {
		return nil, l.unopened(f, err)
	}
	info, err := opened.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() == f.size && (l.mirror != nil || f.unchanged(info)) {
		return opened, nil
	}
	_ = opened.Close() // not read
	if err != nil {
		return nil, unreadable(f.rel, err)
	}
	return nil, changed(f, nil)
}

// unchanged reports whether a file is still the one that was listed.
func (f file) unchanged(now fs.FileInfo) bool {
	changed, inode := filechange.Of(now)
	return now.ModTime().UnixNano() == f.mtime && changed == f.changed && inode == f.inode
}

// unopened says why a file that was listed cannot be opened.
func (l *Lake) unopened(f file, err error) error {
	if l.mirror != nil || errors.Is(err, fs.ErrPermission) {
		return unreadable(f.rel, err)
	}
	w := &walk{root: l.root}
	if _, reason := w.stat(f.rel); reason != nil {
		return reason
	}
	return changed(f, err)
}

// changed is the error for a file that has changed since it was listed. A retry
// can help.
func changed(f file, err error) error {
	e := sourceError(api.KindChangedMeanwhile, fmt.Sprintf("the file %s has changed meanwhile", f.rel), err)
	e.Hint = "Ask again when it is not written to."
	return e
}

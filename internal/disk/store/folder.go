package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

const (
	lockExt      = ".lock"
	folderPrefix = "run-"
	besidePrefix = ".da-out-"
)

// noLocks lists the errors of file systems without locks.
var noLocks = []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS, syscall.EINVAL}

// Folder is a folder that its process alone needs: for hard links to what it
// reads, or for what it cannot hold in memory. If the process is killed, a
// sweep removes it.
type Folder struct {
	Path  string
	owned *Owned // nil: the file system has no locks
}

// OpenFolder makes a folder below parent, which it makes if need be, and
// removes those whose processes are gone. The caller closes it.
func OpenFolder(parent string) (*Folder, error) {
	if err := os.MkdirAll(parent, dirPerm); err != nil {
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	sweepFolders(parent, folderPrefix)
	return newFolder(parent, folderPrefix)
}

// FolderBeside makes a hidden folder in one of the user's, for a file that will
// be renamed into it, and removes those there whose processes are gone. Where
// the file system has no locks, what a killed process leaves stays. The errors
// are the system's. The caller closes it.
func FolderBeside(parent string) (*Folder, error) {
	sweepFolders(parent, besidePrefix)
	f, err := newFolder(parent, besidePrefix)
	if slices.ContainsFunc(noLocks, func(no error) bool { return errors.Is(err, no) }) {
		path, err := os.MkdirTemp(parent, besidePrefix+"*")
		return &Folder{Path: path}, err
	}
	return f, err
}

// RunFolder makes a folder below run, which exists and holds only such
// folders. The caller closes it.
func RunFolder(run string) (*Folder, error) { return newFolder(run, "") }

func newFolder(parent, prefix string) (*Folder, error) {
	stem := filepath.Join(parent, prefix)
	if prefix == "" {
		stem += string(filepath.Separator)
	}
	owned, err := Own(func(id string) string { return stem + id + lockExt })
	if err != nil {
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	if err := os.Mkdir(stem+owned.ID, dirPerm); err != nil {
		owned.Release()
		return nil, fmt.Errorf("make a folder for scratch files: %w", err)
	}
	return &Folder{stem + owned.ID, owned}, nil
}

// Close removes the folder. It may be called more than once, and of nil.
func (f *Folder) Close() {
	if f == nil || f.Path == "" {
		return
	}
	err := os.RemoveAll(f.Path)
	f.Path = ""
	switch {
	case f.owned == nil:
	case err != nil:
		f.owned.lock.Unlock() // the next sweep removes what stays
	default:
		f.owned.Release()
	}
}

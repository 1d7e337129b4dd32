package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile replaces or creates the file at path, with exactly the permissions
// perm. If it returns nil, the new content survives a power cut; if it fails
// before the rename, the old file is unchanged. A symbolic link at path is
// replaced by the file. Errors are those of the system: see Explain.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return Write(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is WriteFile for content that write produces; an error of write is
// returned as it is.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	s, err := Stage(path, perm, write)
	if err != nil {
		return err
	}
	if err := s.Commit(); err != nil {
		s.Discard()
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncFile makes a file written by something else survive a power cut, and sets
// exactly the permissions perm. It does not follow a symbolic link.
func SyncFile(path string, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(perm), f.Sync()); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// SyncDir makes the names in a folder outlive a power cut. File systems that
// cannot sync a folder are taken at their word.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

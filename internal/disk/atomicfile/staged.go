package atomicfile

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tempMark comes between the name of a target and the random end of its
// temporary file: ".config.tmp-0f3a…" for "config".
const tempMark = ".tmp-"

// tempDigits is the length of the random end, in hex digits.
const tempDigits = 16

// Staged is a file or symbolic link that is complete on disk under a temporary
// name, in the folder of its target. Exactly one of Commit and Discard ends it;
// Discard after Commit does nothing.
type Staged struct {
	temp, path string
}

// Stage writes a file with exactly the permissions perm, whatever the umask
// is, and syncs it. Nothing is left behind if it fails.
func Stage(path string, perm fs.FileMode, write func(io.Writer) error) (_ *Staged, err error) {
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if err := f.Chmod(perm); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return &Staged{temp: f.Name(), path: path}, nil
}

// StageSymlink makes a symbolic link that says target, to be put at path.
func StageSymlink(target, path string) (*Staged, error) {
	var temp string
	err := eachName(path, func(name string) error {
		temp = name
		return os.Symlink(target, name)
	})
	if err != nil {
		return nil, err
	}
	return &Staged{temp: temp, path: path}, nil
}

// Commit renames the staged file over the target, which may exist; a symbolic
// link there is replaced, not followed. The rename survives a power cut only
// after SyncDir of the folder.
func (s *Staged) Commit() error {
	if err := os.Rename(s.temp, s.path); err != nil {
		return err
	}
	s.temp = ""
	return nil
}

// Discard removes a staged file that was not committed.
func (s *Staged) Discard() {
	if s.temp != "" {
		_ = os.Remove(s.temp)
		s.temp = ""
	}
}

// Leftover reports whether a base name is that of a temporary file of Stage or
// StageSymlink.
func Leftover(base string) bool {
	if !strings.HasPrefix(base, ".") {
		return false
	}
	i := strings.LastIndex(base, tempMark)
	if i < 2 || len(base)-i-len(tempMark) != tempDigits {
		return false
	}
	_, err := hex.DecodeString(base[i+len(tempMark):])
	return err == nil
}

// create opens a new temporary file for the target path.
func create(path string) (*os.File, error) {
	var f *os.File
	err := eachName(path, func(name string) (err error) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return f, err
}

// eachName tries temporary names for path until one is not taken.
func eachName(path string, try func(name string) error) error {
	dir, base := filepath.Split(path)
	for range 100 {
		var b [tempDigits / 2]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		err := try(filepath.Join(dir, "."+base+tempMark+hex.EncodeToString(b[:])))
		if !os.IsExist(err) {
			return err
		}
	}
	return fmt.Errorf("no free temporary name beside %s", path)
}

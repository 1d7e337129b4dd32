package config

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
)

// ChangeFile changes a file of settings as it is now: of two processes that change it
// at once, one waits. It writes through a symbolic link, and keeps the file's mode; a
// file that is missing counts as empty and gets the mode given. what names the file in
// errors, as in "the client config".
func ChangeFile(ctx context.Context, file, what string, mode fs.FileMode, change func([]byte) ([]byte, error)) error {
	failed := func(err error) error { return atomicfile.Explain("write "+what, err) }
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	lock, err := store.WaitLock(ctx, file+".lock", store.Alone)
	if err != nil {
		return failed(err)
	}
	defer lock.Remove()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &api.Error{Code: api.CodeConfig, Message: "cannot read " + what + ": " + err.Error(), Err: err}
	}
	text, err := change(data)
	if err != nil || bytes.Equal(text, data) {
		return err
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return failed(atomicfile.WriteFile(file, text, mode))
}

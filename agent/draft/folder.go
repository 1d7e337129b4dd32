package draft

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/workspace"
)

// Folder shows files of a draft below Dir, for tools that read paths. It can be
// used concurrently.
type Folder struct {
	Space func() (*workspace.Workspace, error)
	Dir   string
	// Passing says to remove a file that a tool has written there once the draft
	// has stored or refused it.
	Passing bool

	mu sync.Mutex
}

// Show implements agent.Folder: it makes a file available at its path. Anything
// that is not a file of the workspace is left to the tool.
func (f *Folder) Show(ctx context.Context, path string) error {
	name, err := workspace.CleanName(filepath.ToSlash(path))
	if err != nil || filepath.IsAbs(path) {
		return nil // the tool reports an invalid path
	}
	view, err := f.Space()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	content, err := view.Open(ctx, name)
	if api.CodeUnknownFile.Is(err) { // the tool may write it: folders come with their files
		return atomicfile.Explain("make a folder for a file", os.MkdirAll(filepath.Join(f.Dir, filepath.FromSlash(filepath.Dir(name))), 0o700))
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return linkOrCopy(content.File, filepath.Join(f.Dir, filepath.FromSlash(name)))
}

// Keep implements agent.Folder: it stores a file that a tool has written in the
// draft.
func (f *Folder) Keep(ctx context.Context, path string, caveats []api.Caveat) error {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(f.Dir, path)
		if err != nil {
			return err
		}
		path = rel
	}
	view, err := f.Space()
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Join(f.Dir, path))
	if err != nil {
		return &api.Error{Code: api.CodeReadFailed, Message: "cannot take the written file into the draft: " + err.Error(), Err: err}
	}
	defer file.Close()
	if f.Passing {
		defer func() { _ = os.Remove(file.Name()) }() // otherwise it is removed with the folder of its conversation
	}
	_, err = view.Telling(&caveats).Put(ctx, workspace.PutRequest{Name: filepath.ToSlash(filepath.Clean(path)), Source: workspace.Created},
		file)
	return err
}

// linkOrCopy makes path a hard link to a content that is never overwritten, or a copy
// of it.
func linkOrCopy(content *os.File, path string) error {
	want, err := content.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Lstat(path); err == nil && os.SameFile(want, there) {
		return nil
	}
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Explain("show a file of the workspace", err)
	}
	if os.Link(content.Name(), path) == nil {
		return nil
	}
	if err := write(content, path); err != nil {
		return atomicfile.Explain("show a file of the workspace", err)
	}
	return nil
}

// write writes a new file of 0600.
func write(from io.Reader, to string) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}

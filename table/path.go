package table

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table/cachedb"
	"github.com/agnes-data/da/table/intake"
)

// checkRoot resolves the root, so that links in its own path don't matter.
func (t *Tables) checkRoot() error {
	if t.cfg.Root == "" {
		return nil
	}
	root, err := filepath.EvalSymlinks(t.absolute(t.cfg.Root))
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(root); err == nil && !info.IsDir() {
			err = errors.New("it is no folder")
		}
	}
	if err != nil {
		return &api.Error{
			Code: api.CodeUsage, Message: fmt.Sprintf("the root %s cannot be used: %v", t.cfg.Root, err),
			Hint: "Give an existing folder with --root or DA_ROOT.", Err: err,
		}
	}
	t.cfg.Root = root
	return nil
}

func (t *Tables) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	if t.cfg.WorkDir != "" {
		return filepath.Join(t.cfg.WorkDir, path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

// resolve returns the real path of a file that exists, if it may be read.
func (t *Tables) resolve(path string) (string, error) {
	if path == "" {
		return "", &api.Error{Code: api.CodeValidation, Message: "no path was given"}
	}
	abs := t.absolute(path)
	if err := t.confine(abs, path); err != nil {
		return "", err // before anything outside is touched
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		reason := err
		var pe *fs.PathError
		if errors.As(err, &pe) {
			reason = pe.Err
		}
		return "", &api.Error{
			Code: api.CodeReadFailed, Message: fmt.Sprintf("cannot read %s: %v", path, reason),
			Hint: "Check the path; it is taken from the folder that the command runs in.", Details: map[string]any{"path": path}, Err: err,
		}
	}
	return real, t.confine(real, path)
}

// resolveTarget returns the real path of a file that is to be written.
func (t *Tables) resolveTarget(path string) (string, error) {
	if path == "" {
		return "", &api.Error{Code: api.CodeValidation, Message: "no target was given"}
	}
	abs := t.absolute(path)
	if err := t.confine(abs, path); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", &api.Error{
			Code: api.CodeWriteFailed, Message: fmt.Sprintf("cannot write %s: its folder does not exist", path),
			Details: map[string]any{"path": path}, Err: err,
		}
	}
	real := filepath.Join(dir, filepath.Base(abs))
	return real, t.confine(real, path)
}

// confine refuses a path outside of the root.
func (t *Tables) confine(abs, shown string) error {
	root := t.cfg.Root
	if root == "" || abs == root || strings.HasPrefix(abs, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
		return nil
	}
	// A path through a link to the root is inside, too.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		if rel, err := filepath.Rel(root, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil
		}
	}
	return &api.Error{
		Code: api.CodeSandbox, Message: fmt.Sprintf("%s lies outside of the root %s", shown, root),
		Hint: "Only files below the root can be read and written.", Details: map[string]any{"path": shown, "root": root},
	}
}

// open opens a source.
func (t *Tables) open(s Source) (cachedb.Source, *intake.File, error) {
	resolve := t.resolve
	if s.Path == "-" {
		resolve = t.standardInput
	}
	path, err := resolve(s.Path)
	if err != nil {
		return cachedb.Source{}, nil, err
	}
	f, err := intake.Open(path)
	if err != nil {
		return cachedb.Source{}, nil, err
	}
	return cachedb.Source{Path: path, Options: s.Options}, f, nil
}

package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
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
			err = errors.New("it is not a folder")
		}
	}
	if err != nil {
		return &api.Error{
			Code: api.CodeUsage, Message: fmt.Sprintf("the root %s cannot be used: %v", t.cfg.Root, err),
			Hint: "The root must be an existing folder.", Next: []api.Step{api.Set(api.OptionRoot, "name one")}, Err: err,
		}
	}
	t.cfg.Root = root
	if t.root, err = os.OpenRoot(root); err != nil {
		return fmt.Errorf("open the root: %w", err)
	}
	return nil
}

// opener opens the file at a resolved path. Below a root it uses the root's own
// handle, so that a symbolic link created between the check and the opening
// cannot lead outside.
func (t *Tables) opener(path string) intake.Opener {
	if t.root == nil {
		return func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|kernelfs.NoWait, 0) }
	}
	return func() (*os.File, error) {
		rel, err := filepath.Rel(t.cfg.Root, path)
		if err != nil {
			return nil, err
		}
		f, err := t.root.OpenFile(rel, os.O_RDONLY|kernelfs.NoWait, 0)
		return f, t.escaped(path, err)
	}
}

// escaped checks whether an error of the root's handle means that the path now
// leads outside; the handle says so only in its text.
func (t *Tables) escaped(path string, err error) error {
	if err == nil {
		return nil
	}
	if real, rerr := filepath.EvalSymlinks(path); rerr == nil {
		if cerr := t.confine(real, path); cerr != nil {
			return cerr
		}
	}
	return err
}

// throughHandle returns a path to the same file through an open handle of its folder, if
// the system has such paths. Then the file stays below the root even if the
// folder is replaced meanwhile.
func (t *Tables) throughHandle(target string) (path string, release func(), err error) {
	if t.root == nil {
		return target, func() {}, nil
	}
	dir, base := filepath.Split(target)
	rel, err := filepath.Rel(t.cfg.Root, dir)
	if err != nil {
		return "", nil, err
	}
	f, err := t.root.Open(rel)
	if err != nil {
		return "", nil, t.escaped(filepath.Clean(dir), err)
	}
	path = fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if !isFolder(path) { // the system has no such paths
		_ = f.Close()
		return target, func() {}, nil
	}
	return filepath.Join(path, base), func() { _ = f.Close() }, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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

// resolve returns the real path of an existing file, if reading it is allowed.
func (t *Tables) resolve(path string) (string, error) {
	if path == "" {
		return "", &api.Error{Code: api.CodeValidation, Message: "no path was given", Hint: "Name a file, or - for standard input."}
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
		return "", &api.Error{Code: api.CodeValidation, Message: "no target was given", Hint: "Name the file to write."}
	}
	abs := t.absolute(path)
	if err := t.confine(abs, path); err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return "", &api.Error{
			Code: api.CodeWriteFailed, Message: fmt.Sprintf("cannot write %s: its folder does not exist", path),
			Hint:    "Make the folder first, or name another file.",
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
		Code: api.CodeSandbox, Message: shown + " lies outside of the root", // which models need not know
		Hint: "Only files below the root can be read and written, by paths that begin there.", Details: map[string]any{"path": shown},
	}
}

// open opens a source.
func (t *Tables) open(ctx context.Context, s Source) (cachedb.Source, *intake.File, error) {
	var path string
	var open intake.Opener
	var f *intake.File
	var err error
	shown := s.Path
	if s.Path == "-" {
		if path, err = t.standardInput(); err == nil {
			open = func() (*os.File, error) { return os.Open(path) }
		}
	} else if path, err = t.resolve(s.Path); err == nil {
		shown, open = path, t.opener(path)
	}
	switch {
	case err != nil:
	case s.Page != 0:
		f, err = t.openPage(ctx, s, shown, open)
		s.Delimiter, s.Encoding = ",", "utf-8"
	default:
		f, err = intake.OpenWith(shown, open)
	}
	if err != nil {
		return cachedb.Source{}, nil, err
	}
	return cachedb.Source{Path: path, Options: s.Options}, f, nil
}

package output

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/printable"
)

// CheckTarget fails for a target that WriteFile would reject, so that nothing is
// paid for first. It returns CodeTargetExists unless force is set, and
// CodeNotWritable if the path is not a regular file or its folder does not exist.
func CheckTarget(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkFolder(path)
	case err != nil:
		return explainFile(path, err)
	case !info.Mode().IsRegular():
		return &api.Error{Code: api.CodeNotWritable, Message: fmt.Sprintf("%s is not a regular file", quoted(path)),
			Hint: "Name a file in a folder that is there."}
	case !force:
		return targetExists(path)
	}
	return nil
}

func checkFolder(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && info.IsDir() {
		return nil
	}
	return &api.Error{Code: api.CodeNotWritable, Message: fmt.Sprintf("%s is not a folder", quoted(filepath.Dir(path))),
		Hint: "Make the folder first, or choose another file with --out.", Err: err}
}

func targetExists(path string) error {
	return &api.Error{Code: api.CodeTargetExists, Message: fmt.Sprintf("%s exists already", quoted(path)),
		Hint: "Pass --force to replace it, or choose another name.", Details: map[string]any{"path": path}}
}

func explainFile(path string, err error) error {
	return explainWrite("write "+quoted(path), err)
}

func quoted(path string) string { return "'" + printable.Line(path) + "'" }

// WriteFile is Write into a file that appears at path complete or not at all,
// with the permissions that the umask allows. It replaces an existing file only
// with force, and then keeps its permissions; a symbolic link is followed to its
// file. Errors are those of Write and CheckTarget.
func WriteFile(ctx context.Context, path string, rdr api.Rows, f Format, force bool, o Options) (Summary, error) {
	o.Width, o.Terminal, o.Color = 0, false, false
	o.arrowFile = strings.EqualFold(filepath.Ext(path), ".arrow")
	var summary Summary
	fill := func(temp string) error {
		return fillFile(temp, func(w io.Writer) (err error) {
			summary, err = Write(ctx, w, rdr, f, o)
			return err
		})
	}
	if f == Parquet {
		fill = func(temp string) (err error) {
			summary, err = writeParquetFile(ctx, temp, rdr, o)
			return err
		}
	}
	err := appearAt(path, force, fill)
	return summary, err
}

// CreateFile lets write fill a file, which appears at path complete or not at
// all, as with WriteFile. An error of write is returned unchanged; others are
// those of WriteFile.
func CreateFile(path string, force bool, write func(io.Writer) error) error {
	return appearAt(path, force, func(temp string) error { return fillFile(temp, write) })
}

// appearAt is appear for a path that the user gave.
func appearAt(path string, force bool, fill func(temp string) error) error {
	if err := CheckTarget(path, force); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return appear(path, force, fill)
}

// fillFile writes an existing file through a buffer.
func fillFile(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return explainWrite("write the result", err)
	}
	w := bufio.NewWriterSize(sink{file}, flushAt)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := file.Close(); err == nil {
		err = explainWrite("write the result", closeErr)
	}
	return err
}

func writeParquetFile(ctx context.Context, path string, rdr api.Rows, o Options) (Summary, error) {
	rows := newLimited(ctx, rdr, o.MaxRows)
	defer rows.Release()
	more, err := parquetFile(ctx, path, rows, o)
	return Summary{Rows: rows.rows.Load(), Truncated: rows.truncated.Load(), Caveats: api.Arranged(append(rdr.Caveats(), more...))}, err
}

// appear lets write fill a file and then moves it to path; it returns an error of
// write unchanged. It works in a private folder beside the target, so that
// everything else that the writer creates is removed with the folder.
func appear(path string, force bool, write func(temp string) error) error {
	dir := filepath.Dir(path)
	work, err := store.FolderBeside(dir)
	if err != nil {
		return explainFile(path, err)
	}
	defer work.Close()
	temp := filepath.Join(work.Path, filepath.Base(path))
	perm, err := create(temp)
	if err != nil {
		return explainFile(path, err)
	}
	if old, err := os.Stat(path); err == nil {
		perm = old.Mode().Perm()
	}
	if err := write(temp); err != nil {
		return err
	}
	if err := atomicfile.SyncFile(temp, perm); err != nil {
		return explainFile(path, err)
	}
	if err := install(temp, path, force); err != nil {
		return explainFile(path, err)
	}
	return explainFile(path, atomicfile.SyncDir(dir))
}

// create makes an empty file and returns its permissions. This is the only way to
// read the umask without changing it.
func create(path string) (fs.FileMode, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// install moves temp to path. Without force it uses a hard link, which fails if
// the name has been taken meanwhile; a rename would replace the file.
func install(temp, path string, force bool) error {
	if force {
		return os.Rename(temp, path)
	}
	err := os.Link(temp, path)
	if err == nil {
		return nil
	}
	if _, statErr := os.Lstat(path); statErr == nil {
		return targetExists(path)
	}
	return os.Rename(temp, path) // the file system has no hard links
}

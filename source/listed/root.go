package listed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// Root is the folder that holds the tables, opened so that no path and no link
// leads out of it. Paths are relative to it, with forward slashes.
type Root struct {
	dir     string // absolute, links resolved
	root    *os.Root
	objects *objects // nil: the files of the folder itself
}

// NewRoot opens a folder.
func NewRoot(folder string) (*Root, error) {
	dir, err := filepath.Abs(folder)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	var root *os.Root
	if err == nil {
		var info fs.FileInfo
		// Opening anything but a folder might wait for ever.
		if info, err = os.Stat(dir); err == nil && !info.IsDir() {
			err = errors.New("it is not a folder")
		}
	}
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("the root %s of the source is not a readable folder", folder), Err: err}
	}
	return &Root{dir, root, nil}, nil
}

// Open opens a regular file.
func (r *Root) Open(rel string) (*os.File, fs.FileInfo, error) {
	where := rel
	if r.objects != nil {
		var err error
		if where, err = r.objects.place(rel); err != nil {
			return nil, nil, err
		}
	}
	f, err := r.root.OpenFile(filepath.FromSlash(where), os.O_RDONLY|kernelfs.NoWait, 0)
	if err != nil {
		return nil, nil, Unopened(rel, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		_ = f.Close() // not read
		return nil, nil, Unopened(rel, err)
	}
	return f, info, nil
}

// maxMetadata bounds a file of metadata that is read whole.
const maxMetadata = 512 << 20

// Read reads a file of metadata.
func (r *Root) Read(rel string) ([]byte, error) {
	f, info, err := r.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxMetadata {
		return nil, Broken(rel, fmt.Errorf("it has %d bytes", info.Size()))
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, Unopened(rel, err)
	}
	return b, nil
}

// List lists a folder, by names.
func (r *Root) List(rel string) ([]fs.DirEntry, error) {
	if r.objects != nil {
		return r.objects.list(rel)
	}
	entries, err := fs.ReadDir(r.root.FS(), rel)
	if err != nil {
		return nil, Unopened(rel, err)
	}
	return entries, nil
}

// IsFolder reports whether there is a folder.
func (r *Root) IsFolder(rel string) bool {
	if r.objects != nil {
		_, err := r.objects.first(rel + "/")
		return err == nil
	}
	info, err := r.root.Stat(filepath.FromSlash(rel))
	return err == nil && info.IsDir()
}

// Stat describes a file.
func (r *Root) Stat(rel string) (fs.FileInfo, error) {
	if r.objects != nil {
		b, err := r.objects.find(rel)
		return objectInfo{b}, err
	}
	info, err := r.root.Stat(filepath.FromSlash(rel))
	if err != nil {
		return nil, Unopened(rel, err)
	}
	return info, nil
}

// Split separates the name of a relation into a folder and what stands behind the
// last @, which names a version of the table.
func (r *Root) Split(name string) (dir, at string, err error) {
	dir = strings.TrimSuffix(name, "/")
	if i := strings.LastIndexByte(dir, '@'); i > 0 && !r.IsFolder(dir) {
		dir, at = dir[:i], dir[i+1:]
	}
	switch {
	case !fs.ValidPath(dir):
		return "", "", badPath(name, "it is not a path below the root of its source")
	case !r.IsFolder(dir):
		e := &api.Error{Code: api.CodeSource, Kind: api.KindNoFiles, Message: fmt.Sprintf("there is no folder %s", api.Clip(dir, 200))}
		e.Hint = "The path of a table is that of its folder, relative to the root of its source; see the instance file."
		return "", "", e
	}
	return dir, at, nil
}

// Below is the path of a file that metadata name, relative to the root: rel is
// relative to the table's folder.
func Below(dir, rel string) (string, error) {
	p := path.Join(dir, rel)
	if !fs.ValidPath(p) {
		return "", Outside(rel)
	}
	return p, nil
}

// Schemeless writes a location in one of the forms that mean the same.
func Schemeless(location string) string {
	if rest, ok := strings.CutPrefix(location, "file:"); ok {
		return "/" + strings.TrimLeft(rest, "/")
	}
	for _, scheme := range []string{"s3a://", "s3n://"} {
		if rest, ok := strings.CutPrefix(location, scheme); ok {
			return "s3://" + rest
		}
	}
	return strings.TrimPrefix(location, "./")
}

// Locate is the path of a file that metadata name by its whole path, with or without
// file: before it, or by that of an object.
func (r *Root) Locate(file string) (string, error) {
	p, at := path.Clean(Schemeless(file)), filepath.ToSlash(r.dir)
	if r.objects != nil {
		p, at = Schemeless(file), r.objects.at
	}
	rel, ok := strings.CutPrefix(p, strings.TrimSuffix(at, "/")+"/")
	if !ok || !fs.ValidPath(rel) {
		return "", Outside(file)
	}
	return rel, nil
}

func badPath(name, why string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindBadPath,
		Message: fmt.Sprintf("%s is not a path of a table: %s", api.Clip(name, 200), why)}
}

// Outside is the error for a file that does not lie below the root.
func Outside(file string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindOutsideRoot,
		Message: fmt.Sprintf("the table names a file %s that does not lie below the root of the source", api.Clip(path.Base(file), 200)),
		Err:     fmt.Errorf("the file is %s", file),
		Hint:    "The operator can set the root of the source to a folder that holds all files of the table. " + api.InServerLog}
}

// Unopened is the error for a file that cannot be opened or read.
func Unopened(rel string, err error) error {
	var known *api.Error
	switch {
	case errors.As(err, &known): // of a bucket
		return err
	case errors.Is(err, fs.ErrNotExist):
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
			Message: fmt.Sprintf("the file %s, which the table names, is not there", rel), Err: err,
			Hint: "If files were removed that an older version of the table names, ask for the newest one; if the table is being cleaned up, ask again."}
	case strings.Contains(err.Error(), "escapes"):
		return Outside(rel)
	}
	e := &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: rel + " cannot be read", Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Message += ": permission denied"
	}
	return e
}

// Broken is the error for metadata that do not say what they should.
func Broken(rel string, err error) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
		Message: fmt.Sprintf("the metadata %s cannot be understood: %s", rel, api.Clip(err.Error(), 300)), Err: err}
}

// Refused is the error for a table that uses what cannot be read here.
func Refused(what string) error {
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnlikeFiles, Message: "the table cannot be read: " + what,
		Hint: "Have the program that writes it copy its rows into a table without that, or export them as plain parquet files."}
}

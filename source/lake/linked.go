package lake

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/source/embedded"
)

// linked are the files that the engine reads for one request: links in a folder
// of the lake's own. A link leads to the file that is open in this process and
// was checked, so it does not matter if somebody replaces the file's name. The
// paths are new for each request, so that nothing the engine caches by path can
// belong to another file. They also avoid all characters that are special to the
// engine.
type linked struct {
	dir    string
	files  []*os.File
	taken  int               // taken from embedded.Openable
	paths  map[string]string // by file.rel
	byPath map[string]*file
}

// linkPattern matches the path of a link in the engine's messages. It contains
// the file's index in its table.
const linkPattern = `/\d+/(\d+)(?:/[^\n]*?/data)?\.[a-z]+(?:\.(?:gz|zst))?`

// The digits of the number of a request, and of a file's index in its table. They are
// always as many, so that the index has its place in every path of a lake.
const (
	requestDigits = 19
	indexDigits   = 6
)

// indexAt is the place of a file's index in the path of its link, counted in
// characters from 1.
func (l *Lake) indexAt() int { return utf8.RuneCountInString(l.links) + 1 + requestDigits + 2 }

// linking creates the folder for a request that opens n files.
func (l *Lake) linking(n int) (*linked, error) {
	dir := filepath.Join(l.links, fmt.Sprintf("%0*d", requestDigits, l.requests.Add(1)))
	k := &linked{dir: dir, paths: map[string]string{}, byPath: map[string]*file{}}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, embedded.Internal("make a folder for a request", err)
	}
	if err := embedded.Openable.Take(n); err != nil {
		_ = os.Remove(dir)
		return nil, err
	}
	k.taken = n
	return k, nil
}

// link opens files for the engine. The caller closes the result when the engine
// has finished with them.
func (l *Lake) link(set *fileSet, files []file) (*linked, error) {
	n := 0
	if l.mirror == nil {
		n = len(files)
	}
	k, err := l.linking(n)
	if err != nil {
		return nil, err
	}
	for i := range files {
		if err := l.linkFile(k, set, &files[i]); err != nil {
			k.close()
			return nil, err
		}
	}
	return k, nil
}

// link opens files for the engine until the request has ended.
func (h *hold) link(l *Lake, set *fileSet, files []file) (*linked, error) {
	k, err := l.link(set, files)
	if err == nil {
		h.links = append(h.links, k)
	}
	return k, err
}

// files lists the open files of the request.
func (h *hold) files() (open []*os.File) {
	for _, k := range h.links {
		open = append(open, k.files...)
	}
	return open
}

// linkFile creates the link to one file.
func (l *Lake) linkFile(k *linked, set *fileSet, f *file) error {
	target := l.abs(*f)
	if l.mirror == nil {
		opened, err := l.open(*f)
		if err != nil {
			return err
		}
		k.files = append(k.files, opened)
		target = embedded.Path(opened, target)
	}
	return k.put(set, f, target, extensionOf(strings.ToLower(f.rel)))
}

// put creates a link to the file with the rows, below folders that name its
// partitions.
func (k *linked) put(set *fileSet, f *file, target, extension string) error {
	path := filepath.Join(k.dir, fmt.Sprintf("%0*d", indexDigits, f.index))
	for i, key := range set.keys {
		path = filepath.Join(path, key+"="+hiveEncoded(f.hive[i]))
	}
	if len(set.keys) > 0 {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return embedded.Internal("make a folder for a file", err)
		}
		path = filepath.Join(path, "data")
	}
	path += extension
	if err := os.Symlink(target, path); err != nil {
		return embedded.Internal("link a file", err)
	}
	k.paths[f.rel], k.byPath[path] = path, f
	return nil
}

// close takes the links away, and closes the files.
func (k *linked) close() {
	_ = os.RemoveAll(k.dir) // at the latest, it is removed with the lake's folder
	for _, f := range k.files {
		_ = f.Close() // only read
	}
	embedded.Openable.Give(k.taken)
	k.files, k.taken = nil, 0
}

// file returns the file for a path of the engine.
func (k *linked) file(path any) (*file, error) {
	name, _ := path.(string)
	if f := k.byPath[name]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("the engine lists a file that it was not given")
}

// list writes files as a list of the engine's.
func (k *linked) list(files []file) string {
	quoted := make([]string, len(files))
	for i, f := range files {
		quoted[i] = k.literal(f)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// literal writes a file's path so that the engine reads exactly this file.
func (k *linked) literal(f file) string { return duckdb.PathLiteral(k.paths[f.rel]) }

// portion is how many files are open at a time while tables are described.
const portion = 500

// portions links files, not too many at a time, and hands them over.
func (l *Lake) portions(set *fileSet, files []file, each func(k *linked, files []file) error) error {
	for part := range slices.Chunk(files, portion) {
		k, err := l.link(set, part)
		if err != nil {
			return err
		}
		err = each(k, part)
		k.close()
		if err != nil {
			return err
		}
	}
	return nil
}

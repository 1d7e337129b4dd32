package listed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/source/embedded"
)

// Request has the files of one request: links, in a folder of its own, to files
// that are open in this process and were checked. It does not matter what their
// names lead to meanwhile, and no path is one that the engine knows already.
type Request struct {
	Root *Root
	of   *Source
	dir  string // made with the first link

	names []string // by the number of the link, below the root
	paths map[string]string
	files []*os.File
	refs  atomic.Int64
}

// with runs a request. What it returns may retain the request.
func with[T any](ctx context.Context, s *Source, request func(*Request) (T, error)) (T, error) {
	r := &Request{Root: s.root.during(ctx), of: s, paths: map[string]string{}}
	r.refs.Store(1)
	defer r.release()
	return request(r)
}

func (r *Request) release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	if r.dir != "" {
		_ = os.RemoveAll(r.dir) // at the latest, it is removed with the source's folder
	}
	for _, f := range r.files {
		_ = f.Close() // only read
	}
	embedded.Openable.Give(len(r.files))
	r.Root.end()
}

// path makes the path of the next link.
func (r *Request) path(name string) (string, error) {
	if r.dir == "" {
		dir := filepath.Join(r.of.links, strconv.FormatInt(r.of.requests.Add(1), 10))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", embedded.Internal("make a folder for a request", err)
		}
		r.dir = dir
	}
	r.names = append(r.names, name)
	return filepath.Join(r.dir, fmt.Sprintf("%06d.parquet", len(r.names)-1)), nil
}

// Link opens a parquet file for the engine, and returns its path there. A size
// below 0 is not known; any other one must be the file's.
func (r *Request) Link(file string, size int64) (string, error) {
	if p, ok := r.paths[file]; ok {
		return p, nil
	}
	if len(r.names) >= embedded.MaxFiles {
		return "", &api.Error{Code: api.CodeSource, Kind: api.KindTooManyFiles,
			Message: fmt.Sprintf("the request needs more than %d files", embedded.MaxFiles),
			Hint:    "Ask for fewer partitions, or have the table's files compacted."}
	}
	if err := embedded.Openable.Take(1); err != nil {
		return "", err
	}
	f, info, err := r.Root.Open(file)
	if err != nil {
		embedded.Openable.Give(1)
		return "", err
	}
	r.files = append(r.files, f)
	if size >= 0 && info.Size() != size {
		return "", &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
			Message: fmt.Sprintf("the file %s has %d bytes, but the table's metadata say %d", file, info.Size(), size)}
	}
	p, err := r.path(file)
	if err != nil {
		return "", err
	}
	if err := os.Symlink(embedded.Path(f, f.Name()), p); err != nil {
		return "", embedded.Internal("link a file", err)
	}
	r.paths[file] = p
	return p, nil
}

// checkLists checks the lists of linked files once.
func (r *Request) checkLists(files []File) error {
	for _, f := range files {
		if _, done := r.of.sound.Get(f.Path); done {
			continue
		}
		if err := parquetfile.CheckListsOf(r.paths[f.Path]); err != nil {
			return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: f.Path + " cannot be read: " + err.Error()}
		}
		r.of.sound.Put(f.Path, struct{}{}, 1)
	}
	return nil
}

// LinkLog links the log beside a linked file, if there is one, so that the engine
// finds it: its name is that of the file with an end.
func (r *Request) LinkLog(file, end string) error {
	if _, err := r.Root.Stat(file + end); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	log, err := r.Link(file+end, -1)
	if err != nil {
		return err
	}
	if err := os.Symlink(log, r.paths[file]+end); err != nil && !errors.Is(err, fs.ErrExist) {
		return embedded.Internal("link a log", err)
	}
	return nil
}

// Isolated runs a job of a format in a process of its own; see embedded.Each.
func (r *Request) Isolated(ctx context.Context, j worker.Job, each func([]any) error) error {
	j.Engine = r.of.engines.Settings(true)
	rows, err := r.of.engines.Isolated(ctx, j, r.files, nil)
	if err != nil {
		return err
	}
	return embedded.Each(rows, each)
}

// Rows runs a statement of ours over linked files; see embedded.Session.
func (r *Request) Rows(ctx context.Context, sql string, each func([]any) error) (err error) {
	s, err := r.of.engines.Session(ctx, true)
	if err != nil {
		return err
	}
	defer func() { s.Done(err == nil) }()
	return s.Rows(ctx, sql, each)
}

// Columns describes a relation over linked files: the engine's types by names.
func (r *Request) Columns(ctx context.Context, from string) (types map[string]string, err error) {
	s, err := r.of.engines.Session(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { s.Done(err == nil) }()
	cols, err := s.Describe(ctx, "SELECT * FROM "+from)
	types = make(map[string]string, len(cols))
	for _, c := range cols {
		types[c.Name] = c.Type
	}
	return types, err
}

// file returns the name of a linked file that a message of the engine mentions.
func (r *Request) file(said string) (string, bool) {
	m := r.of.linked.FindStringSubmatch(said)
	if m == nil {
		return "", false
	}
	i, err := strconv.Atoi(m[1])
	if err != nil || i >= len(r.names) {
		return "", false
	}
	return r.names[i], true
}

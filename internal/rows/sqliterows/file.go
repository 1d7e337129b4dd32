package sqliterows

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/rows/format"
)

// File is an open file, at one state of it.
type File struct {
	conn *sql.Conn
	db   *sql.DB
	copy string // its folder; empty: none was made
}

// Open opens a file for reading. One that keeps a log beside it is copied into a new
// folder below temp: to read it in place would write beside it, and without its log
// it misses rows.
func Open(ctx context.Context, path, temp string) (_ *File, err error) {
	f := &File{}
	defer func() {
		if err != nil {
			f.Close()
			err = explain(err)
		}
	}()
	// SQLite finds logs and locks by the name that other programs use.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	logged, err := logged(path)
	if err != nil {
		return nil, err
	}
	if logged {
		if f.copy, err = os.MkdirTemp(temp, "sqlite-"); err != nil {
			return nil, err
		}
		if path, err = snapshot(ctx, path, f.copy); err != nil {
			return nil, err
		}
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&_pragma=query_only(1)&_pragma=trusted_schema(0)" +
		"&_pragma=cell_size_check(1)&_pragma=mmap_size(0)&_pragma=busy_timeout(5000)"
	if f.db, err = sql.Open("sqlite", dsn); err != nil {
		return nil, err
	}
	if f.conn, err = f.db.Conn(ctx); err != nil {
		return nil, err
	}
	if _, err = f.conn.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	return f, nil
}

// Close ends reading, and removes the copy.
func (f *File) Close() {
	if f.conn != nil {
		_ = f.conn.Close() // it was only read
	}
	if f.db != nil {
		_ = f.db.Close()
	}
	if f.copy != "" {
		_ = os.RemoveAll(f.copy) // what stays goes with temp
	}
}

// logged reports whether a file keeps its changes in a log before it takes them in.
func logged(path string) (bool, error) {
	f, _, err := regular(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 20)
	if _, err := io.ReadFull(f, head); err != nil || format.Begins(head) != format.SQLite {
		return false, errors.New("the file is not of SQLite")
	}
	return head[19] > 1, nil // the version that a reader needs
}

func regular(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|kernelfs.NoWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		_ = f.Close() // not read
		return nil, nil, err
	}
	return f, info, nil
}

// attempts is how often a file is copied that changes meanwhile.
const attempts = 5

// snapshot copies a file and its log as they are at one time.
func snapshot(ctx context.Context, path, dir string) (string, error) {
	to := filepath.Join(dir, "copy.sqlite")
	for range attempts {
		before := stamp(path)
		for _, end := range []string{"", LogEnd} {
			if err := clone(path+end, to+end); err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
		}
		if stamp(path) == before || ctx.Err() != nil {
			return to, ctx.Err()
		}
	}
	return "", &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile,
		Message: "the database was changed each time that it was copied", Hint: "Ask again when the program that writes it rests."}
}

// LogEnd ends the name of the log beside a file.
const LogEnd = "-wal"

// stamp is another text whenever the file or its log may have other rows.
func stamp(path string) (text string) {
	for _, end := range []string{"", LogEnd} {
		if info, err := os.Stat(path + end); err == nil {
			text += filechange.Stamp(info)
		}
		text += " "
	}
	return text
}

func clone(from, to string) error {
	in, _, err := regular(from)
	if err != nil {
		return errors.Join(err, os.RemoveAll(to)) // of an attempt before
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

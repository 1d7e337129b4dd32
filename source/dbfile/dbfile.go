package dbfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/filechange"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/source/listed"
)

// OpenDuckDB opens a file of DuckDB.
func OpenDuckDB(file string, o listed.Options) (*listed.Source, error) {
	return open(file, o, "duckdb", duckReader{})
}

// OpenSQLite opens a file of SQLite.
func OpenSQLite(file string, o listed.Options) (*listed.Source, error) {
	return open(file, o, "sqlite", sqliteReader{})
}

func open(file string, o listed.Options, name string, kind reader) (*listed.Source, error) {
	o.Root = filepath.Dir(file)
	return listed.Open(&format{reader: kind, name: name, file: filepath.Base(file), tables: lru.New[*listed.Table](maxTables, maxTables)}, o)
}

const maxTables = 1000

// reader knows one kind of files.
type reader interface {
	logEnd() string // of the name of the log beside a file
	list(ctx context.Context, r *listed.Request, file string) (tables, views []string, err error)
	// describe makes all of a table but its version; nil if it is not there.
	describe(ctx context.Context, r *listed.Request, file, table string) (*listed.Table, error)
}

// format implements listed.Format and listed.Lister for the tables of one file.
type format struct {
	reader
	name, file string
	tables     *lru.Cache[*listed.Table] // by the file's state and the name
}

func (f *format) Name() string { return f.name }

// Split implements listed.Format.
func (f *format) Split(*listed.Root, string) (table, at string, err error) {
	return "", "", errors.ErrUnsupported
}

// Tables implements listed.Lister.
func (f *format) Tables(ctx context.Context, r *listed.Request) (tables, views []string, err error) {
	tables, views, err = f.list(ctx, r, f.file)
	return tables, views, f.explain(err)
}

// Table describes a table, unless its file is as it was.
func (f *format) Table(ctx context.Context, r *listed.Request, name string) (*listed.Table, error) {
	version, err := f.version(r)
	if err != nil {
		return nil, err
	}
	if t, ok := f.tables.Get(version + name); ok {
		return t, nil
	}
	t, err := f.describe(ctx, r, f.file, name)
	if err == nil && t == nil {
		err = f.missing(ctx, r, name)
	}
	if err != nil {
		return nil, f.explain(err)
	}
	t.Version = version
	f.tables.Put(version+name, t, 1)
	return t, nil
}

// version is another one once the file or its log has changed.
func (f *format) version(r *listed.Request) (string, error) {
	info, err := r.Root.Stat(f.file)
	if err != nil {
		return "", err
	}
	text := filechange.Stamp(info)
	switch log, err := r.Root.Stat(f.file + f.logEnd()); {
	case err == nil:
		text += " " + filechange.Stamp(log)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return fmt.Sprintf("%016x", xxh3.HashString(text)), nil
}

// missing is the error for a table that is not there.
func (f *format) missing(ctx context.Context, r *listed.Request, name string) error {
	e := &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation, Message: fmt.Sprintf("the database has no table %s", api.Clip(name, 200))}
	if names, _, err := f.list(ctx, r, f.file); err == nil && names == nil {
		e.Hint = "It has none."
	} else if err == nil {
		e.Hint = "A view is not read: make a table of its rows, as by CREATE TABLE … AS SELECT, and name that. The tables are: " +
			api.Clip(strings.Join(names, ", "), 300) + "."
		if near := suggest.Near(name, names); len(near) > 0 {
			e.Details = map[string]any{"suggestions": near}
		}
	}
	return e
}

// explain says which file an error is about.
func (f *format) explain(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeSource || strings.HasPrefix(e.Message, f.file) {
		return err
	}
	out := *e
	out.Message = f.file + ": " + e.Message
	return &out
}

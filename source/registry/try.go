package registry

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
)

// Try describes tables of a folder, for a type of source that needs nothing else, and returns
// the errors by their names.
func Try(ctx context.Context, typ api.SourceType, root string, tables []string) map[string]error {
	failed := map[string]error{}
	src, err := openOne(config.Source{Type: typ, Text: map[string]string{"root": root}}, With{})
	for _, name := range tables {
		why := err
		if err == nil {
			_, why = src.Schema(ctx, source.Relation{Name: name})
		}
		if why != nil {
			failed[name] = why
		}
	}
	if err == nil {
		_ = src.Close() // it was only read
	}
	return failed
}

// TablesOf lists the tables of a database file, and its views, which are not read, for a type
// of source that reads such.
func TablesOf(ctx context.Context, typ api.SourceType, file string) (tables, views []string, err error) {
	src, err := openOne(config.Source{Type: typ, Text: map[string]string{"file": filepath.Clean(file)}}, With{})
	if err != nil {
		return nil, nil, err
	}
	tables, views, err = src.(interface { //nolint:forcetypeassert // these types do
		Tables(ctx context.Context) (tables, views []string, err error)
	}).Tables(ctx)
	return tables, views, errors.Join(err, src.Close())
}

package registry

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source"
)

// Try describes a table of a folder, for a type of source that needs nothing else.
func Try(ctx context.Context, typ api.SourceType, root, table string) error {
	src, err := openOne(config.Source{Type: typ, Text: map[string]string{"root": root}}, With{})
	if err != nil {
		return err
	}
	_, err = src.Schema(ctx, source.Relation{Name: table})
	return errors.Join(err, src.Close())
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

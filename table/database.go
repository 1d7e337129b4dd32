package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/sqliterows"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/table/intake"
)

// stored are the rows of a table in a database file.
type stored struct {
	recordreader.Rows
	names []string // of all tables in the file
	name  string
	told  []api.Caveat
	done  func()
}

// database opens a table of a database file; want may be empty if there is only one.
func (t *Tables) database(ctx context.Context, f *intake.File, want string) (*stored, error) {
	o, err := (*stored)(nil), unlogged(f)
	if err == nil {
		if f.Kind == format.SQLite {
			o, err = openSQLite(ctx, f, want, t.store.Dir())
		} else {
			o, err = openDuckDB(ctx, f, want)
		}
	}
	var e *api.Error
	if errors.As(err, &e) && e.Code == api.CodeSource {
		e.Code, e.Details = api.CodeReadFailed, map[string]any{"path": f.Path}
	}
	if err == nil {
		o.Own(o.RecordReader, o.done)
	}
	return o, err
}

// unlogged refuses a file whose newest rows may be in a log beside it: what is known of
// a file is known by its own bytes.
func unlogged(f *intake.File) error {
	end := map[format.Kind]string{format.SQLite: sqliterows.LogEnd, format.DuckDB: ".wal"}[f.Kind]
	info, err := os.Stat(f.Path + end)
	if err == nil && info.Size() == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindChangedMeanwhile, Details: map[string]any{"path": f.Path},
		Message: fmt.Sprintf("%s has newer rows in a log beside it, %s", f.Path, f.Path+end),
		Hint:    fmt.Sprintf("Close the program that writes it. Or read it by a source of type %s of the instance file, which reads the log, too.", f.Kind)}
}

func openSQLite(ctx context.Context, f *intake.File, want, temp string) (*stored, error) {
	file, err := sqliterows.Open(ctx, f.EnginePath(), temp)
	if err != nil {
		return nil, err
	}
	o := &stored{done: file.Close}
	names, err := file.Names(ctx)
	o.names = names.Tables
	if err == nil {
		o.name, err = choose(o.names, want)
	}
	var table *sqliterows.Table
	if err == nil {
		table, err = file.Describe(ctx, o.name)
	}
	if err == nil {
		for _, c := range table.Columns {
			if c.Mixed != "" {
				o.told = append(o.told, c.Caveat())
			}
		}
		o.RecordReader, err = file.Read(ctx, o.name, table.Columns, -1)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return o, nil
}

// openDuckDB reads a table by an engine of its own, which can reach nothing else.
func openDuckDB(ctx context.Context, f *intake.File, want string) (_ *stored, err error) {
	if err := duckdb.CheckStorage(f.At()); err != nil {
		return nil, err
	}
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: DefaultMemory, PreserveOrder: true})
	if err != nil {
		return nil, err
	}
	o := &stored{done: func() { _ = db.Close() }}
	defer func() {
		if err != nil {
			o.done()
		}
	}()
	c, err := db.Conn()
	if err == nil {
		err = duckdb.ExplainLock(c.Exec(ctx, "ATTACH "+duckdb.Literal(f.EnginePath())+" AS "+duckdb.AttachedFile+" (READ_ONLY)"))
	}
	if err == nil {
		err = c.Lockdown(ctx, nil)
	}
	var tables map[string]string
	if err == nil {
		tables, err = c.Attached(ctx)
	}
	if err == nil {
		o.names = slices.Sorted(maps.Keys(tables))
		o.name, err = choose(o.names, want)
	}
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, "SELECT * FROM "+tables[o.name])
	if err != nil {
		return nil, err
	}
	o.RecordReader = rows
	return o, nil
}

// choose finds the table that is meant.
func choose(names []string, want string) (string, error) {
	switch {
	case slices.Contains(names, want):
		return want, nil
	case len(names) == 0:
		return "", errors.New("the database holds no tables; its views are not read")
	case want == "" && len(names) == 1:
		return names[0], nil
	}
	e := &api.Error{Code: api.CodeValidation, Kind: api.KindUnknownTable, Message: "the database holds several tables, and none was named",
		Hint: "They are: " + api.Clip(strings.Join(names, ", "), 300) + "."}
	if want != "" {
		e.Message = fmt.Sprintf("the database holds no table %q", api.Clip(want, 80))
	}
	e.Next = []api.Step{api.Set(api.OptionSheet, "name one")}
	e.Details = map[string]any{"tables": names, "suggestions": suggest.Near(want, names)}
	return "", e
}

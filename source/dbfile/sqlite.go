package dbfile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/rows/sqliterows"
	"github.com/agnes-data/da/source/listed"
)

// sqliteReader reads files of SQLite.
type sqliteReader struct{}

func (sqliteReader) logEnd() string { return sqliterows.LogEnd }

func (s sqliteReader) list(ctx context.Context, r *listed.Request, file string) (tables, views []string, err error) {
	var names sqliterows.Names
	err = s.ask(ctx, r, file, "", &names)
	return names.Tables, names.Views, err
}

func (s sqliteReader) describe(ctx context.Context, r *listed.Request, file, name string) (*listed.Table, error) {
	names, _, err := s.list(ctx, r, file)
	if err != nil || !slices.Contains(names, name) {
		return nil, err
	}
	var found sqliterows.Table
	if err := s.ask(ctx, r, file, name, &found); err != nil {
		return nil, err
	}
	info, err := r.Root.Stat(file)
	if err != nil {
		return nil, err
	}
	p := &plan{relation: fmt.Sprintf("sqlite_%016x", xxh3.HashString(name)), rows: found.Rows, bytes: info.Size()}
	p.prepare = func(r *listed.Request, j *worker.Job, reads func(string) bool, rows int64) error {
		load := worker.SQLite{Table: name, As: p.relation, Limit: rows}
		for _, c := range found.Columns {
			if reads(c.Name) {
				load.Columns = append(load.Columns, c)
			}
		}
		if load.Columns == nil {
			load.Columns = found.Columns[:1]
		}
		if slices.ContainsFunc(j.SQLite, func(l worker.SQLite) bool { return l.As == load.As }) {
			return nil
		}
		var err error
		load.File, err = r.Link(file, -1)
		j.SQLite = append(j.SQLite, load)
		return err
	}
	t := &listed.Table{Plan: p}
	for _, c := range found.Columns {
		t.Columns = append(t.Columns, api.Column{Name: c.Name, Type: c.Type, Nullable: !c.NotNull})
		if c.Mixed != "" {
			t.Caveats = append(t.Caveats, c.Caveat())
		}
	}
	return t, nil
}

// ask has a process describe the file, or one of its tables.
func (sqliteReader) ask(ctx context.Context, r *listed.Request, file, table string, into any) error {
	path, err := r.Link(file, -1)
	if err != nil {
		return err
	}
	job := worker.Job{SQLite: []worker.SQLite{{File: path, Table: table, As: "found"}}, SQL: "SELECT described FROM found"}
	return r.Isolated(ctx, job, func(row []any) error {
		text, _ := row[0].(string)
		return json.Unmarshal([]byte(text), into)
	})
}

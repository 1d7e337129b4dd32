package dbfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/source/embedded"
	"github.com/agnes-data/da/source/listed"
)

// duckReader reads files of DuckDB.
type duckReader struct{}

func (duckReader) logEnd() string { return ".wal" }

// attached is the name of a file's database in a process.
const attached = "database_file"

// prepare adds to a job that the file is attached, once.
func (d duckReader) prepare(r *listed.Request, j *worker.Job, file string) error {
	if err := supported(r, file); err != nil {
		return err
	}
	path, err := r.Link(file, -1)
	if err == nil {
		err = r.LinkLog(file, d.logEnd())
	}
	attach := fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", duckdb.Literal(path), attached)
	if err == nil && !slices.Contains(j.Setup, attach) {
		j.Setup = append(j.Setup, attach)
	}
	return err
}

// supported refuses a file that a later release has written.
func supported(r *listed.Request, file string) error {
	f, _, err := r.Root.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 20)
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.Equal(head[8:12], []byte("DUCK")) {
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable, Message: "the file is not of DuckDB"}
	}
	if v := binary.LittleEndian.Uint64(head[12:]); v > duckdb.StorageVersion {
		return &api.Error{Code: api.CodeSource, Kind: api.KindUnreadable,
			Message: fmt.Sprintf("a later release of DuckDB wrote it (storage version %d; up to %d can be read)", v, duckdb.StorageVersion),
			Hint:    "With that release, copy it for older ones: ATTACH 'older.duckdb' AS older (STORAGE_VERSION 'v1.5.0'); COPY FROM DATABASE name TO older."}
	}
	return nil
}

// ask runs a statement on the file.
func (d duckReader) ask(ctx context.Context, r *listed.Request, file, sql string, each func([]any) error) error {
	job := worker.Job{SQL: sql}
	if err := d.prepare(r, &job, file); err != nil {
		return err
	}
	return explainLock(r.Isolated(ctx, job, each))
}

// explainLock names the one reason for which a sound file cannot be attached.
func explainLock(err error) error {
	var e *duckdb.Error
	if errors.As(err, &e) && strings.Contains(e.Message, "Could not set lock") {
		return &api.Error{Code: api.CodeSource, Kind: api.KindChangedMeanwhile, Message: "another program has opened it for writing", Err: err,
			Hint: "Close it there and ask again, or have that program write a copy: COPY FROM DATABASE."}
	}
	return err
}

const duckTables = "FROM duckdb_tables() AS t WHERE t.database_name = '" + attached + "' AND NOT t.internal AND NOT t.temporary"

func (d duckReader) list(ctx context.Context, r *listed.Request, file string) (names []string, err error) {
	err = d.ask(ctx, r, file, "SELECT CASE schema_name WHEN 'main' THEN table_name ELSE schema_name || '.' || table_name END "+duckTables+" ORDER BY 1", func(row []any) error {
		name, _ := row[0].(string)
		names = append(names, name)
		return nil
	})
	return names, err
}

// describe finds a table by its name, or by its schema's and its own with a dot.
func (d duckReader) describe(ctx context.Context, r *listed.Request, file, name string) (*listed.Table, error) {
	t, schema, table := &listed.Table{}, "", ""
	err := d.ask(ctx, r, file, `WITH found AS (SELECT t.* `+duckTables+` AND (schema_name || '.' || table_name = `+duckdb.Literal(name)+` OR schema_name = 'main' AND table_name = `+duckdb.Literal(name)+`)
		ORDER BY schema_name = 'main', schema_name LIMIT 1)
		SELECT schema_name, table_name, t.comment, c.column_name, c.data_type, c.is_nullable, c.comment
		FROM found AS t JOIN duckdb_columns() AS c USING (database_name, schema_name, table_name) ORDER BY c.column_index`, func(row []any) error {
		schema, _ = row[0].(string)
		table, _ = row[1].(string)
		t.Description, _ = row[2].(string)
		var c api.Column
		c.Name, _ = row[3].(string)
		c.Type, _ = row[4].(string)
		c.Nullable, _ = row[5].(bool)
		c.Description, _ = row[6].(string)
		c.Fields = embedded.FieldsOf(c.Type)
		t.Columns = append(t.Columns, c)
		return nil
	})
	if err != nil || table == "" {
		return nil, err
	}
	p := &plan{relation: attached + "." + duckdb.Quote(schema) + "." + duckdb.Quote(table)}
	p.prepare = func(r *listed.Request, j *worker.Job, _ func(string) bool, _ int64) error {
		return d.prepare(r, j, file)
	}
	t.Plan = p
	return t, d.ask(ctx, r, file, `SELECT (SELECT count(*) FROM `+p.relation+`),
		(SELECT (count(DISTINCT block_id) + coalesce(sum(len(additional_block_ids)), 0)) * (SELECT any_value(block_size) FROM pragma_database_size() WHERE database_name = '`+attached+`')
		 FROM pragma_storage_info(`+duckdb.Literal(p.relation)+`) WHERE persistent)::BIGINT`, func(row []any) error {
		p.rows, _ = row[0].(int64)
		p.bytes, _ = row[1].(int64)
		return nil
	})
}

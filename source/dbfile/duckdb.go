package dbfile

import (
	"context"
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

// prepare adds to a job that the file is attached, once.
func (d duckReader) prepare(r *listed.Request, j *worker.Job, file string) error {
	if err := supported(r, file); err != nil {
		return err
	}
	path, err := r.Link(file, -1)
	if err == nil {
		err = r.LinkLog(file, d.logEnd())
	}
	attach := fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", duckdb.Literal(path), duckdb.AttachedFile)
	if err == nil && !slices.Contains(j.Setup, attach) {
		j.Setup = append(j.Setup, attach)
	}
	return err
}

// supported refuses a file that the engine cannot read.
func supported(r *listed.Request, file string) error {
	f, _, err := r.Root.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return duckdb.CheckStorage(f)
}

// ask runs a statement on the file.
func (d duckReader) ask(ctx context.Context, r *listed.Request, file, sql string, each func([]any) error) error {
	job := worker.Job{SQL: sql}
	if err := d.prepare(r, &job, file); err != nil {
		return err
	}
	return duckdb.ExplainLock(r.Isolated(ctx, job, each))
}

func (d duckReader) list(ctx context.Context, r *listed.Request, file string) (tables, views []string, err error) {
	err = d.ask(ctx, r, file, "SELECT name, true FROM ("+duckdb.AttachedTables+") UNION ALL "+duckdb.AttachedViews, func(row []any) error {
		name, _ := row[0].(string)
		if table, _ := row[1].(bool); table {
			tables = append(tables, name)
		} else {
			views = append(views, name)
		}
		return nil
	})
	slices.Sort(tables)
	slices.Sort(views)
	return tables, views, err
}

func (d duckReader) describe(ctx context.Context, r *listed.Request, file, name string) (*listed.Table, error) {
	t, relation := &listed.Table{}, ""
	err := d.ask(ctx, r, file, `WITH found AS (SELECT relation FROM (`+duckdb.AttachedTables+`) WHERE name = `+duckdb.Literal(name)+` LIMIT 1)
		SELECT relation, t.comment, c.column_name, c.data_type, c.is_nullable, c.comment
		FROM found, duckdb_tables() AS t JOIN duckdb_columns() AS c USING (database_name, schema_name, table_name)
		WHERE relation = database_name || '."' || replace(schema_name, '"', '""') || '"."' || replace(table_name, '"', '""') || '"' ORDER BY c.column_index`, func(row []any) error {
		relation, _ = row[0].(string)
		t.Description, _ = row[1].(string)
		var c api.Column
		c.Name, _ = row[2].(string)
		c.Type, _ = row[3].(string)
		c.Nullable, _ = row[4].(bool)
		c.Description, _ = row[5].(string)
		c.Fields = embedded.FieldsOf(c.Type)
		t.Columns = append(t.Columns, c)
		return nil
	})
	if err != nil || relation == "" {
		return nil, err
	}
	p := &plan{relation: relation}
	p.prepare = func(r *listed.Request, j *worker.Job, _ func(string) bool, _ int64) error {
		return d.prepare(r, j, file)
	}
	t.Plan = p
	size := `SELECT (count(DISTINCT block_id) + coalesce(sum(len(additional_block_ids)), 0)) *
		(SELECT any_value(block_size) FROM pragma_database_size() WHERE database_name = '` + duckdb.AttachedFile + `')
		FROM pragma_storage_info(` + duckdb.Literal(p.relation) + `) WHERE persistent`
	if strings.Contains(relation, `""`) { // pragma_storage_info cannot be asked about a name with a quote in it: at most the whole file
		size = `SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = '` + duckdb.AttachedFile + `'`
	}
	return t, d.ask(ctx, r, file, `SELECT (SELECT count(*) FROM `+p.relation+`), (`+size+`)::BIGINT`, func(row []any) error {
		p.rows, _ = row[0].(int64)
		p.bytes, _ = row[1].(int64)
		return nil
	})
}

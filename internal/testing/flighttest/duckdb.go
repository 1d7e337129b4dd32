package flighttest

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// duck is a DuckDB.
type duck struct{ db *duckdb.DB }

func (d duck) close() error { return d.db.Close() }

// with runs a piece of work on a connection of its own.
func (d duck) with(work func(*duckdb.Conn) error) error {
	c, err := d.db.Conn()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return work(c)
}

func (d duck) exec(ctx context.Context, sql string) error {
	return d.with(func(c *duckdb.Conn) error { return c.Exec(ctx, sql) })
}

func (d duck) check(ctx context.Context, sql string) error {
	return d.with(func(c *duckdb.Conn) error {
		_, err := c.Describe(ctx, sql)
		return err
	})
}

// rows are those of a connection, which ends with them.
type rows struct {
	array.RecordReader
	end func()
}

func (r rows) Release() {
	r.RecordReader.Release()
	r.end()
}

func (d duck) query(ctx context.Context, sql string) (array.RecordReader, error) {
	c, err := d.db.Conn()
	if err != nil {
		return nil, err
	}
	r, err := c.Query(ctx, sql)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return rows{r, func() { _ = c.Close() }}, nil
}

func (d duck) tables(ctx context.Context, schema, name *string) (list []table, err error) {
	err = d.with(func(c *duckdb.Conn) error {
		sql := "SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables WHERE true"
		for column, pattern := range map[string]*string{"table_schema": schema, "table_name": name} {
			if pattern != nil {
				sql += fmt.Sprintf(" AND %s LIKE %s", column, duckdb.Literal(*pattern))
			}
		}
		found, err := texts(ctx, c, sql+" ORDER BY ALL")
		for _, f := range found {
			columns, err := tableSchema(ctx, c, f)
			if err != nil {
				return err
			}
			list = append(list, table{f[0], f[1], f[2], f[3], columns})
		}
		return err
	})
	return list, err
}

// tableSchema is the schema of a table, with what its columns' declarations say.
func tableSchema(ctx context.Context, c *duckdb.Conn, table []string) (*arrow.Schema, error) {
	rows, err := c.Query(ctx, fmt.Sprintf("SELECT * FROM %s.%s.%s LIMIT 0", duckdb.Quote(table[0]), duckdb.Quote(table[1]), duckdb.Quote(table[2])))
	if err != nil {
		return nil, err
	}
	fields := rows.Schema().Fields()
	rows.Release()
	declared, err := texts(ctx, c, fmt.Sprintf(`SELECT column_name, is_nullable::VARCHAR, coalesce(comment, '') FROM duckdb_columns()
WHERE database_name = %s AND schema_name = %s AND table_name = %s ORDER BY column_index`, duckdb.Literal(table[0]), duckdb.Literal(table[1]), duckdb.Literal(table[2])))
	if err != nil {
		return nil, err
	}
	for i := range fields {
		for _, d := range declared {
			if d[0] != fields[i].Name {
				continue
			}
			fields[i].Nullable = d[1] == "true"
			if d[2] != "" {
				keys, values := append(fields[i].Metadata.Keys(), flightsql.RemarksKey), append(fields[i].Metadata.Values(), d[2])
				fields[i].Metadata = arrow.NewMetadata(keys, values)
			}
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

// texts reads rows of texts.
func texts(ctx context.Context, c *duckdb.Conn, sql string) ([][]string, error) {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	var out [][]string
	for rows.Next() {
		b := rows.RecordBatch()
		for i := range int(b.NumRows()) {
			row := make([]string, b.NumCols())
			for j := range row {
				row[j] = b.Column(j).ValueStr(i)
			}
			out = append(out, row)
		}
	}
	return out, rows.Err()
}

package flighttest

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgres is a PostgreSQL database.
type postgres struct{ pool *pgxpool.Pool }

// openPostgres connects to the database of a DSN, when it is first needed.
func openPostgres(dsn string) (postgres, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return postgres{}, err
	}
	c.MaxConns = 20
	c.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	return postgres{pool}, err
}

func (p postgres) close() error {
	p.pool.Close()
	return nil
}

func (p postgres) with(ctx context.Context, work func(*pgx.Conn) error) error {
	c, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	return work(c.Conn())
}

func (p postgres) exec(ctx context.Context, sql string) error {
	return p.with(ctx, func(c *pgx.Conn) error {
		_, err := c.PgConn().Exec(ctx, sql).ReadAll()
		return err
	})
}

func (p postgres) check(ctx context.Context, sql string) error {
	return p.with(ctx, func(c *pgx.Conn) error {
		_, err := c.PgConn().Prepare(ctx, "", sql, nil)
		return err
	})
}

func (p postgres) query(ctx context.Context, sql string) (array.RecordReader, error) {
	c, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	found, err := c.Query(ctx, sql, pgx.QueryExecModeExec, pgx.QueryResultFormats{pgx.TextFormatCode})
	if err != nil {
		c.Release()
		return nil, err
	}
	kinds, schema := describe(found.FieldDescriptions())
	batches, err := newBatches(found, kinds, schema)
	if err != nil {
		c.Release()
		return nil, err
	}
	return rows{batches, c.Release}, nil
}

func (p postgres) tables(ctx context.Context, schema, name *string) (list []table, err error) {
	err = p.with(ctx, func(c *pgx.Conn) error {
		found, err := c.Query(ctx, `SELECT table_catalog::text, table_schema::text, table_name::text, table_type::text FROM information_schema.tables
			WHERE ($1::text IS NULL OR table_schema LIKE $1) AND ($2::text IS NULL OR table_name LIKE $2) ORDER BY 1, 2, 3`, schema, name)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(found, func(r pgx.CollectableRow) (t table, err error) {
			return t, r.Scan(&t.catalog, &t.schema, &t.name, &t.kind)
		})
		for i := range list {
			if err == nil {
				list[i].columns, err = columnsOf(ctx, c, list[i])
			}
		}
		return err
	})
	return list, err
}

// columnsOf is the schema of a table, with what its columns' declarations say.
func columnsOf(ctx context.Context, c *pgx.Conn, t table) (*arrow.Schema, error) {
	name := pgx.Identifier{t.schema, t.name}.Sanitize()
	d, err := c.PgConn().Prepare(ctx, "", "SELECT * FROM "+name, nil)
	if err != nil {
		return nil, err
	}
	_, schema := describe(d.Fields)
	fields := schema.Fields()
	for i := range fields {
		var required bool
		var comment string
		if err := c.QueryRow(ctx, `SELECT attnotnull, coalesce(col_description(attrelid, attnum), '') FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = $2`,
			name, fields[i].Name).Scan(&required, &comment); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", name, fields[i].Name, err)
		}
		fields[i].Nullable = !required
		if comment != "" {
			fields[i].Metadata = arrow.NewMetadata([]string{flightsql.RemarksKey}, []string{comment})
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

package state

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// conn asks the database of the state: alone, or within a transaction. Its statements
// are the same for every database: they number their parameters ($1), and truth is
// stored as 1.
type conn struct {
	ctx context.Context
	db  interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
	patience time.Duration     // for one statement; 0: as the database has it
	explain  func(error) error // nil: leaves errors as they are
}

// Exec returns how many rows have changed.
func (c conn) Exec(query string, args ...any) (rows int64, err error) {
	ctx, stop := within(c.ctx, c.patience)
	defer stop()
	done, err := c.db.ExecContext(ctx, query, storable(args)...)
	if err != nil {
		return 0, c.explained(err)
	}
	return done.RowsAffected()
}

// QueryRow asks for one row.
func (c conn) QueryRow(query string, args ...any) row {
	ctx, stop := within(c.ctx, c.patience)
	return row{c.db.QueryRowContext(ctx, query, storable(args)...), stop, c.explained}
}

// row is an answer of one row, which has to be scanned.
type row struct {
	*sql.Row
	stop    context.CancelFunc
	explain func(error) error
}

// Scan returns sql.ErrNoRows if there is none.
func (r row) Scan(into ...any) error {
	defer r.stop()
	return r.explain(r.Row.Scan(into...))
}

// each calls f for each row of a query, in the order of the rows.
func (c conn) each(f func(*sql.Rows) error, query string, args ...any) error {
	ctx, stop := within(c.ctx, c.patience)
	defer stop()
	rows, err := c.db.QueryContext(ctx, query, storable(args)...)
	if err != nil {
		return c.explained(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return c.explained(rows.Err())
}

func (c conn) explained(err error) error {
	if c.explain == nil || err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return c.explain(err)
}

// within bounds a context; 0 leaves it unbounded.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// storable returns arguments in the form in which every database takes them. A request
// can have bytes that are not text.
func storable(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case bool:
			args[i] = 0
			if v {
				args[i] = 1
			}
		case string:
			args[i] = text(v)
		}
	}
	return args
}

// text replaces what PostgreSQL cannot store in a text.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

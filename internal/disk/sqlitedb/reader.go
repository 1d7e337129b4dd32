package sqlitedb

import (
	"context"
	"database/sql"
	"sync"
)

// maxKept bounds the statements that a Reader keeps. Their texts are constants of the
// program, so that there are fewer.
const maxKept = 100

// Reader asks a database. It keeps the statements that it was asked before: SQLite takes
// longer to understand most of them than to run them. They end with the database.
type Reader struct {
	*sql.DB

	mu   sync.Mutex
	kept map[string]*sql.Stmt
}

// QueryContext asks for rows, as sql.DB does.
func (r *Reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := r.statement(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return r.DB.QueryContext(ctx, query, args...)
}

// QueryRowContext asks for one row, as sql.DB does.
func (r *Reader) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := r.statement(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return r.DB.QueryRowContext(ctx, query, args...)
}

// QueryRow asks for one row, as sql.DB does.
func (r *Reader) QueryRow(query string, args ...any) *sql.Row {
	return r.QueryRowContext(context.Background(), query, args...)
}

// statement returns the statement of a text, or nil if there are too many, or SQLite
// refuses it: the one who runs it learns why.
func (r *Reader) statement(ctx context.Context, query string) *sql.Stmt {
	r.mu.Lock()
	known, n := r.kept[query], len(r.kept)
	r.mu.Unlock()
	if known != nil || n >= maxKept {
		return known
	}
	made, err := r.PrepareContext(ctx, query)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.kept[query]; known != nil || len(r.kept) >= maxKept { // others were faster
		_ = made.Close()
		return known
	}
	if r.kept == nil {
		r.kept = map[string]*sql.Stmt{}
	}
	r.kept[query] = made
	return made
}

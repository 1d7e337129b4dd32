package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
)

// Bounds of a batch. One row may exceed the bytes.
const (
	batchRows  = 64 << 10
	batchBytes = 4 << 20
)

// statements yields what a reader runs on its connection, one after the other; ""
// at the end.
type statements func(ctx context.Context, conn *pgx.Conn) (sql string, err error)

// once yields one statement.
func once(sql string) statements {
	return func(context.Context, *pgx.Conn) (string, error) {
		next := sql
		sql = ""
		return next, nil
	}
}

// reader runs statements whose results have the same columns. It owns a
// connection in a transaction until it is released, or has ended well.
type reader struct {
	schema *arrow.Schema
	asked  asking
	ctx    context.Context // of the statements; bounds the reader's life
	cancel context.CancelFunc
	conn   *pgxpool.Conn // nil once it is given back
	more   statements
	result *pgconn.ResultReader // of the running statement; nil if there is none

	columns []column
	formats []int16
	vectors []vector
	utf8    bool // texts must be checked: the database itself does not

	batch arrow.RecordBatch
	first bool // batch is ready before it was asked for
	err   error
	refs  atomic.Int64
}

var _ array.RecordReader = (*reader)(nil)

// run starts the first of the statements, whose results have the columns, on a
// connection in a transaction, and takes over the connection. It returns when
// the first batch is there, so that what the engine refuses at once is an error
// of its own.
func run(ctx context.Context, conn *pgxpool.Conn, more statements, columns []column, asked asking) (array.RecordReader, error) {
	r := &reader{columns: columns, conn: conn, asked: asked, more: more}
	r.refs.Store(1)
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = c.codec.field(c.Name)
		r.formats = append(r.formats, c.codec.format())
		r.vectors = append(r.vectors, c.codec.vector())
	}
	r.schema = api.SchemaWith(fields, notes(columns))
	r.utf8 = conn.Conn().PgConn().ParameterStatus("server_encoding") == "SQL_ASCII"
	r.ctx, r.cancel = context.WithCancel(ctx)
	if r.utf8 {
		_, r.err = conn.Conn().PgConn().Exec(r.ctx, rawTexts).ReadAll()
	}
	r.first = r.next()
	if r.err != nil {
		err := r.Err()
		r.Release()
		return nil, err
	}
	return r, nil
}

// Schema returns the schema; its metadata holds the warnings, if any.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// RecordBatch is the current batch, good until the next call of Next.
func (r *reader) RecordBatch() arrow.RecordBatch { return r.batch }

// Record is what RecordBatch was called before.
func (r *reader) Record() arrow.RecordBatch { return r.batch }

// Next goes on to the next batch.
func (r *reader) Next() bool {
	if r.first {
		r.first = false
		return true
	}
	return r.next()
}

// next reads rows until a batch is full. It reports false at the end, or if
// there is an error, of which no rows are kept.
func (r *reader) next() bool {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
	if r.conn == nil || r.err != nil {
		return false
	}
	rows, bytes := 0, 0
	for rows < batchRows && bytes < batchBytes && r.nextRow() {
		n, err := r.row(r.result.Values())
		if err != nil {
			r.err = err
			return false
		}
		rows++
		bytes += n
	}
	if r.err != nil || rows == 0 {
		return false
	}
	r.batch = r.collect(rows)
	return true
}

// nextRow goes on to the next row, of this statement or another. At the end of
// the last one it gives the connection back.
func (r *reader) nextRow() bool {
	for r.conn != nil {
		if r.result != nil {
			if r.result.NextRow() {
				return true
			}
			if _, r.err = r.result.Close(); r.err != nil {
				return false
			}
			r.result = nil
		}
		var sql string
		switch sql, r.err = r.more(r.ctx, r.conn.Conn()); {
		case r.err != nil:
			return false
		case sql == "":
			finish(r.conn)
			r.conn = nil
		default:
			r.result = r.conn.Conn().PgConn().ExecParams(r.ctx, sql, nil, nil, nil, r.formats)
		}
	}
	return false
}

// row appends one row, and returns its bytes.
func (r *reader) row(values [][]byte) (bytes int, err error) {
	if len(values) != len(r.vectors) {
		return 0, errForm
	}
	for i, raw := range values {
		bytes += len(raw)
		if raw == nil {
			r.vectors[i].addNull()
			continue
		}
		if err := r.vectors[i].add(raw); err != nil {
			return 0, &misfit{column: r.columns[i], err: err}
		}
		if r.utf8 && r.columns[i].codec.text && !utf8.Valid(raw) {
			return 0, &misfit{column: r.columns[i], err: errNotUTF8}
		}
	}
	return bytes, nil
}

func (r *reader) collect(rows int) arrow.RecordBatch {
	arrays := make([]arrow.Array, len(r.vectors))
	for i, v := range r.vectors {
		arrays[i] = v.take()
	}
	batch := array.NewRecordBatch(r.schema, arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	return batch
}

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error {
	var m *misfit
	if errors.As(r.err, &m) {
		return m.refusal()
	}
	return failure(r.ctx, r.err, r.asked)
}

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the statement stops in the
// engine, if it still runs.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
	r.cancel()
	if r.conn != nil {
		if r.result != nil {
			_, _ = r.result.Close() // of a statement that was cancelled
		}
		abandon(r.conn)
		r.conn = nil
	}
}

package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// Bounds of a batch. One row may exceed the bytes.
const (
	batchRows  = 64 << 10
	batchBytes = 4 << 20
)

// statements returns, one after the other, the statements that a reader runs on
// its connection; "" at the end.
type statements func(ctx context.Context, conn *pgx.Conn) (sql string, err error)

// once returns one statement.
func once(sql string) statements {
	return func(context.Context, *pgx.Conn) (string, error) {
		next := sql
		sql = ""
		return next, nil
	}
}

// reader runs statements whose results have the same columns. It owns a connection
// in a transaction, until it is released or all rows have been read.
type reader struct {
	recordreader.Base
	asked  asking
	ctx    context.Context // of the statements; bounds the reader's life
	cancel context.CancelFunc
	conn   *pgxpool.Conn // nil once it is given back
	more   statements
	result *pgconn.ResultReader // of the running statement; nil if there is none

	columns []column
	formats []int16
	utf8    bool // texts must be checked: the database itself does not

	// What is collected for the next batch.
	vectors     []vector
	rows, bytes int
	spans       [][]span // by column: where the values of the rows in take lie

	first bool // the batch is ready before it was asked for
	err   error
}

var _ array.RecordReader = (*reader)(nil)

// run starts the first of the statements, whose results must have the columns. It
// takes over the connection, which is in a transaction. It returns when the first
// batch is complete, so that an error that the engine reports at once is returned
// here.
func run(ctx context.Context, conn *pgxpool.Conn, more statements, columns []column, asked asking) (array.RecordReader, error) {
	r := &reader{columns: columns, conn: conn, asked: asked, more: more, spans: make([][]span, len(columns))}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = c.codec.field(c.Name)
		r.formats = append(r.formats, c.codec.format())
		r.vectors = append(r.vectors, c.codec.vector())
	}
	r.Begin(api.SchemaWith(fields, caveats(columns)), r.free)
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

// Next goes on to the next batch.
func (r *reader) Next() bool {
	if r.first {
		r.first = false
		return true
	}
	return r.next()
}

// next reads rows until a batch is full. It reports false at the end, or if there
// is an error; then it drops the rows of the unfinished batch.
func (r *reader) next() bool {
	r.Set(nil)
	if r.conn == nil || r.err != nil {
		return false
	}
	for !r.full() && r.read() {
	}
	if r.err != nil || r.rows == 0 {
		return false
	}
	r.Set(r.collect())
	return true
}

// full reports whether the batch has reached its limit.
func (r *reader) full() bool { return r.rows >= batchRows || r.bytes >= batchBytes }

// read takes rows of this statement, or of the next, until a batch is full. It
// reports false if there is an error, and at the end of the last statement, when
// it gives the connection back.
func (r *reader) read() bool {
	if r.result != nil {
		if r.result.NextRow() { // enough
			return r.err == nil
		}
		if _, err := r.result.Close(); r.err == nil {
			r.err = err
		}
		if r.err != nil {
			return false
		}
		r.result = nil
		intakeOf(r.conn.Conn()).give(nil)
	}
	var sql string
	switch sql, r.err = r.more(r.ctx, r.conn.Conn()); {
	case r.err != nil:
		return false
	case sql == "":
		finish(r.conn)
		r.conn = nil
		return false
	}
	intakeOf(r.conn.Conn()).give(r.take)
	r.result = r.conn.Conn().PgConn().ExecParams(r.ctx, sql, nil, nil, nil, r.formats)
	return true
}

// take appends the complete rows at the front of data, column by column, as far as
// the batch has room.
func (r *reader) take(data []byte) (used int, enough bool) {
	for i := range r.spans {
		r.spans[i] = r.spans[i][:0]
	}
	for !r.full() && len(data)-used >= headSize && data[used] == 'D' {
		end := used + 1 + int(binary.BigEndian.Uint32(data[used+1:]))
		if end > len(data) {
			break
		}
		if r.err = r.row(data[:end], used+headSize); r.err != nil {
			return end, true
		}
		r.bytes += end - used
		r.rows++
		used = end
	}
	for i, v := range r.vectors {
		if err := r.column(v, r.columns[i], data, r.spans[i]); err != nil {
			r.err = &misfit{column: r.columns[i], err: err}
			return used, true
		}
	}
	return used, r.full()
}

// row notes where the values of a row lie. The row begins at a place in data and
// ends with it.
func (r *reader) row(data []byte, at int) error {
	if len(data)-at < 2 || int(binary.BigEndian.Uint16(data[at:])) != len(r.spans) {
		return errForm
	}
	at += 2
	for i := range r.spans {
		if len(data)-at < 4 {
			return errForm
		}
		size := int32(binary.BigEndian.Uint32(data[at:]))
		at += 4
		if size < -1 || int(size) > len(data)-at {
			return errForm
		}
		r.spans[i] = append(r.spans[i], span{int32(at), size})
		at += int(max(size, 0))
	}
	if at != len(data) {
		return errForm
	}
	return nil
}

// column appends values to the collector of their column.
func (r *reader) column(to vector, c column, data []byte, values []span) error {
	if r.utf8 && c.codec.text {
		for _, s := range values {
			if !s.null() && !utf8.Valid(s.of(data)) {
				return errNotUTF8
			}
		}
	}
	return to.add(data, values)
}

func (r *reader) collect() arrow.RecordBatch {
	arrays := make([]arrow.Array, len(r.vectors))
	for i, v := range r.vectors {
		arrays[i] = v.take()
	}
	batch := array.NewRecordBatch(r.Schema(), arrays, int64(r.rows))
	r.rows, r.bytes = 0, 0
	for _, a := range arrays {
		a.Release()
	}
	return batch
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error {
	var m *misfit
	if errors.As(r.err, &m) {
		return m.refusal()
	}
	return failure(r.ctx, r.err, r.asked)
}

// free stops the statements in the engine if they still run.
func (r *reader) free() {
	r.cancel()
	if r.conn != nil {
		intakeOf(r.conn.Conn()).give(nil) // rows that still come are dropped by the driver
		if r.result != nil {
			_, _ = r.result.Close() // of a statement that was cancelled
		}
		abandon(r.conn)
		r.conn = nil
	}
}

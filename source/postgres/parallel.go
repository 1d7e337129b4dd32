package postgres

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// maxConnections is the largest number of connections that read one table. Two keep
// a core busy, in the engine and in this process together: while one waits for the
// other side, the other one does not.
const maxConnections = 4

// parallelReader reads the ranges of a table on several connections. Batches are
// returned in the order in which they arrive.
type parallelReader struct {
	recordreader.Base
	ctx    context.Context
	cancel context.CancelFunc
	asked  asking

	ready   chan arrow.RecordBatch // closed when all is read, or nothing more will be
	readers sync.WaitGroup
	failed  sync.Once
	failure error // of the reader that failed first; only read after ready is closed

	ended error
}

var _ array.RecordReader = (*parallelReader)(nil)

// readRanges starts reading the ranges. It takes over the connection whose
// transaction has exported the snapshot, and adds others as they are free.
func (p *Postgres) readRanges(ctx context.Context, conn *pgxpool.Conn, rs *ranges, columns []column,
	asked asking) (array.RecordReader, error) {
	t := &parallelReader{asked: asked, ready: make(chan arrow.RecordBatch)}
	t.ctx, t.cancel = context.WithCancel(ctx)
	joining, enough := context.WithCancel(context.WithValue(t.ctx, needless{}, true))
	for range p.joiners() {
		t.readers.Go(func() {
			conn := p.join(joining, rs)
			if conn == nil {
				return
			}
			r, err := run(t.ctx, conn, p.spare(rs), columns, asked)
			if err != nil {
				t.fail(err)
				return
			}
			t.pass(r)
		})
	}
	lead, err := run(t.ctx, conn, rs.take, columns, asked)
	t.readers.Go(func() {
		defer enough() // no range is left
		if err != nil {
			t.fail(err)
			return
		}
		t.pass(lead)
	})
	go func() {
		t.readers.Wait()
		close(t.ready)
	}()
	if err != nil {
		t.free() // waits for the others
		return nil, t.failure
	}
	t.Begin(lead.Schema(), t.free)
	return t, nil
}

// joiners is how many connections may join the first one of a scan: none if more than
// half of all are taken. It is decided once for all of them, because each that has
// joined would count against the next.
func (p *Postgres) joiners() int {
	if s := p.pool.Stat(); s.AcquiredConns() > s.MaxConns()/2 {
		return 0
	}
	return p.connections - 1
}

// join gets one more connection for the ranges. It returns nil if none becomes free
// before the last range is taken. That is no failure, because the first connection
// reads all ranges that nobody else takes.
func (p *Postgres) join(ctx context.Context, rs *ranges) *pgxpool.Conn {
	conn, err := p.pool.Acquire(ctx)
	if conn, err = p.opened(ctx, conn, err, oneState); err != nil {
		return nil
	}
	// The engine may have answered just before the connection was hung up.
	if err := rs.join(ctx, conn.Conn()); err != nil || ctx.Err() != nil {
		abandon(conn)
		return nil
	}
	return conn
}

// spare returns the statements for a connection that has joined. It stops when a
// request waits for a connection.
func (p *Postgres) spare(rs *ranges) statements {
	return func(ctx context.Context, conn *pgx.Conn) (string, error) {
		if s := p.pool.Stat(); p.waiting.Load() > 0 && s.AcquiredConns() >= s.MaxConns() {
			return "", rs.same(ctx, conn)
		}
		return rs.take(ctx, conn)
	}
}

// pass passes on the batches of a reader, and releases it. It turns a panic into
// an error of the scan, because the request recovers only in its own goroutine.
func (t *parallelReader) pass(r array.RecordReader) {
	defer r.Release()
	defer func() {
		if v := recover(); v != nil {
			t.fail(sourceError(api.KindConnectionLost, "the rows of the database cannot be read", api.InServerLog, fmt.Errorf("panic: %v", v)))
		}
	}()
	for r.Next() {
		b := r.RecordBatch()
		b.Retain()
		select {
		case t.ready <- b:
		case <-t.ctx.Done():
			b.Release()
			t.fail(failure(t.ctx, t.ctx.Err(), t.asked))
			return
		}
	}
	if err := r.Err(); err != nil {
		t.fail(err)
	}
}

// fail keeps the first error and stops the other readers.
func (t *parallelReader) fail(err error) {
	t.failed.Do(func() { t.failure = err })
	t.cancel()
}

// Next goes on to the next batch of any connection.
func (t *parallelReader) Next() bool {
	t.Set(nil)
	batch, ok := <-t.ready
	if !ok {
		t.ended = t.failure
		return false
	}
	t.Set(batch)
	return true
}

// Err is the reason why Next returned false; nil at the end.
func (t *parallelReader) Err() error { return t.ended }

// free stops the statements in the engine if they still run.
func (t *parallelReader) free() {
	t.cancel()
	for batch := range t.ready {
		batch.Release()
	}
}

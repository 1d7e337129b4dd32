package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agnes-data/da/api"
)

// maxConnections is how many connections read one table at most: for each, the
// engine and this process have work for a core.
const maxConnections = 4

// together reads the ranges of a table on several connections. Rows come in the
// order in which the connections have them.
type together struct {
	schema *arrow.Schema
	ctx    context.Context
	cancel context.CancelFunc
	asked  asking

	ready   chan arrow.RecordBatch // closed when all is read, or nothing more will be
	readers sync.WaitGroup
	failed  sync.Once
	failure error // of the reader that failed first; read it behind the end of ready

	batch arrow.RecordBatch
	ended error
	refs  atomic.Int64
}

var _ array.RecordReader = (*together)(nil)

// together starts to read the ranges, on a connection in the transaction whose
// snapshot they have, which it takes over, and on others as they are free.
func (p *Postgres) together(ctx context.Context, conn *pgxpool.Conn, rs *ranges, columns []column, asked asking) (array.RecordReader, error) {
	t := &together{asked: asked, ready: make(chan arrow.RecordBatch)}
	t.refs.Store(1)
	t.ctx, t.cancel = context.WithCancel(ctx)
	lead, err := run(t.ctx, conn, rs.take, columns, asked)
	if err != nil {
		t.cancel()
		return nil, err
	}
	t.schema = lead.Schema()
	joining, enough := context.WithCancel(context.WithValue(t.ctx, needless{}, true))
	t.readers.Go(func() {
		defer enough() // no range is left
		t.pass(lead)
	})
	for range p.connections - 1 {
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
	go func() {
		t.readers.Wait()
		close(t.ready)
	}()
	return t, nil
}

// join takes one more connection for the ranges. There may be none: others have
// a use for them, or no range is left. It is not missed, since the first
// connection reads what nobody else does.
func (p *Postgres) join(ctx context.Context, rs *ranges) *pgxpool.Conn {
	if s := p.pool.Stat(); s.AcquiredConns() > s.MaxConns()/2 {
		return nil
	}
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

// spare yields statements of the ranges to a connection that has joined, until a
// request waits for one.
func (p *Postgres) spare(rs *ranges) statements {
	return func(ctx context.Context, conn *pgx.Conn) (string, error) {
		if s := p.pool.Stat(); p.waiting.Load() > 0 && s.AcquiredConns() >= s.MaxConns() {
			return "", rs.same(ctx, conn)
		}
		return rs.take(ctx, conn)
	}
}

// pass hands on what a reader reads, and releases it. A panic is the scan's
// error: who recovers for the request does so in another goroutine.
func (t *together) pass(r array.RecordReader) {
	defer r.Release()
	defer func() {
		if v := recover(); v != nil {
			t.fail(sourceError(api.SourceBroken, "the rows of the database cannot be read", api.InServerLog, fmt.Errorf("panic: %v", v)))
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

// fail keeps why one reader failed, and stops the others.
func (t *together) fail(err error) {
	t.failed.Do(func() { t.failure = err })
	t.cancel()
}

// Schema returns the schema; its metadata holds the warnings, if any.
func (t *together) Schema() *arrow.Schema { return t.schema }

// RecordBatch is the current batch, good until the next call of Next.
func (t *together) RecordBatch() arrow.RecordBatch { return t.batch }

// Record is what RecordBatch was called before.
func (t *together) Record() arrow.RecordBatch { return t.batch }

// Next goes on to the next batch that a connection has.
func (t *together) Next() bool {
	t.drop()
	batch, ok := <-t.ready
	if !ok {
		t.ended = t.failure
		return false
	}
	t.batch = batch
	return true
}

func (t *together) drop() {
	if t.batch != nil {
		t.batch.Release()
		t.batch = nil
	}
}

// Err is why Next returned false; nil at the end.
func (t *together) Err() error { return t.ended }

// Retain adds a reference.
func (t *together) Retain() { t.refs.Add(1) }

// Release drops a reference; with the last one the statements stop in the
// engine, if they still run.
func (t *together) Release() {
	if t.refs.Add(-1) != 0 {
		return
	}
	t.drop()
	t.cancel()
	for batch := range t.ready {
		batch.Release()
	}
}

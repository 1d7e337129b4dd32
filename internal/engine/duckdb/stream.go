package duckdb

/*
#include "result.h"
*/
import "C"

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// Limits on a batch. A single row can exceed the bytes.
const (
	MaxBatchRows  = 16_384 // several batches are in transit at a time, and all take memory
	MaxBatchBytes = 16 << 20
)

// Stream is a result that arrives as the engine produces it. Like any
// array.RecordReader it is for one goroutine; a batch is valid until the next
// call of Next or Release unless it is retained. The connection is free for other
// calls once Next has returned false or Release was called.
type Stream struct {
	recordreader.Base
	conn *Conn
	ctx  context.Context // RecordReader.Next has no parameter for it
	flat bool

	run   *result // nil once ended; guarded by conn.turn
	ended atomic.Bool
	done  bool // Next has returned false
	err   error
}

var _ array.RecordReader = (*Stream)(nil)

// Query starts one statement; args are bound to its parameters. Rows can arrive
// before an error does: only Err after the last Next says whether a result is
// complete. ctx limits the whole life of the stream; when it is done, Query and
// Next return within about a second whatever the engine does.
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (*Stream, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	if c.stream != nil {
		c.give()
		return nil, ErrBusy
	}
	s := &Stream{conn: c, ctx: ctx}
	if err := c.call(ctx, func() error { return s.open(sql, args) }, s.cut); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Stream) open(sql string, args []any) (err error) {
	if s.run, err = s.conn.startOne(sql, args); err != nil {
		return err
	}
	s.conn.stream = s
	schema, err := s.run.schema()
	s.Begin(schema, s.stop)
	s.flat = bool(C.da_result_flat(s.run.res))
	return err
}

// end frees the engine's resources of the stream; the caller holds the turn.
func (s *Stream) end() {
	if s.run == nil {
		return
	}
	s.run.free()
	s.run = nil
	s.ended.Store(true)
	s.conn.stream = nil
}

// cut ends a stream before its end. Freeing its result is not enough: the
// statement would keep its memory, files and transaction until the connection's
// next statement. So it is interrupted and then read until the interrupt takes
// effect.
func (s *Stream) cut() {
	if s.run == nil {
		return
	}
	s.conn.interrupt()
	_ = s.run.drain() // fails: it was interrupted
	s.end()
}

// Err returns why Next returned false; nil at the end of the result.
func (s *Stream) Err() error { return s.err }

// stop cuts the stream, if need be, whether or not everything was read, and returns
// when that is done or has taken too long: then the engine is left to finish alone.
func (s *Stream) stop() {
	if s.ended.Load() {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-s.conn.turn
		defer s.conn.give()
		s.cut()
	}()
	giveUp := time.NewTimer(s.conn.patience)
	defer giveUp.Stop()
	select {
	case <-done:
	case <-giveUp.C:
	}
}

// Next makes the next batch current.
func (s *Stream) Next() bool {
	s.Set(nil)
	if s.done {
		return false
	}
	batch, err := s.fetch()
	s.Set(batch)
	s.err, s.done = err, batch == nil
	return !s.done
}

// fetch gets a batch from the engine; nil at the end. After an error the stream
// is ended, or will be when the engine releases it.
func (s *Stream) fetch() (arrow.RecordBatch, error) {
	if err := s.conn.take(s.ctx); err != nil {
		s.stop()
		return nil, err
	}
	if s.run == nil {
		s.conn.give()
		return nil, ErrClosed
	}
	var batch arrow.RecordBatch
	err := s.conn.call(s.ctx, func() (err error) {
		batch, err = s.next()
		if batch == nil && err == nil {
			s.end()
		}
		return err
	}, s.cut)
	if err != nil {
		return nil, err
	}
	return batch, nil
}

func (s *Stream) next() (arrow.RecordBatch, error) {
	if s.flat {
		return s.run.gather(s.Schema())
	}
	return s.run.collect(s.Schema())
}

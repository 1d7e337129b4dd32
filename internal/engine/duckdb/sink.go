package duckdb

/*
#include <stdlib.h>
#include "result.h"
#include "sink.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// errNotFlat is returned by scatter for a result that has another than flat types.
var errNotFlat = errors.New("duckdb: the result has types that are not flat")

// taker takes the rows that one thread of the engine has gathered. A batch is
// valid during the call.
type taker func(rows arrow.RecordBatch) error

// scatter runs one SELECT and has the engine's threads gather its rows, in no
// order. It first calls begin with the schema, whose decimals have 32 or 64 bits where
// the engine has them in as many, and returns errNotFlat before it has
// read any rows if a type is not flat. For each thread of the engine it calls thread
// once for a taker. thread, and each taker, are called by one goroutine at a time.
//
// It takes half of the work of Query, whose rows the engine copies once more, and
// rows do not wait for one reader.
func (c *Conn) scatter(ctx context.Context, sql string, begin func(*arrow.Schema) error, thread func() taker) error {
	return c.sink(&sink{ctx: ctx, begin: begin, thread: thread}, sql, func(put, columns string) string {
		return fmt.Sprintf("SELECT coalesce(sum(%s(%s)), 0)::BIGINT FROM (%s) AS result(%s)", put, columns, sql, columns)
	})
}

// Tap runs a statement of one row into dest, which passes on some of the rows of sql on its
// way: where it calls the function put with their columns, which returns 1. The first value of the row
// is the sum of these. take is called by one thread at a time. flat says whether
// all types of the columns are flat, without which nothing runs.
func (c *Conn) Tap(ctx context.Context, sql string, statement func(put, columns string) string, take func(arrow.RecordBatch) error,
	dest ...any) (flat bool, err error) {
	var one sync.Mutex
	err = c.sink(&sink{ctx: ctx, begin: func(*arrow.Schema) error { return nil }, dest: dest, thread: func() taker {
		return func(rows arrow.RecordBatch) error {
			one.Lock()
			defer one.Unlock()
			return take(rows)
		}
	}}, sql, statement)
	return !errors.Is(err, errNotFlat), err
}

func (c *Conn) sink(s *sink, sql string, statement func(put, columns string) string) error {
	if err := c.take(s.ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	s.takers = map[int64]taker{}
	err := c.call(s.ctx, func() error { return c.fill(s, sql, statement) }, func() {})
	if cause := s.failure(); cause != nil {
		return cause
	}
	return err
}

// fill runs the statement with a function of ours, which puts rows with the columns of sql
// into the sink.
func (c *Conn) fill(s *sink, sql string, statement func(put, columns string) string) error {
	none, err := c.startOne("SELECT * FROM ("+sql+") AS result LIMIT 0", nil)
	if err != nil {
		return err
	}
	defer none.free()
	if s.schema, err = none.schema(); err != nil {
		return err
	}
	if err := none.drain(); err != nil { // else its transaction would be ours
		return err
	}
	if !bool(C.da_result_flat(none.res)) {
		return errNotFlat
	}
	s.schema = shortDecimals(s.schema, C.da_result_batch(none.res))
	if err := s.begin(s.schema); err != nil {
		return err
	}
	handle := cgo.NewHandle(s)
	defer handle.Delete()
	to := C.da_sink_new(C.uintptr_t(handle), C.da_result_batch(none.res), MaxBatchRows, sinkBytes)
	if to == nil {
		return errNoSink
	}
	name := fmt.Sprintf("da_put_%d", c.db.named.Add(1))
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	if C.da_sink_register(to, c.ptr, cname) != C.DuckDBSuccess {
		return errNoSink
	}
	defer C.da_sink_close(to)
	columns := make([]string, s.schema.NumFields())
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d", i)
	}
	var put int64
	if err := c.oneRow(statement(name, strings.Join(columns, ", ")), append([]any{&put}, s.dest...)); err != nil {
		return err
	}
	C.da_sink_flush(to) // its failure is that of the sink
	if err := s.failure(); err == nil && put != s.rows {
		return fmt.Errorf("duckdb: the statement has %d rows, and %d were taken", put, s.rows)
	}
	return nil
}

// shortDecimals gives decimals the Arrow type of the width that the sink keeps.
func shortDecimals(schema *arrow.Schema, b *C.da_batch) *arrow.Schema {
	fields := schema.Fields()
	for i, c := range unsafe.Slice(b.column, len(fields)) {
		d, ok := fields[i].Type.(*arrow.Decimal128Type)
		switch {
		case ok && c.kind == C.DA_DECIMAL32:
			fields[i].Type = &arrow.Decimal32Type{Precision: d.Precision, Scale: d.Scale}
		case ok && c.kind == C.DA_DECIMAL64:
			fields[i].Type = &arrow.Decimal64Type{Precision: d.Precision, Scale: d.Scale}
		}
	}
	return arrow.NewSchema(fields, nil)
}

// oneRow stores the values of a statement's one row.
func (c *Conn) oneRow(sql string, dest []any) error {
	r, err := c.startOne(sql, nil)
	if err != nil {
		return err
	}
	defer r.free()
	schema, err := r.schema()
	if err != nil {
		return err
	}
	row, err := r.gather(schema)
	if err != nil || row == nil {
		return errors.Join(err, r.drain())
	}
	defer row.Release()
	return errors.Join(assignRow(row, dest), r.drain())
}

// errNoSink is returned if the engine refuses our function.
var errNoSink = errors.New("duckdb: the engine cannot make a function of ours")

// sinkBytes bounds a thread's batch.
const sinkBytes = 1 << 20

// sink is where the rows of one statement go.
type sink struct {
	ctx    context.Context // limits one call of scatter
	schema *arrow.Schema
	begin  func(*arrow.Schema) error
	thread func() taker
	dest   []any // for what the statement tells beside how many rows were put

	mu     sync.Mutex
	takers map[int64]taker
	rows   int64
	fault  error
}

// put passes on the rows of a thread. It reports false if there is a failure.
func (s *sink) put(thread int64, b *C.da_batch) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("a taker of rows panicked: %v\n%s", p, debug.Stack()))
			ok = false
		}
	}()
	take, err := s.taker(thread, int64(b.rows))
	if err == nil {
		rows := batchOf(s.schema, b, lent)
		err = take(rows)
		rows.Release()
	}
	if err != nil {
		s.fail(err)
	}
	return err == nil
}

// taker counts rows of a thread and returns what takes them.
func (s *sink) taker(thread, rows int64) (taker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.fault != nil:
		return nil, s.fault
	case s.ctx.Err() != nil:
		return nil, stopped(s.ctx, nil)
	}
	s.rows += rows
	if s.takers[thread] == nil {
		s.takers[thread] = s.thread()
	}
	return s.takers[thread], nil
}

// fail stores the first failure.
func (s *sink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil {
		s.fault = err
	}
}

func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

//export daSinkTake
func daSinkTake(handle C.uintptr_t, thread C.int64_t, b *C.da_batch) C.bool {
	return C.bool(cgo.Handle(handle).Value().(*sink).put(int64(thread), b))
}

package duckdb

/*
#include <stdlib.h>
#include "input.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

// ErrOnePass is returned by Import if the statement did not read its input
// exactly once and to the end.
var ErrOnePass = errors.New("duckdb: an imported stream is read once and whole")

// plainScan makes views over Arrow streams ones that neither filters nor
// projections are pushed into: the engine believes that a stream obeys them,
// and this stream cannot, so rows would come back unfiltered and columns
// swapped. The engine resolves the name when the view is made, and finds this
// macro before its own function.
const plainScan = `CREATE OR REPLACE TEMP MACRO arrow_scan(stream, next, schema) AS TABLE ` +
	`SELECT * FROM arrow_scan_dumb(stream, next, schema)`

// Import makes rdr readable as the view name while it runs sql, which must read
// the view exactly once and to the end, as in
//
//	COPY (SELECT * FROM name) TO 'file' (FORMAT parquet)
//	CREATE TABLE t AS SELECT * FROM name
//
// Import reads rdr from a thread of the engine and leaves its release to the
// caller. If rdr fails, or panics, Import fails and wraps its error. In any
// case the view is gone afterwards; what the statement wrote in a file stays.
func (c *Conn) Import(ctx context.Context, name string, rdr array.RecordReader, sql string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	in := &input{ctx: ctx, rdr: rdr}
	rdr.Retain() // until the engine is through, which may be after Import has given up
	work := func() error {
		defer rdr.Release()
		return c.importFrom(in, name, sql)
	}
	err := c.call(ctx, work, func() {})
	if cause := in.cause(); cause != nil {
		return fmt.Errorf("import into %s: %w", Quote(name), cause)
	}
	return err
}

func (c *Conn) importFrom(in *input, name, sql string) (err error) {
	if err := c.exec(plainScan); err != nil {
		return err
	}
	handle := cgo.NewHandle(in)
	defer handle.Delete()
	var schema C.struct_ArrowSchema
	cdata.ExportArrowSchema(in.rdr.Schema(), (*cdata.CArrowSchema)(unsafe.Pointer(&schema)))
	cin := C.da_input_new(C.uintptr_t(handle), &schema)
	if cin == nil {
		return errors.New("duckdb: no memory for an import")
	}
	defer C.da_input_free(cin)
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	if C.da_input_view(cin, c.ptr, cname) != C.DuckDBSuccess {
		return fmt.Errorf("duckdb: no view %s can be made over the stream's schema: %s", Quote(name), in.rdr.Schema())
	}
	defer func() {
		err = errors.Join(err, c.exec("DROP VIEW IF EXISTS "+Quote(name)))
	}()
	if err := c.exec(sql); err != nil {
		return err
	}
	return in.whole()
}

// input feeds one reader to the engine, from whatever thread asks.
type input struct {
	ctx   context.Context //nolint:containedctx // it bounds one call of Import
	mu    sync.Mutex
	rdr   array.RecordReader
	ends  int // how often the engine was told of the end
	fault error
}

// next exports the next batch into out, or leaves it released at the end.
func (in *input) next(out *C.struct_ArrowArray) (ok bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			in.fault = fmt.Errorf("reader panicked: %v\n%s", p, debug.Stack())
			ok = false
		}
	}()
	if in.fault != nil {
		return false
	}
	if in.ctx.Err() != nil {
		in.fault = stopped(in.ctx, nil)
		return false
	}
	if in.ends > 0 {
		in.fault = fmt.Errorf("%w: the statement reads it again", ErrOnePass)
		return false
	}
	for in.rdr.Next() {
		if b := in.rdr.RecordBatch(); b.NumRows() > 0 {
			return in.export(b, out)
		}
	}
	if err := in.rdr.Err(); err != nil {
		in.fault = err
		return false
	}
	in.ends++
	return true
}

func (in *input) export(b arrow.RecordBatch, out *C.struct_ArrowArray) bool {
	cdata.ExportArrowRecordBatch(b, (*cdata.CArrowArray)(unsafe.Pointer(out)), nil)
	return true
}

func (in *input) cause() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fault
}

func (in *input) whole() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.fault == nil && in.ends == 0 {
		in.fault = fmt.Errorf("%w: the statement left a part of it", ErrOnePass)
	}
	return in.fault
}

//export daInputNext
func daInputNext(handle C.uintptr_t, out *C.struct_ArrowArray) C.bool {
	return C.bool(cgo.Handle(handle).Value().(*input).next(out))
}

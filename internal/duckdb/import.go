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

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

// ErrOnePass is returned by Import if the statement did not read its input
// exactly once and to the end.
var ErrOnePass = errors.New("duckdb: an imported stream is read once and whole")

// plainScan keeps the engine from pushing filters and projections into views over
// Arrow streams. The engine assumes that the stream applies them, which ours
// cannot, so rows would be unfiltered and columns swapped. Such a view calls
// arrow_scan, and the engine finds this macro before its own function.
const plainScan = `CREATE TEMP MACRO arrow_scan(stream, next, schema) AS TABLE ` +
	`SELECT * FROM arrow_scan_dumb(stream, next, schema)`

// Import makes rdr readable as the view name while it runs sql, which must read
// the view exactly once and to the end, as in
//
//	COPY (SELECT * FROM name) TO 'file' (FORMAT parquet)
//	CREATE TABLE t AS SELECT * FROM name
//
// Only this connection sees the view, which hides anything else of that name; it
// is always dropped afterwards. Tables that sql creates belong to the
// connection's current database, and remain only if Import returns nil.
//
// Import reads rdr from threads of the engine, one at a time; the caller releases
// it. If rdr fails or panics, Import fails and wraps its error.
func (c *Conn) Import(ctx context.Context, name string, rdr array.RecordReader, sql string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	in := &input{ctx: ctx, rdr: rdr}
	rdr.Retain() // until the engine has finished, which can be after Import has given up
	work := func() error {
		defer rdr.Release()
		return c.importFrom(in, name, sql)
	}
	err := c.call(ctx, work, func() {})
	if cause := in.failure(); cause != nil {
		return fmt.Errorf("import into %s: %w", Quote(name), cause)
	}
	return err
}

// importFrom runs the import in a transaction, so that a failed import leaves
// nothing. The engine's view contains addresses of this process, so it is never
// committed, in particular not to a file.
func (c *Conn) importFrom(in *input, name, sql string) (err error) {
	handle := cgo.NewHandle(in)
	defer handle.Delete()
	var schema C.struct_ArrowSchema
	cdata.ExportArrowSchema(in.rdr.Schema(), (*cdata.CArrowSchema)(unsafe.Pointer(&schema)))
	stream := C.da_input_new(C.uintptr_t(handle), &schema)
	if stream == nil {
		return errors.New("duckdb: no memory for an import")
	}
	defer C.da_input_free(stream)
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	if err := c.importInto(in, stream, name, sql); err != nil {
		return errors.Join(err, c.shield(func() error { return c.exec("ROLLBACK") }))
	}
	return c.exec("COMMIT")
}

func (c *Conn) importInto(in *input, stream *C.da_input, name, sql string) error {
	if err := c.exec(plainScan); err != nil {
		return err
	}
	// The engine's own view would replace one of the same name and is visible to
	// everybody, so it gets a unique name; the caller's view is a temporary one.
	own := fmt.Sprintf("da_import_%d", c.db.imports.Add(1))
	cown := C.CString(own)
	defer C.free(unsafe.Pointer(cown))
	if C.da_input_view(stream, c.ptr, cown) != C.DuckDBSuccess {
		return fmt.Errorf("duckdb: the engine cannot make a view of a stream of %s", in.rdr.Schema())
	}
	if err := c.exec("CREATE TEMP VIEW " + Quote(name) + " AS SELECT * FROM " + Quote(own)); err != nil {
		return err
	}
	if err := c.exec(sql); err != nil {
		return err
	}
	if err := in.whole(); err != nil {
		return err
	}
	return c.exec("DROP VIEW temp." + Quote(name) + "; DROP VIEW " + Quote(own) + "; DROP MACRO TABLE arrow_scan")
}

// input feeds one reader to the engine, from any of its threads.
type input struct {
	ctx context.Context // limits one call of Import
	rdr array.RecordReader

	reading sync.Mutex // held during a read of rdr, which may take long
	ends    int        // how often the engine was told about the end

	mu    sync.Mutex
	fault error
}

// next exports the next batch into out, or leaves it released at the end. It
// reports false if there is a failure.
func (in *input) next(out *C.struct_ArrowArray) (ok bool) {
	in.reading.Lock()
	defer in.reading.Unlock()
	defer func() {
		if p := recover(); p != nil {
			in.fail(fmt.Errorf("reader panicked: %v\n%s", p, debug.Stack()))
			ok = false
		}
	}()
	switch {
	case in.failure() != nil:
		return false
	case in.ctx.Err() != nil:
		return in.fail(stopped(in.ctx, nil))
	case in.ends > 0:
		return in.fail(fmt.Errorf("%w: the statement reads it again", ErrOnePass))
	}
	if in.rdr.Next() {
		cdata.ExportArrowRecordBatch(in.rdr.RecordBatch(), (*cdata.CArrowArray)(unsafe.Pointer(out)), nil)
		return true
	}
	if err := in.rdr.Err(); err != nil {
		return in.fail(err)
	}
	in.ends++
	return true
}

// fail stores the first failure, and returns false.
func (in *input) fail(err error) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.fault == nil {
		in.fault = err
	}
	return false
}

func (in *input) failure() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fault
}

// whole fails unless the engine has read to the end; call it after the statement.
func (in *input) whole() error {
	if in.failure() == nil && in.ends == 0 {
		in.fail(fmt.Errorf("%w: the statement left a part of it", ErrOnePass))
	}
	return in.failure()
}

//export daInputNext
func daInputNext(handle C.uintptr_t, out *C.struct_ArrowArray) C.bool {
	return C.bool(cgo.Handle(handle).Value().(*input).next(out))
}

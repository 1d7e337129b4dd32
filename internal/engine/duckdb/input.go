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
	"strings"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

// plainScan keeps the engine from pushing filters and projections into views over
// Arrow streams. The engine assumes that the stream applies them, which ours
// cannot, so rows would be unfiltered and columns swapped. Such a view calls
// arrow_scan, and the engine finds this macro before its own function.
const plainScan = `CREATE TEMP MACRO arrow_scan(stream, next, schema) AS TABLE ` +
	`SELECT * FROM arrow_scan_dumb(stream, next, schema)`

// Opener starts to read rows from the first one. The engine releases the reader.
// Several may be open at a time.
type Opener func(ctx context.Context) (array.RecordReader, error)

// input feeds rows to the engine: a reader of its own for each scan.
type input struct {
	ctx    context.Context // of all scans
	schema *arrow.Schema
	open   Opener

	handle cgo.Handle
	stream *C.da_input

	mu    sync.Mutex
	fault error
	whole bool // a scan has reached the end
}

// expose lets the engine read the rows until free is called.
func (in *input) expose() error {
	handle := cgo.NewHandle(in)
	var schema C.struct_ArrowSchema
	cdata.ExportArrowSchema(in.schema, (*cdata.CArrowSchema)(unsafe.Pointer(&schema)))
	if in.stream = C.da_input_new(C.uintptr_t(handle), &schema); in.stream == nil {
		handle.Delete()
		return errors.New("duckdb: no memory for an input")
	}
	in.handle = handle
	return nil
}

func (in *input) free() {
	C.da_input_free(in.stream)
	in.handle.Delete()
}

// ErrNoType is the error for Arrow's types that the engine has none for.
var ErrNoType = errors.New("a type of its columns is not read")

// view makes name a view of the rows, which replaces one of the same name, and
// which every connection sees.
func (in *input) view(c *Conn, name string) error {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	if C.da_input_view(in.stream, c.ptr, cname) != C.DuckDBSuccess {
		var fields []string
		for _, f := range in.schema.Fields() {
			fields = append(fields, fmt.Sprintf("%q %s", f.Name, f.Type))
		}
		return fmt.Errorf("%w: %s", ErrNoType, strings.Join(fields, ", "))
	}
	return nil
}

// scan reads the rows once, from any of the engine's threads.
type scan struct {
	in      *input
	reading sync.Mutex // held during a read, which may take long
	rdr     array.RecordReader
}

// start opens the rows; nil if that fails.
func (in *input) start() (s *scan) {
	defer func() {
		if p := recover(); p != nil {
			in.fail(fmt.Errorf("reader panicked: %v\n%s", p, debug.Stack()))
			s = nil
		}
	}()
	rdr, err := in.open(in.ctx)
	if err != nil {
		in.fail(err)
		return nil
	}
	return &scan{in: in, rdr: rdr}
}

// next exports the next batch into out, or leaves it released at the end. It
// reports false if there is a failure.
func (s *scan) next(out *C.struct_ArrowArray) (ok bool) {
	s.reading.Lock()
	defer s.reading.Unlock()
	in := s.in
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
	}
	if s.rdr.Next() {
		cdata.ExportArrowRecordBatch(s.rdr.RecordBatch(), (*cdata.CArrowArray)(unsafe.Pointer(out)), nil)
		return true
	}
	if err := s.rdr.Err(); err != nil {
		return in.fail(err)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.whole = true
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

// wholly fails unless a scan has read to the end; call it after the statement.
func (in *input) wholly() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.fault == nil && !in.whole {
		in.fault = fmt.Errorf("%w: the statement left a part of it", ErrOnePass)
	}
	return in.fault
}

// takeFailure is failure for the caller alone, so that no later statement is
// blamed for it.
func (in *input) takeFailure() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	err := in.fault
	in.fault = nil
	return err
}

//export daScanOpen
func daScanOpen(handle C.uintptr_t) C.uintptr_t {
	s := cgo.Handle(handle).Value().(*input).start()
	if s == nil {
		return 0
	}
	return C.uintptr_t(cgo.NewHandle(s))
}

//export daScanNext
func daScanNext(handle C.uintptr_t, out *C.struct_ArrowArray) C.bool {
	return C.bool(cgo.Handle(handle).Value().(*scan).next(out))
}

//export daScanClose
func daScanClose(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	h.Value().(*scan).rdr.Release()
	h.Delete()
}

package duckdb

/*
#include <stdlib.h>
#include "result.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
)

// statements is a text that the engine has split into statements.
type statements struct {
	ptr   C.duckdb_extracted_statements
	count int
}

func (s *statements) free() { C.duckdb_destroy_extracted(&s.ptr) }

// errNUL rejects text that the engine's C strings would silently cut.
var errNUL = errors.New("duckdb: a statement cannot hold a NUL byte")

func (c *Conn) extract(sql string) (*statements, error) {
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, errNUL
	}
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	s := &statements{}
	s.count = int(C.duckdb_extract_statements(c.ptr, text, &s.ptr))
	if message := C.duckdb_extract_statements_error(s.ptr); message != nil {
		defer s.free()
		return nil, engineError(C.GoString(message))
	}
	return s, nil
}

// result is a statement that runs. It belongs to the holder of the turn.
type result struct {
	stmt C.duckdb_prepared_statement
	res  *C.da_result
	nested
}

// start prepares, binds and executes one statement. It blocks until the engine
// has the first rows.
func (c *Conn) start(s *statements, index int, args []any) (*result, error) {
	r := &result{}
	if err := c.run(r, s, index, args); err != nil {
		r.free()
		return nil, err
	}
	return r, nil
}

// startOne is start for a text that must be one statement.
func (c *Conn) startOne(sql string, args []any) (*result, error) {
	stmts, err := c.extract(sql)
	if err != nil {
		return nil, err
	}
	defer stmts.free()
	if stmts.count != 1 {
		return nil, &Error{Type: "Parser", Message: fmt.Sprintf("one statement is expected, not %d", stmts.count), Position: -1}
	}
	return c.start(stmts, 0, args)
}

func (c *Conn) run(r *result, s *statements, index int, args []any) error {
	if C.duckdb_prepare_extracted_statement(c.ptr, s.ptr, C.idx_t(index), &r.stmt) != C.DuckDBSuccess {
		return engineError(C.GoString(C.duckdb_prepare_error(r.stmt)))
	}
	if err := bind(r.stmt, args); err != nil {
		return err
	}
	var pending C.duckdb_pending_result
	defer C.duckdb_destroy_pending(&pending)
	if C.duckdb_pending_prepared_streaming(r.stmt, &pending) != C.DuckDBSuccess {
		return engineError(C.GoString(C.duckdb_pending_error(pending)))
	}
	if r.res = C.da_result_new(); r.res == nil {
		return errors.New("duckdb: no memory for a result")
	}
	return r.check(C.da_result_execute(r.res, pending))
}

// schema returns the schema that batches have.
func (r *result) schema() (plain *arrow.Schema, err error) {
	out := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(out))
	if err := r.check(C.da_result_schema(r.res, out)); err != nil {
		return nil, err
	}
	r.raw, plain, err = importSchema(out)
	return plain, err
}

// check turns a state of result.h into an error.
func (r *result) check(state C.int) error {
	if state != C.DA_ERROR {
		return nil
	}
	return engineError(C.GoString(C.da_result_error(r.res)))
}

func (r *result) drain() error { return r.check(C.da_result_drain(r.res)) }

func (r *result) free() {
	r.nested.free()
	C.da_result_free(r.res)
	r.res = nil
	C.duckdb_destroy_prepare(&r.stmt)
}

// bind sets the statement's parameters: string, int, int64, float64, bool,
// []byte, time.Time (as TIMESTAMPTZ, truncated to microseconds) or nil.
func bind(stmt C.duckdb_prepared_statement, args []any) error {
	if want := int(C.duckdb_nparams(stmt)); want != len(args) {
		return fmt.Errorf("duckdb: the statement has %d parameters, %d values were given", want, len(args))
	}
	for i, arg := range args {
		if state, ok := bindOne(stmt, C.idx_t(i+1), arg); !ok {
			return fmt.Errorf("duckdb: parameter %d: a %T cannot be bound", i+1, arg)
		} else if state != C.DuckDBSuccess {
			return engineError(C.GoString(C.duckdb_prepare_error(stmt)))
		}
	}
	return nil
}

func bindOne(stmt C.duckdb_prepared_statement, i C.idx_t, arg any) (C.duckdb_state, bool) {
	switch v := arg.(type) {
	case nil:
		return C.duckdb_bind_null(stmt, i), true
	case bool:
		return C.duckdb_bind_boolean(stmt, i, C.bool(v)), true
	case int:
		return C.duckdb_bind_int64(stmt, i, C.int64_t(v)), true
	case int64:
		return C.duckdb_bind_int64(stmt, i, C.int64_t(v)), true
	case float64:
		return C.duckdb_bind_double(stmt, i, C.double(v)), true
	case string:
		text := C.CString(v)
		defer C.free(unsafe.Pointer(text))
		return C.duckdb_bind_varchar_length(stmt, i, text, C.idx_t(len(v))), true
	case []byte:
		data := C.CBytes(v)
		defer C.free(data)
		return C.duckdb_bind_blob(stmt, i, data, C.idx_t(len(v))), true
	case time.Time:
		return C.duckdb_bind_timestamp_tz(stmt, i, C.duckdb_timestamp{micros: C.int64_t(v.UnixMicro())}), true
	}
	return 0, false
}

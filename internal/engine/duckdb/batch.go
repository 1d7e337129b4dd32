package duckdb

/*
#include <stdlib.h>
#include "result.h"
*/
import "C"

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Batches are copied into Go memory. A string that a consumer takes from an array
// then lives as long as any string, not only until the batch is released, and a
// batch that is never released is not a leak. The copy costs a few percent.

// gather takes the next batch of a flat result; nil is the end.
func (r *result) gather(schema *arrow.Schema) (arrow.RecordBatch, error) {
	state := C.da_result_gather(r.res, MaxBatchRows, MaxBatchBytes)
	if err := r.check(state); err != nil || state == C.DA_END {
		return nil, err
	}
	return batchOf(schema, C.da_result_batch(r.res), copied), nil
}

// batchOf makes a batch of what was gathered. bytes makes the buffers, of memory
// that the next gathering overwrites.
func batchOf(schema *arrow.Schema, b *C.da_batch, bytes func(unsafe.Pointer, int) *memory.Buffer) arrow.RecordBatch {
	rows := int(b.rows)
	cols := unsafe.Slice(b.column, int(b.columns))
	arrays := make([]arrow.Array, len(cols))
	for i := range cols {
		data := array.NewData(schema.Field(i).Type, rows, columnBuffers(&cols[i], rows, bytes), nil, int(cols[i].nulls), 0)
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	batch := array.NewRecordBatch(schema, arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	return batch
}

// columnBuffers makes the buffers of the first rows of a column, in Arrow's order.
func columnBuffers(c *C.da_column, rows int, bytes func(unsafe.Pointer, int) *memory.Buffer) []*memory.Buffer {
	var valid *memory.Buffer
	if c.nulls > 0 {
		valid = bytes(unsafe.Pointer(c.valid), (rows+7)/8)
		if tail := rows % 8; tail != 0 {
			valid.Bytes()[rows/8] &= 1<<tail - 1
		}
	}
	switch c.kind {
	case C.DA_BOOL:
		return []*memory.Buffer{valid, bytes(unsafe.Pointer(c.data), (rows+7)/8)}
	case C.DA_BYTES:
		offsets := unsafe.Slice(c.offsets, rows+1)
		return []*memory.Buffer{
			valid,
			bytes(unsafe.Pointer(c.offsets), len(offsets)*4),
			bytes(unsafe.Pointer(c.data), int(offsets[rows])),
		}
	}
	return []*memory.Buffer{valid, bytes(unsafe.Pointer(c.data), rows*int(c.width))}
}

// goMemory aligns as Arrow recommends. memory.DefaultAllocator can be of C.
func goMemory() memory.Allocator { return memory.NewGoAllocator() }

func copied(p unsafe.Pointer, n int) *memory.Buffer {
	if n == 0 {
		return memory.NewBufferBytes(nil)
	}
	b := goMemory().Allocate(n)
	copy(b, unsafe.Slice((*byte)(p), n))
	return memory.NewBufferBytes(b)
}

// lent is memory of the engine's side, as it is.
func lent(p unsafe.Pointer, n int) *memory.Buffer {
	if n == 0 {
		return memory.NewBufferBytes(nil)
	}
	return memory.NewBufferBytes(unsafe.Slice((*byte)(p), n))
}

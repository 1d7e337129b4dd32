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
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// nested makes batches of results with any type that is not flat. The engine
// itself converts its chunks, in C memory; they are joined in Go memory.
type nested struct {
	raw    *arrow.Schema       // as converted by the engine, see plain.go
	pieces []arrow.RecordBatch // converted, in order, each within MaxBatchBytes or one row
	alone  bool                // some type of the result cannot be joined
}

func (n *nested) free() {
	for _, p := range n.pieces {
		p.Release()
	}
	n.pieces = nil
}

// collect takes the next batch of any result; nil is the end.
func (r *result) collect(schema *arrow.Schema) (arrow.RecordBatch, error) {
	var rows, bytes int64
	taken := 0
	for !r.alone || taken == 0 {
		if taken == len(r.pieces) {
			b, err := r.convert()
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			r.pieces = split(r.pieces, b, MaxBatchBytes)
		}
		p := r.pieces[taken]
		rows += p.NumRows()
		bytes += batchBytes(p)
		if taken > 0 && (rows > MaxBatchRows || bytes > MaxBatchBytes) {
			break
		}
		taken++
	}
	if taken == 0 {
		return nil, nil
	}
	b, joined := join(schema, r.pieces[:taken])
	if !joined {
		r.alone, taken = true, 1
		b = ownBatch(schema, r.pieces[0])
	}
	for _, p := range r.pieces[:taken] {
		p.Release()
	}
	r.pieces = append(r.pieces[:0], r.pieces[taken:]...)
	return b, nil
}

// convert takes the engine's next chunk, in memory of C; nil is the end.
func (r *result) convert() (arrow.RecordBatch, error) {
	out := (*C.struct_ArrowArray)(C.calloc(1, C.sizeof_struct_ArrowArray))
	defer C.free(unsafe.Pointer(out))
	state := C.da_result_convert(r.res, out)
	if err := r.check(state); err != nil || state == C.DA_END {
		return nil, err
	}
	return cdata.ImportCRecordBatchWithSchema((*cdata.CArrowArray)(unsafe.Pointer(out)), r.raw)
}

// split appends b to list, halved until each part is within max bytes or one
// row, and takes over its reference.
func split(list []arrow.RecordBatch, b arrow.RecordBatch, max int64) []arrow.RecordBatch {
	if b.NumRows() <= 1 || batchBytes(b) <= max {
		return append(list, b)
	}
	half := b.NumRows() / 2
	list = split(list, b.NewSlice(0, half), max)
	list = split(list, b.NewSlice(half, b.NumRows()), max)
	b.Release()
	return list
}

// join copies the pieces into one batch in Go memory. It fails for types that
// Arrow's library cannot concatenate, such as unions.
func join(schema *arrow.Schema, pieces []arrow.RecordBatch) (arrow.RecordBatch, bool) {
	cols := make([]arrow.Array, schema.NumFields())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	parts := make([]arrow.Array, len(pieces))
	var rows int64
	for _, p := range pieces {
		rows += p.NumRows()
	}
	for i := range cols {
		for j, p := range pieces {
			parts[j] = p.Column(i)
		}
		joined, err := array.Concatenate(parts, goMemory())
		if err != nil {
			return nil, false
		}
		ownDictionaries(joined.Data())
		cols[i] = plainArray(joined.Data(), schema.Field(i).Type)
		joined.Release()
	}
	return array.NewRecordBatch(schema, cols, rows), true
}

// ownDictionaries copies the dictionaries below d, which Concatenate shares.
func ownDictionaries(d arrow.ArrayData) {
	if dict := dictionary(d); dict != nil {
		own := ownData(dict)
		d.(*array.Data).SetDictionary(own)
		own.Release()
	}
	for _, child := range d.Children() {
		ownDictionaries(child)
	}
}

// ownBatch copies a batch into Go memory, with everything in its buffers.
func ownBatch(schema *arrow.Schema, b arrow.RecordBatch) arrow.RecordBatch {
	cols := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		data := ownData(c.Data())
		cols[i] = plainArray(data, schema.Field(i).Type)
		data.Release()
	}
	own := array.NewRecordBatch(schema, cols, b.NumRows())
	for _, c := range cols {
		c.Release()
	}
	return own
}

func ownData(d arrow.ArrayData) *array.Data {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil && b.Len() > 0 {
			buffers[i] = copied(unsafe.Pointer(&b.Bytes()[0]), b.Len())
		}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = ownData(c)
	}
	own := array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
	for _, c := range children {
		c.Release()
	}
	if dict := dictionary(d); dict != nil {
		ownDict := ownData(dict)
		own.SetDictionary(ownDict)
		ownDict.Release()
	}
	return own
}

// dictionary returns nil if there is no dictionary; ArrayData.Dictionary would
// then be a nil pointer in a non-nil interface.
func dictionary(d arrow.ArrayData) *array.Data {
	data, ok := d.(*array.Data)
	if !ok {
		return nil
	}
	dict, _ := data.Dictionary().(*array.Data)
	return dict
}

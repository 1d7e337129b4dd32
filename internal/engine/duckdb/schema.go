package duckdb

/*
#include <stdlib.h>
#include "result.h"
*/
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/cdata"
)

// importSchema reads the schema that the engine converts to, and the plain one
// that streams have. It releases c.
func importSchema(c *C.struct_ArrowSchema) (raw, plain *arrow.Schema, err error) {
	seen := readSchema(c)
	raw, err = cdata.ImportCArrowSchema((*cdata.CArrowSchema)(unsafe.Pointer(c)))
	if err != nil {
		return nil, nil, err
	}
	fields := make([]arrow.Field, raw.NumFields())
	for i, f := range raw.Fields() {
		fields[i] = plainField(f, seen.children[i])
	}
	return raw, arrow.NewSchema(fields, nil), nil
}

// schemaNode has what the Arrow library's import loses of a map's key and value:
// without the metadata a UUID in a map would be a BLOB.
type schemaNode struct {
	name     string
	nullable bool
	metadata arrow.Metadata
	children []schemaNode
}

func readSchema(c *C.struct_ArrowSchema) schemaNode {
	n := schemaNode{
		name:     C.GoString(c.name),
		nullable: c.flags&C.ARROW_FLAG_NULLABLE != 0,
		metadata: readMetadata(unsafe.Pointer(c.metadata)),
		children: make([]schemaNode, int(c.n_children)),
	}
	for i, child := range unsafe.Slice(c.children, int(c.n_children)) {
		n.children[i] = readSchema(child)
	}
	return n
}

// readMetadata decodes the C interface's form: a count, then keys and values,
// each after its length; numbers are 32 bits in native order.
func readMetadata(p unsafe.Pointer) arrow.Metadata {
	if p == nil {
		return arrow.Metadata{}
	}
	number := func() int {
		n := int(int32(binary.NativeEndian.Uint32(unsafe.Slice((*byte)(p), 4))))
		p = unsafe.Add(p, 4)
		return n
	}
	text := func() string {
		n := number()
		s := string(unsafe.Slice((*byte)(p), n))
		p = unsafe.Add(p, n)
		return s
	}
	n := number()
	keys, values := make([]string, n), make([]string, n)
	for i := range n {
		keys[i], values[i] = text(), text()
	}
	return arrow.NewMetadata(keys, values)
}

// field is the node's field, if it has type t.
func (n schemaNode) field(t arrow.DataType) arrow.Field {
	return arrow.Field{Name: n.name, Type: t, Nullable: n.nullable, Metadata: n.metadata}
}

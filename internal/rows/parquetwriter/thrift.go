package parquetwriter

import "encoding/binary"

// The types of Thrift's compact protocol that are written.
const (
	tTrue   = 1
	tFalse  = 2
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tBinary = 8
	tList   = 9
	tStruct = 12
)

// thrift writes one struct, with its fields in ascending order, in the compact
// protocol.
type thrift struct {
	buf  []byte
	last int16 // the field before, in this struct
}

func (t *thrift) field(id int16, kind byte) {
	t.buf = append(t.buf, byte(id-t.last)<<4|kind) // all gaps are below 16
	t.last = id
}

// number writes a field of one of the integer types.
func (t *thrift) number(id int16, kind byte, v int64) {
	t.field(id, kind)
	t.value(v)
}

// value writes an integer as the next value of a list.
func (t *thrift) value(v int64) { t.buf = binary.AppendVarint(t.buf, v) }

func (t *thrift) bool(id int16, v bool) {
	if v {
		t.field(id, tTrue)
	} else {
		t.field(id, tFalse)
	}
}

func (t *thrift) bytes(id int16, v []byte) {
	t.field(id, tBinary)
	t.text(v)
}

// text writes bytes as the next value of a list.
func (t *thrift) text(v []byte) {
	t.buf = append(binary.AppendUvarint(t.buf, uint64(len(v))), v...)
}

// list begins a list of n values, which follow without ids.
func (t *thrift) list(id int16, kind byte, n int) {
	t.field(id, tList)
	if n < 15 {
		t.buf = append(t.buf, byte(n)<<4|kind)
		return
	}
	t.buf = binary.AppendUvarint(append(t.buf, 0xf0|kind), uint64(n))
}

// structField writes a struct as a field.
func (t *thrift) structField(id int16, write func()) {
	t.field(id, tStruct)
	t.item(write)
}

// item writes a struct as the next value of a list.
func (t *thrift) item(write func()) {
	before := t.last
	t.last = 0
	write()
	t.stop()
	t.last = before
}

// stop ends the struct.
func (t *thrift) stop() { t.buf = append(t.buf, 0) }

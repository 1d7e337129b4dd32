package parquetfile

import (
	"encoding/binary"
	"errors"
)

// The types of Thrift's compact protocol.
const (
	tStop   = 0
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tDouble = 7
	tBinary = 8
	tList   = 9
	tSet    = 10
	tMap    = 11
	tStruct = 12
)

// maxDepth is the maximum nesting of structs and lists; Parquet itself needs at
// most eight levels.
const maxDepth = 32

var (
	errShort     = errors.New("its metadata ends early")
	errMalformed = errors.New("its metadata is malformed")
)

// thrift reads values of the compact protocol from memory. It trusts nothing:
// each step moves forward and stays within the buffer.
type thrift struct {
	buf   []byte
	pos   int
	depth int
}

func (t *thrift) byte() (byte, error) {
	if t.pos >= len(t.buf) {
		return 0, errShort
	}
	t.pos++
	return t.buf[t.pos-1], nil
}

func (t *thrift) uvarint() (uint64, error) {
	v, n := binary.Uvarint(t.buf[t.pos:])
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, errMalformed
	}
	t.pos += n
	return v, nil
}

// integer reads a number of 16, 32 or 64 bits.
func (t *thrift) integer() (int64, error) {
	v, err := t.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

func (t *thrift) bytes() ([]byte, error) {
	n, err := t.uvarint()
	if err != nil {
		return nil, err
	}
	if n > uint64(len(t.buf)-t.pos) {
		return nil, errShort
	}
	t.pos += int(n)
	return t.buf[t.pos-int(n) : t.pos], nil
}

// fields reads a struct and calls read for each of its fields, which must read
// the value, or skip it.
func (t *thrift) fields(read func(id int64, kind byte) error) error {
	if t.depth++; t.depth > maxDepth {
		return errMalformed
	}
	defer func() { t.depth-- }()
	for id := int64(0); ; {
		head, err := t.byte()
		if err != nil || head == tStop {
			return err
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else if id, err = t.integer(); err != nil {
			return err
		}
		if err := read(id, head&15); err != nil {
			return err
		}
	}
}

// list reads the header of a list, and calls read for each element; all elements
// must be of the wanted kind.
func (t *thrift) list(want byte, read func(i int) error) error {
	kind, n, err := t.listHead()
	if err != nil {
		return err
	}
	if n > 0 && kind != want {
		return errMalformed
	}
	if t.depth++; t.depth > maxDepth {
		return errMalformed
	}
	defer func() { t.depth-- }()
	for i := range n {
		if err := read(i); err != nil {
			return err
		}
	}
	return nil
}

// listHead bounds the number of elements: each takes a byte at least.
func (t *thrift) listHead() (kind byte, n int, err error) {
	head, err := t.byte()
	if err != nil {
		return 0, 0, err
	}
	size := uint64(head >> 4)
	if size == 15 {
		if size, err = t.uvarint(); err != nil {
			return 0, 0, err
		}
	}
	if size > uint64(len(t.buf)-t.pos) {
		return 0, 0, errShort
	}
	return head & 15, int(size), nil
}

// skip passes over a field's value.
func (t *thrift) skip(kind byte) error {
	switch kind {
	case tTrue, tFalse:
		return nil
	}
	return t.skipElement(kind)
}

// skipElement skips an element of a list; in a list, a boolean takes one byte.
func (t *thrift) skipElement(kind byte) (err error) {
	if t.depth++; t.depth > maxDepth {
		return errMalformed
	}
	defer func() { t.depth-- }()
	switch kind {
	case tTrue, tFalse, tByte:
		_, err = t.byte()
	case tI16, tI32, tI64:
		_, err = t.uvarint()
	case tDouble:
		if t.pos += 8; t.pos > len(t.buf) {
			err = errShort
		}
	case tBinary:
		_, err = t.bytes()
	case tList, tSet:
		err = t.skipList()
	case tMap:
		err = t.skipMap()
	case tStruct:
		err = t.fields(func(_ int64, kind byte) error { return t.skip(kind) })
	default:
		err = errMalformed
	}
	return err
}

func (t *thrift) skipList() error {
	kind, n, err := t.listHead()
	for i := 0; i < n && err == nil; i++ {
		err = t.skipElement(kind)
	}
	return err
}

func (t *thrift) skipMap() error {
	n, err := t.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := t.byte()
	for ; n > 0 && err == nil; n-- {
		if err = t.skipElement(kinds >> 4); err == nil {
			err = t.skipElement(kinds & 15)
		}
	}
	return err
}

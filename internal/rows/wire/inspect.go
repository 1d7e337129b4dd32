package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A message's metadata is a flatbuffer. The Arrow library for Go reads it
// without checking it first: a vector may claim any length, and an offset may
// lead back to where it came from, which ends in memory or stack running out.
// So every offset is followed here before, within bounds and a budget.

// shape lists the fields of a flatbuffers table, by slot.
type shape []slot

type slot struct {
	kind slotKind
	size int                         // of a scalar, or of a vector's element
	sub  func() shape                // of a table, or of a vector's tables
	pick func(tag byte) func() shape // of a union; the tag is in the slot before
}

type slotKind byte

const (
	scalar     slotKind = iota
	vector              // of fixed-size elements, or text
	table               // one table
	tables              // a vector of tables
	taggedSlot          // a union
)

// Kinds of message and of type, as Arrow's Message.fbs and Schema.fbs number
// them.
const (
	kindSchema     = 1
	kindDictionary = 2
	kindBatch      = 3

	typeTimestamp  = 10
	typeUnion      = 14
	typeBinaryView = 23
	typeUtf8View   = 24
)

// Slots that are read here.
const (
	slotHeaderType = 1
	slotHeader     = 2
	slotBodyLength = 3

	slotBatchLength      = 0
	slotBatchNodes       = 1
	slotBatchBuffers     = 2
	slotBatchCompression = 3
	slotBatchVariadic    = 4

	slotDictionaryID    = 0
	slotDictionaryData  = 1
	slotDictionaryDelta = 2

	slotSchemaFields    = 1
	slotFieldType       = 2
	slotFieldDictionary = 4
	slotFieldChildren   = 5
)

func messageShape() shape {
	return shape{
		{size: 2}, {size: 1}, {kind: taggedSlot, pick: headerShape}, {size: 8},
		{kind: tables, sub: keyValueShape},
	}
}

func headerShape(tag byte) func() shape {
	switch tag {
	case kindSchema:
		return schemaShape
	case kindDictionary:
		return dictionaryShape
	case kindBatch:
		return batchShape
	}
	return nil
}

func schemaShape() shape {
	return shape{
		{size: 2}, {kind: tables, sub: fieldShape}, {kind: tables, sub: keyValueShape},
		{kind: vector, size: 8},
	}
}

func fieldShape() shape {
	return shape{
		{kind: vector, size: 1}, {size: 1}, {size: 1}, {kind: taggedSlot, pick: typeShape},
		{kind: table, sub: encodingShape}, {kind: tables, sub: fieldShape}, {kind: tables, sub: keyValueShape},
	}
}

func typeShape(tag byte) func() shape {
	switch tag {
	case typeTimestamp:
		return func() shape { return shape{{size: 2}, {kind: vector, size: 1}} }
	case typeUnion:
		return func() shape { return shape{{size: 2}, {kind: vector, size: 4}} }
	}
	return plainShape
}

func plainShape() shape { return nil }

func encodingShape() shape {
	return shape{{size: 8}, {kind: table, sub: plainShape}, {size: 1}, {size: 2}}
}

func keyValueShape() shape { return shape{{kind: vector, size: 1}, {kind: vector, size: 1}} }

func dictionaryShape() shape { return shape{{size: 8}, {kind: table, sub: batchShape}, {size: 1}} }

func batchShape() shape {
	return shape{
		{size: 8}, {kind: vector, size: 16}, {kind: vector, size: 16},
		{kind: table, sub: compressionShape}, {kind: vector, size: 8},
	}
}

func compressionShape() shape { return shape{{size: 1}, {size: 1}} }

// maxDepth bounds how deep tables are nested: two levels for each level of a nested
// type. Arrow itself allows 64 of these.
const maxDepth = 140

var errMetadata = errors.New("malformed message metadata")

// metadata is a flatbuffer under inspection.
type metadata struct {
	buf []byte
	// budget bounds what the tables unfold to: offsets may share what they
	// point to, a reader copies it each time.
	budget int
}

// inspector checks the messages of one stream.
type inspector struct {
	// views counts the columns of a batch that are views on buffers of their
	// own; dictionaries does so for the values of each dictionary. A batch must
	// say of each how many buffers it has, and the reader takes it from there.
	views        int
	dictionaries map[int64]int
	// packed accepts batches whose buffers are compressed.
	packed bool
}

// inspect checks a message's metadata and returns the length of its body.
func (in *inspector) inspect(buf []byte) (bodyLength int64, err error) {
	m := &metadata{buf: buf, budget: 4*len(buf) + 4096}
	root := int(binary.LittleEndian.Uint32(buf))
	if err := m.walk(root, messageShape(), 0); err != nil {
		return 0, err
	}
	bodyLength = m.int64At(root, slotBodyLength)
	if bodyLength < 0 || bodyLength > MaxBody {
		return 0, fmt.Errorf("a message body of %d bytes is out of bounds", bodyLength)
	}
	header, ok := m.follow(root, slotHeader)
	if !ok {
		return 0, errMetadata
	}
	at, _ := m.field(root, slotHeaderType)
	switch buf[at] {
	case kindSchema:
		in.dictionaries = map[int64]int{}
		in.views = in.countViews(m, header, slotSchemaFields)
	case kindDictionary:
		data, ok := m.follow(header, slotDictionaryData)
		if !ok {
			return 0, errMetadata
		}
		return bodyLength, in.batch(m, data, bodyLength, in.dictionaries[m.int64At(header, slotDictionaryID)])
	case kindBatch:
		return bodyLength, in.batch(m, header, bodyLength, in.views)
	}
	return bodyLength, nil
}

// countViews counts the views among the fields that hang on a slot, and notes
// those that belong to dictionaries.
func (in *inspector) countViews(m *metadata, pos, i int) int {
	views := 0
	at, n := m.elements(pos, i)
	for j := range n {
		elem := at + 4*j
		field := elem + int(binary.LittleEndian.Uint32(m.buf[elem:]))
		own := in.countViews(m, field, slotFieldChildren)
		if tag, ok := m.field(field, slotFieldType); ok && (m.buf[tag] == typeBinaryView || m.buf[tag] == typeUtf8View) {
			own++
		}
		if enc, ok := m.follow(field, slotFieldDictionary); ok {
			in.dictionaries[m.int64At(enc, 0)] += own
			own = 0
		}
		views += own
	}
	return views
}

// batch checks the parts of a record batch against the body that follows.
func (in *inspector) batch(m *metadata, pos int, bodyLength int64, views int) error {
	_, packed := m.field(pos, slotBatchCompression)
	if packed && !in.packed {
		return errors.New("a compressed batch is not part of the format")
	}
	rows := m.int64At(pos, slotBatchLength)
	if rows < 0 || rows > MaxBatchRows {
		return fmt.Errorf("a batch of %d rows is out of bounds", rows)
	}
	room := bodyLength
	if packed {
		room = unpackLimit // what is unpacked is inspected again
	}
	for a, b := range m.pairs(pos, slotBatchNodes) {
		if a < 0 || a > room*8+MaxBatchRows || b < 0 || b > a {
			return errMetadata
		}
	}
	buffers := 0
	for offset, length := range m.pairs(pos, slotBatchBuffers) {
		if offset < 0 || length < 0 || offset > bodyLength || length > bodyLength-offset || offset%8 != 0 {
			return errMetadata
		}
		buffers++
	}
	at, n := m.elements(pos, slotBatchVariadic)
	if n < views {
		return errMetadata
	}
	for i := range n {
		if c := int64(binary.LittleEndian.Uint64(m.buf[at+8*i:])); c < 0 || c > int64(buffers) {
			return errMetadata
		}
	}
	return nil
}

// walk checks the table at pos and all that hangs on it.
func (m *metadata) walk(pos int, s shape, depth int) error {
	if err := m.spend(32); err != nil || depth > maxDepth {
		return errMetadata
	}
	if !m.tableFits(pos) {
		return errMetadata
	}
	for i, sl := range s {
		at, ok := m.field(pos, i)
		if !ok {
			continue
		}
		size := sl.size
		if sl.kind != scalar {
			size = 4
		}
		if at+size > len(m.buf) {
			return errMetadata
		}
		if sl.kind == scalar {
			continue
		}
		if err := m.reference(pos, i, sl, at, depth); err != nil {
			return err
		}
	}
	return nil
}

// reference checks what the offset at position at points to.
func (m *metadata) reference(pos, i int, sl slot, at, depth int) error {
	target := at + int(binary.LittleEndian.Uint32(m.buf[at:]))
	switch sl.kind {
	case table:
		return m.walk(target, sl.sub(), depth+1)
	case taggedSlot:
		tagAt, ok := m.field(pos, i-1)
		if !ok {
			return errMetadata
		}
		sub := sl.pick(m.buf[tagAt])
		if sub == nil {
			return errMetadata
		}
		return m.walk(target, sub(), depth+1)
	case tables:
		n, err := m.vectorFits(target, 4)
		if err != nil {
			return err
		}
		for j := range n {
			elem := target + 4 + 4*j
			if err := m.walk(elem+int(binary.LittleEndian.Uint32(m.buf[elem:])), sl.sub(), depth+1); err != nil {
				return err
			}
		}
		return nil
	default:
		_, err := m.vectorFits(target, sl.size)
		return err
	}
}

func (m *metadata) spend(n int) error {
	if m.budget -= n; m.budget < 0 {
		return errMetadata
	}
	return nil
}

// vectorFits returns the number of elements of the vector at pos.
func (m *metadata) vectorFits(pos, elem int) (int, error) {
	if pos+4 > len(m.buf) {
		return 0, errMetadata
	}
	n := int(binary.LittleEndian.Uint32(m.buf[pos:]))
	if n > (len(m.buf)-pos-4)/elem {
		return 0, errMetadata
	}
	return n, m.spend(4 + n*elem)
}

// tableFits reports whether a table and its vtable lie inside the buffer.
func (m *metadata) tableFits(pos int) bool {
	if pos+4 > len(m.buf) {
		return false
	}
	vtable := pos - int(int32(binary.LittleEndian.Uint32(m.buf[pos:])))
	if vtable < 0 || vtable+4 > len(m.buf) {
		return false
	}
	size := int(binary.LittleEndian.Uint16(m.buf[vtable:]))
	// An odd size would be read one way here and another way by the library.
	return size >= 4 && size%2 == 0 && vtable+size <= len(m.buf)
}

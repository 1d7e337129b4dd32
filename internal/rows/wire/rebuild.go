package wire

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Arrow's numbers for the version of the format and for its codecs.
const (
	metadataV5 = 4
	codecZstd  = 1
)

// span is where a buffer lies in a message's body.
type span struct{ offset, length int64 }

// batchMeta is the metadata of a record batch, or of a dictionary's.
type batchMeta struct {
	kind     byte
	id       int64 // of the dictionary
	delta    bool  // of the dictionary
	rows     int64
	nodes    [][2]int64
	buffers  []span
	variadic []int64
	packed   bool // buffers are compressed, each behind its length
	codec    byte
}

// batchOf reads the metadata of a message that inspect has passed, or that is
// our own. It reports false for a message that is not a batch.
func batchOf(buf []byte) (batchMeta, bool) {
	m := &metadata{buf: buf}
	root := int(binary.LittleEndian.Uint32(buf))
	at, ok := m.field(root, slotHeaderType)
	if !ok {
		return batchMeta{}, false
	}
	b := batchMeta{kind: buf[at]}
	pos, ok := m.follow(root, slotHeader)
	switch {
	case !ok || b.kind != kindBatch && b.kind != kindDictionary:
		return batchMeta{}, false
	case b.kind == kindDictionary:
		b.id = m.int64At(pos, slotDictionaryID)
		b.delta = m.byteAt(pos, slotDictionaryDelta) != 0
		if pos, ok = m.follow(pos, slotDictionaryData); !ok {
			return batchMeta{}, false
		}
	}
	b.rows = m.int64At(pos, slotBatchLength)
	for rows, nulls := range m.pairs(pos, slotBatchNodes) {
		b.nodes = append(b.nodes, [2]int64{rows, nulls})
	}
	for offset, length := range m.pairs(pos, slotBatchBuffers) {
		b.buffers = append(b.buffers, span{offset, length})
	}
	for at, n := m.elements(pos, slotBatchVariadic); n > 0; at, n = at+8, n-1 {
		b.variadic = append(b.variadic, int64(binary.LittleEndian.Uint64(buf[at:])))
	}
	var compression int
	if compression, b.packed = m.follow(pos, slotBatchCompression); b.packed {
		b.codec = m.byteAt(compression, 0)
	}
	return b, true
}

// build returns the metadata of a message with this batch, a multiple of 8
// bytes long.
func (b batchMeta) build(bodyLength int64) []byte {
	f := flatbuffers.NewBuilder(512)
	nodes := vectorOf(f, len(b.nodes), func(i int) (int64, int64) { return b.nodes[i][0], b.nodes[i][1] })
	buffers := vectorOf(f, len(b.buffers), func(i int) (int64, int64) { return b.buffers[i].offset, b.buffers[i].length })
	var compression, variadic flatbuffers.UOffsetT
	if b.packed {
		f.StartObject(2)
		f.PrependByteSlot(0, b.codec, 0)
		compression = f.EndObject()
	}
	if len(b.variadic) > 0 {
		f.StartVector(8, len(b.variadic), 8)
		for i := len(b.variadic) - 1; i >= 0; i-- {
			f.PrependInt64(b.variadic[i])
		}
		variadic = f.EndVector(len(b.variadic))
	}
	f.StartObject(5)
	f.PrependInt64Slot(slotBatchLength, b.rows, 0)
	f.PrependUOffsetTSlot(slotBatchNodes, nodes, 0)
	f.PrependUOffsetTSlot(slotBatchBuffers, buffers, 0)
	f.PrependUOffsetTSlot(slotBatchCompression, compression, 0)
	f.PrependUOffsetTSlot(slotBatchVariadic, variadic, 0)
	header := f.EndObject()
	if b.kind == kindDictionary {
		f.StartObject(3)
		f.PrependInt64Slot(slotDictionaryID, b.id, 0)
		f.PrependUOffsetTSlot(slotDictionaryData, header, 0)
		f.PrependBoolSlot(slotDictionaryDelta, b.delta, false)
		header = f.EndObject()
	}
	f.StartObject(5)
	f.PrependInt16Slot(0, metadataV5, 0)
	f.PrependByteSlot(slotHeaderType, b.kind, 0)
	f.PrependUOffsetTSlot(slotHeader, header, 0)
	f.PrependInt64Slot(slotBodyLength, bodyLength, 0)
	f.Finish(f.EndObject())
	meta := f.FinishedBytes()
	return append(meta, make([]byte, -len(meta)&7)...)
}

// vectorOf writes a vector of two 64-bit numbers each.
func vectorOf(f *flatbuffers.Builder, n int, pair func(i int) (a, b int64)) flatbuffers.UOffsetT {
	f.StartVector(16, n, 8)
	for i := n - 1; i >= 0; i-- {
		first, second := pair(i)
		f.Prep(8, 16)
		f.PrependInt64(second)
		f.PrependInt64(first)
	}
	return f.EndVector(n)
}

package parquetwriter

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/zeebo/xxh3"
)

// texts is a column of texts, of bytes, or of decimals with more than 18 digits,
// which are 16 bytes each.
type texts struct {
	leaf
	validity
	lengths []int32 // without the NULLs
	data    []byte
}

// maxBound is the longest text that is written as a bound.
const maxBound = 256

func (t *texts) add(arr arrow.Array, from, end int) error {
	t.validity.add(arr, from, end)
	data := arr.Data()
	each(arr, from, end, func(from, end int) {
		if t.kind == fixedBytes {
			for _, d := range arrow.GetValues[decimal128.Num](data, 1)[from:end] {
				t.data = binary.BigEndian.AppendUint64(t.data, uint64(d.HighBits()))
				t.data = binary.BigEndian.AppendUint64(t.data, d.LowBits())
				t.lengths = append(t.lengths, wideBytes)
			}
			return
		}
		offsets := arrow.GetOffsets[int32](data, 1)[from : end+1]
		if content := data.Buffers()[2]; content != nil {
			t.data = append(t.data, content.Bytes()[offsets[0]:offsets[len(offsets)-1]]...)
		}
		for i, offset := range offsets[1:] {
			t.lengths = append(t.lengths, offset-offsets[i])
		}
	})
	return nil
}

func (t *texts) encode(s *scratch, c *chunk) {
	if len(t.lengths) == 0 {
		c.fill(s, &t.leaf, &t.validity, encoded{encoding: plain})
		return
	}
	var b bounds
	size := len(t.data) + len(t.lengths)/2
	out, ok := t.dictionary(s)
	switch {
	case ok && len(out.values)+len(out.dict) < size/4*3:
		for _, e := range s.entries {
			b.add(t.data[e.from:e.end], t.kind)
		}
		c.least, c.most = b.result()
		c.fill(s, &t.leaf, &t.validity, out)
		return
	case t.kind == fixedBytes:
		out = encoded{encoding: plain, values: t.data}
	default:
		s.other = append(appendDelta(s.other[:0], t.lengths), t.data...)
		out = encoded{encoding: deltaLengths, values: s.other}
	}
	from := 0
	for _, n := range t.lengths {
		b.add(t.data[from:from+int(n)], t.kind)
		from += int(n)
	}
	c.least, c.most = b.result()
	c.fill(s, &t.leaf, &t.validity, out)
}

// span is where a text lies in a column's data.
type span struct{ from, end int }

// dictionary encodes the texts by a dictionary; false: there are too many.
func (t *texts) dictionary(s *scratch) (encoded, bool) {
	limit := min(len(t.lengths)/5, 1<<maxIndexBits)
	s.table.clear(limit)
	s.index, s.dict, s.entries = s.index[:0], s.dict[:0], s.entries[:0]
	from := 0
	for _, n := range t.lengths {
		text := t.data[from : from+int(n)]
		key := xxh3.Hash(text)
		slot := s.table.slot(key)
		for s.table.places[slot] != 0 {
			if e := s.entries[s.table.places[slot]-1]; s.table.keys[slot] == key && bytes.Equal(t.data[e.from:e.end], text) {
				break
			}
			slot = (slot + 1) & s.table.mask
		}
		if s.table.places[slot] == 0 {
			if len(s.entries) == limit || len(s.dict)+len(text) > maxDictionary {
				return encoded{}, false
			}
			s.entries = append(s.entries, span{from, from + len(text)})
			s.table.keys[slot], s.table.places[slot] = key, uint32(len(s.entries))
			if t.kind == byteArray {
				s.dict = binary.LittleEndian.AppendUint32(s.dict, uint32(n))
			}
			s.dict = append(s.dict, text...)
		}
		s.index = append(s.index, s.table.places[slot]-1)
		from += int(n)
	}
	s.values = appendIndexes(s.values[:0], s.index, len(s.entries))
	return encoded{encoding: rleDictionary, values: s.values, dict: s.dict, entries: len(s.entries)}, true
}

func (t *texts) reset() {
	t.validity.clear()
	t.lengths, t.data = t.lengths[:0], emptied(t.data, 1)
}

// bounds are the least and the greatest of some texts.
type bounds struct {
	some        bool
	least, most []byte
}

func (b *bounds) add(text []byte, kind int64) {
	if !b.some {
		b.some, b.least, b.most = true, text, text
		return
	}
	if before(text, b.least, kind) {
		b.least = text
	} else if before(b.most, text, kind) {
		b.most = text
	}
}

// before compares texts, or decimals, which begin with their sign.
func before(a, b []byte, kind int64) bool {
	if kind == fixedBytes && (a[0]^b[0])&0x80 != 0 {
		return a[0]&0x80 != 0
	}
	return bytes.Compare(a, b) < 0
}

// result returns copies, or nil if one is long: a part of it would have to be
// marked, and not all readers look for the mark.
func (b *bounds) result() (least, most []byte) {
	if len(b.least) > maxBound || len(b.most) > maxBound {
		return nil, nil
	}
	return append([]byte{}, b.least...), append([]byte{}, b.most...)
}

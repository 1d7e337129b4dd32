package parquetwriter

import (
	"bytes"
	"encoding/binary"
	"slices"

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
	t.expect(end-from, t.size(data, from, end))
	eachValidRange(arr, from, end, func(from, end int) {
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

// size returns the bytes of rows.
func (t *texts) size(data arrow.ArrayData, from, end int) int {
	if t.kind == fixedBytes {
		return (end - from) * wideBytes
	}
	offsets := arrow.GetOffsets[int32](data, 1)
	return int(offsets[end] - offsets[from])
}

// expect makes room for rows of so many bytes, and for a group of such rows.
func (t *texts) expect(rows, size int) {
	bytes := float64(len(t.data)+size) / float64(max(1, len(t.lengths)+rows)) * float64(*t.most)
	t.lengths = room(t.lengths, rows, *t.most)
	t.data = room(t.data, size, min(int(bytes*1.1), 2*groupBytes))
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
		planDelta(&s.delta, t.lengths)
		s.other = append(appendDelta(s.other[:0], t.lengths, &s.delta), t.data...)
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
	s.dict, s.entries = s.dict[:0], s.entries[:0]
	s.index = slices.Grow(s.index[:0], len(t.lengths))[:len(t.lengths)]
	// The loop is quicker with variables of its own.
	index, keys, places, entries, data, from := s.index, s.table.keys, s.table.places, s.entries, t.data, 0
	for i, n := range t.lengths {
		end := from + int(n)
		key := keyOf(data, from, end)
		slot := s.table.slot(key * 0x9e3779b97f4a7c15)
		for places[slot] != 0 && (keys[slot] != key || n > shortText && !t.isEntry(entries[places[slot]-1], from, end)) {
			slot = (slot + 1) & s.table.mask
		}
		if places[slot] == 0 {
			if len(entries) == limit || len(s.dict)+int(n) > maxDictionary {
				return encoded{}, false
			}
			entries = append(entries, span{from, end})
			keys[slot], places[slot] = key, uint32(len(entries))
			if t.kind == byteArray {
				s.dict = binary.LittleEndian.AppendUint32(s.dict, uint32(n))
			}
			s.dict = append(s.dict, data[from:end]...)
		}
		index[i] = places[slot] - 1
		from = end
	}
	s.entries = entries
	s.values = appendIndexes(s.values[:0], s.index, len(s.entries))
	return encoded{encoding: rleDictionary, values: s.values, dict: s.dict, entries: len(s.entries)}, true
}

// isEntry reports whether an entry of the dictionary is the text between two places.
func (t *texts) isEntry(e span, from, end int) bool {
	return bytes.Equal(t.data[e.from:e.end], t.data[from:end])
}

// shortText is the longest text that fits into its key. Two such texts are equal if
// their keys are.
const shortText = 7

// keyOf returns the key of a text. A short text's key holds its bytes and its length.
// A longer text's key is a hash with a mark that no short text's key has.
func keyOf(data []byte, from, end int) (key uint64) {
	n := end - from
	if n > shortText {
		return xxh3.Hash(data[from:end]) | 0xff<<56
	}
	if rest := data[from:]; len(rest) >= 8 {
		key = binary.LittleEndian.Uint64(rest) & (1<<(8*n) - 1)
	} else {
		for i, b := range data[from:end] {
			key |= uint64(b) << (8 * i)
		}
	}
	return key | uint64(n)<<56
}

func (t *texts) reset(left *int) {
	t.validity.clear()
	t.lengths, t.data = t.lengths[:0], emptied(t.data, left)
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

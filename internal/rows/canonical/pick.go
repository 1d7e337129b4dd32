package canonical

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxViewed limits the total size that the views of an array show, in bytes.
const maxViewed = 1 << 30

// pick returns an array of the given rows of d, in canonical form. nullable says
// whether the slots of nowhere can be NULL.
func pick(d arrow.ArrayData, rows []int, nullable bool) (arrow.ArrayData, error) {
	dt := storage(d.DataType())
	if dt.ID() == arrow.NULL {
		return array.NewData(d.DataType(), len(rows), []*memory.Buffer{nil}, nil, len(rows), 0), nil
	}
	if u, ok := dt.(arrow.UnionType); ok {
		return pickUnion(d, u, rows)
	}
	valid, seen, null := pickValidity(d, rows, nullable)
	buffers := []*memory.Buffer{valid}
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		buffers = append(buffers, pickBits(d, seen))
	case *arrow.StringType, *arrow.BinaryType:
		buffers = append(buffers, pickTexts[int32](d, seen)...)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		buffers = append(buffers, pickTexts[int64](d, seen)...)
	case arrow.BinaryViewDataType:
		views, err := pickViews(d, seen)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, views...)
	case *arrow.DictionaryType:
		return pickDictionary(d, append(buffers, pickFixed(d, seen, dt.Bytes())), null)
	case *arrow.ListType, *arrow.MapType:
		return pickLists[int32](d, buffers, seen, null)
	case *arrow.LargeListType:
		return pickLists[int64](d, buffers, seen, null)
	case *arrow.FixedSizeListType:
		return pickChildren(d, buffers, len(rows), null, func(int) []int { return elements(d, seen, int(dt.Len())) })
	case *arrow.StructType:
		members := shifted(seen, d.Offset())
		return pickChildren(d, buffers, len(rows), null, func(int) []int { return members })
	case arrow.FixedWidthDataType:
		buffers = append(buffers, pickFixed(d, seen, dt.Bytes()))
	default:
		return nil, fmt.Errorf("type %s does not travel", dt)
	}
	return array.NewData(d.DataType(), len(rows), buffers, nil, null, 0), nil
}

// pickValidity returns the bitmap of the given rows, nil if not needed, the rows
// with nowhere in place of NULLs, and the number of NULLs.
func pickValidity(d arrow.ArrayData, rows []int, nullable bool) (valid *memory.Buffer, seen []int, null int) {
	from := bytesOf(d, 0)
	if nulls(d) == 0 {
		from = nil
	}
	seen = make([]int, len(rows))
	bitmap := make([]byte, bitutil.BytesForBits(int64(len(rows))))
	for i, r := range rows {
		seen[i] = r
		switch {
		case r != nowhere && (from == nil || bitutil.BitIsSet(from, d.Offset()+r)):
			bitutil.SetBit(bitmap, i)
		case r == nowhere && from == nil && !nullable:
			bitutil.SetBit(bitmap, i) // a zero value, because NULL is not allowed
		default:
			seen[i] = nowhere
			null++
		}
	}
	if null == 0 {
		return nil, seen, 0
	}
	return memory.NewBufferBytes(bitmap), seen, null
}

func pickBits(d arrow.ArrayData, rows []int) *memory.Buffer {
	from, to := bytesOf(d, 1), make([]byte, bitutil.BytesForBits(int64(len(rows))))
	for i, r := range rows {
		if r != nowhere && bitutil.BitIsSet(from, d.Offset()+r) {
			bitutil.SetBit(to, i)
		}
	}
	return memory.NewBufferBytes(to)
}

// pickFixed picks values of width bytes, those of buffer 1.
func pickFixed(d arrow.ArrayData, rows []int, width int) *memory.Buffer {
	from, to := bytesOf(d, 1), make([]byte, len(rows)*width)
	switch width {
	case 4:
		pickValues(valuesOf[uint32](to), valuesOf[uint32](from), rows, d.Offset())
	case 8:
		pickValues(valuesOf[uint64](to), valuesOf[uint64](from), rows, d.Offset())
	default:
		for i, r := range rows {
			if r != nowhere {
				copy(to[i*width:(i+1)*width], from[(d.Offset()+r)*width:])
			}
		}
	}
	return memory.NewBufferBytes(to)
}

func pickValues[T any](to, from []T, rows []int, offset int) {
	for i, r := range rows {
		if r != nowhere {
			to[i] = from[offset+r]
		}
	}
}

// pickTexts picks texts or blobs: their offsets, and what they point to.
func pickTexts[T int32 | int64](d arrow.ArrayData, rows []int) []*memory.Buffer {
	offsets, data := valuesOf[T](bytesOf(d, 1)), bytesOf(d, 2)
	raw := make([]byte, (len(rows)+1)*int(unsafe.Sizeof(T(0))))
	ends, at := valuesOf[T](raw), T(0)
	for i, r := range rows {
		if r != nowhere {
			at += offsets[d.Offset()+r+1] - offsets[d.Offset()+r]
		}
		ends[i+1] = at
	}
	text := make([]byte, 0, int(at))
	for _, r := range rows {
		if r != nowhere {
			text = append(text, data[offsets[d.Offset()+r]:offsets[d.Offset()+r+1]]...)
		}
	}
	return []*memory.Buffer{memory.NewBufferBytes(raw), memory.NewBufferBytes(text)}
}

// pickViews picks views of texts or blobs, and puts all values that are not
// inline into one buffer. Views can share data, so the result can be larger than
// d.
func pickViews(d arrow.ArrayData, rows []int) ([]*memory.Buffer, error) {
	headers := arrow.ViewHeaderTraits.CastFromBytes(bytesOf(d, 1))
	raw := make([]byte, len(rows)*arrow.ViewHeaderSizeBytes)
	views := arrow.ViewHeaderTraits.CastFromBytes(raw)
	var text []byte
	for i, r := range rows {
		if r == nowhere {
			continue
		}
		h := &headers[d.Offset()+r]
		if h.IsInline() {
			views[i].SetBytes(h.InlineBytes())
			continue
		}
		value := bytesOf(d, 2+int(h.BufferIndex()))[h.BufferOffset():][:h.Len()]
		if len(text)+len(value) > maxViewed {
			return nil, fmt.Errorf("views show more than %d bytes", maxViewed)
		}
		views[i].SetBytes(value)
		views[i].SetIndexOffset(0, int32(len(text)))
		text = append(text, value...)
	}
	buffers := []*memory.Buffer{memory.NewBufferBytes(raw)}
	if len(text) > 0 {
		buffers = append(buffers, memory.NewBufferBytes(text))
	}
	return buffers, nil
}

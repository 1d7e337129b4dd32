package wire

import (
	"errors"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// checkViews checks texts or blobs that are views on the buffers behind them.
func checkViews(d arrow.ArrayData, text bool) error {
	if err := atLeast(d, 1, int64(d.Len()*arrow.ViewHeaderSizeBytes)); err != nil {
		return err
	}
	headers := arrow.ViewHeaderTraits.CastFromBytes(bytesOf(d, 1))
	for i := range d.Len() {
		h := &headers[i]
		if h.Len() < 0 {
			return errOffset
		}
		if isNull(d, i) {
			continue
		}
		var value []byte
		if h.IsInline() {
			value = h.InlineBytes()
		} else {
			at, from, n := int64(h.BufferIndex())+2, int64(h.BufferOffset()), int64(h.Len())
			if at < 2 || at >= int64(len(d.Buffers())) {
				return errOffset
			}
			data := bytesOf(d, int(at))
			if from < 0 || from > int64(len(data)) || n > int64(len(data))-from {
				return errOffset
			}
			value = data[from : from+n]
		}
		if text && !utf8.Valid(value) {
			return errText
		}
	}
	return nil
}

func isNull(d arrow.ArrayData, i int) bool {
	bitmap := bytesOf(d, 0)
	return d.NullN() > 0 && len(bitmap) > 0 && bitutil.BitIsNotSet(bitmap, i)
}

func checkFields(d arrow.ArrayData) error {
	for _, child := range d.Children() {
		if child.Len() < d.Len() {
			return errShort
		}
	}
	return nil
}

// checkUnion checks that each row points to a value of a type that exists.
func checkUnion(d arrow.ArrayData, dt arrow.UnionType) error {
	codes, ok := valuesOf[int8](d, 1, d.Len())
	if !ok {
		return errShort
	}
	ids := dt.ChildIDs()
	children := d.Children()
	if dt.Mode() == arrow.SparseMode {
		if err := checkFields(d); err != nil {
			return err
		}
	}
	offsets, ok := valuesOf[int32](d, 2, d.Len())
	if dt.Mode() == arrow.DenseMode && !ok {
		return errShort
	}
	for i, code := range codes {
		if code < 0 || int(code) >= len(ids) || ids[code] < 0 || ids[code] >= len(children) {
			return errOffset
		}
		if dt.Mode() == arrow.DenseMode {
			if o := int(offsets[i]); o < 0 || o >= children[ids[code]].Len() {
				return errOffset
			}
		}
	}
	return nil
}

// dictionary checks the indices of each batch, and a dictionary once.
func (c *checker) dictionary(d arrow.ArrayData, dt *arrow.DictionaryType, known map[arrow.ArrayData]bool) error {
	dict := d.Dictionary()
	if dict == nil {
		return errors.New("a dictionary is missing")
	}
	if !known[dict] && !c.dictionaries[dict] {
		if err := c.array(dict, known); err != nil {
			return err
		}
	}
	c.dictionaries[dict] = true
	switch dt.IndexType.ID() {
	case arrow.INT8:
		return checkIndices[int8](d, dict.Len())
	case arrow.UINT8:
		return checkIndices[uint8](d, dict.Len())
	case arrow.INT16:
		return checkIndices[int16](d, dict.Len())
	case arrow.UINT16:
		return checkIndices[uint16](d, dict.Len())
	case arrow.INT32:
		return checkIndices[int32](d, dict.Len())
	case arrow.UINT32:
		return checkIndices[uint32](d, dict.Len())
	case arrow.INT64:
		return checkIndices[int64](d, dict.Len())
	case arrow.UINT64:
		return checkIndices[uint64](d, dict.Len())
	}
	return errOffset
}

func checkIndices[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](d arrow.ArrayData, limit int) error {
	values, ok := valuesOf[T](d, 1, d.Len())
	if !ok {
		return errShort
	}
	for i, v := range values {
		if (v < 0 || uint64(v) >= uint64(limit)) && !isNull(d, i) {
			return errOffset
		}
	}
	return nil
}

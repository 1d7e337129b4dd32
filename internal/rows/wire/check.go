package wire

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// checker makes sure that reading a batch stays inside its memory, in C as in
// Go: buffers are long enough, offsets and indices lead into what they index,
// text is UTF-8. The arrays must come from the IPC reader: their offset is 0.
//
// The Arrow library has checks of its own, but they refuse every column of
// nulls, and are several times slower on text.
type checker struct {
	// dictionaries have been checked before; they outlive batches.
	dictionaries map[arrow.ArrayData]bool
}

func (c *checker) batch(batch arrow.RecordBatch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("malformed batch: %v", p)
		}
	}()
	known := c.dictionaries
	c.dictionaries = map[arrow.ArrayData]bool{} // keeps those that are still in use
	for i, col := range batch.Columns() {
		if int64(col.Len()) != batch.NumRows() {
			return fmt.Errorf("malformed batch: column %d has %d rows of %d", i, col.Len(), batch.NumRows())
		}
		if err := c.array(col.Data(), known); err != nil {
			return fmt.Errorf("malformed batch: column %d: %w", i, err)
		}
	}
	return nil
}

var (
	errShort  = errors.New("a buffer is too short")
	errOffset = errors.New("an offset is out of bounds")
	errText   = errors.New("text is not UTF-8")
)

func (c *checker) array(d arrow.ArrayData, known map[arrow.ArrayData]bool) error {
	dt := d.DataType()
	for dt.ID() == arrow.EXTENSION {
		dt = dt.(arrow.ExtensionType).StorageType()
	}
	if d.Offset() != 0 || d.Len() < 0 || d.NullN() < 0 || d.NullN() > d.Len() {
		return errShort
	}
	if err := checkNulls(d, dt); err != nil {
		return err
	}
	for _, child := range d.Children() {
		if err := c.array(child, known); err != nil {
			return err
		}
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.StringType:
		return checkVarying[int32](d, true)
	case *arrow.BinaryType:
		return checkVarying[int32](d, false)
	case *arrow.LargeStringType:
		return checkVarying[int64](d, true)
	case *arrow.LargeBinaryType:
		return checkVarying[int64](d, false)
	case *arrow.StringViewType:
		return checkViews(d, true)
	case *arrow.BinaryViewType:
		return checkViews(d, false)
	case *arrow.ListType, *arrow.MapType:
		return checkOffsets[int32](d, d.Children()[0].Len())
	case *arrow.LargeListType:
		return checkOffsets[int64](d, d.Children()[0].Len())
	case *arrow.FixedSizeListType:
		if n := int64(dt.Len()); n < 0 || int64(d.Len())*n > int64(d.Children()[0].Len()) {
			return errShort
		}
		return nil
	case *arrow.StructType:
		return checkFields(d)
	case arrow.UnionType:
		return checkUnion(d, dt)
	case *arrow.DictionaryType:
		return c.dictionary(d, dt, known)
	case *arrow.BooleanType:
		return atLeast(d, 1, bitutil.BytesForBits(int64(d.Len())))
	case arrow.FixedWidthDataType:
		width := int64(dt.Bytes())
		if width <= 0 {
			return errShort
		}
		return atLeast(d, 1, width*int64(d.Len()))
	}
	return fmt.Errorf("type %s does not travel", dt)
}

// bytesOf returns the buffer i, which may be absent.
func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return b[i].Bytes()
	}
	return nil
}

// valuesOf returns buffer i as n numbers; ok is false if it is too short.
func valuesOf[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](d arrow.ArrayData, i, n int) (values []T, ok bool) {
	b := bytesOf(d, i)
	var zero T
	if n == 0 {
		return nil, true
	}
	if int64(n)*int64(unsafe.Sizeof(zero)) > int64(len(b)) {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), true
}

func atLeast(d arrow.ArrayData, i int, n int64) error {
	if int64(len(bytesOf(d, i))) < n {
		return errShort
	}
	return nil
}

// checkNulls holds the bitmap of nulls against their number.
func checkNulls(d arrow.ArrayData, dt arrow.DataType) error {
	switch dt.ID() {
	case arrow.NULL, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return nil
	}
	if d.NullN() == 0 {
		return nil
	}
	if err := atLeast(d, 0, bitutil.BytesForBits(int64(d.Len()))); err != nil {
		return err
	}
	if d.Len()-bitutil.CountSetBits(bytesOf(d, 0), 0, d.Len()) != d.NullN() {
		return errors.New("the number of nulls is wrong")
	}
	return nil
}

// checkOffsets checks the offsets of a list or of texts into limit elements.
func checkOffsets[T int32 | int64](d arrow.ArrayData, limit int) error {
	if d.Len() == 0 {
		return nil
	}
	offsets, ok := valuesOf[T](d, 1, d.Len()+1)
	if !ok {
		return errShort
	}
	last := offsets[0]
	if last < 0 {
		return errOffset
	}
	for _, o := range offsets {
		if o < last {
			return errOffset
		}
		last = o
	}
	if int64(last) > int64(limit) {
		return errOffset
	}
	return nil
}

func checkVarying[T int32 | int64](d arrow.ArrayData, text bool) error {
	data := bytesOf(d, 2)
	if err := checkOffsets[T](d, len(data)); err != nil || !text || d.Len() == 0 {
		return err
	}
	offsets, _ := valuesOf[T](d, 1, d.Len()+1)
	used := data[offsets[0]:offsets[d.Len()]]
	if isASCII(used) {
		return nil
	}
	if !utf8.Valid(used) {
		return errText
	}
	// The whole is sound; so is each part if it begins where a character does.
	for _, o := range offsets {
		if int64(o) < int64(len(data)) && o < offsets[d.Len()] && !utf8.RuneStart(data[o]) {
			return errText
		}
	}
	return nil
}

func isASCII(b []byte) bool {
	for len(b) >= 32 {
		w := (*[4]uint64)(unsafe.Pointer(unsafe.SliceData(b)))
		if (w[0]|w[1]|w[2]|w[3])&0x8080808080808080 != 0 {
			return false
		}
		b = b[32:]
	}
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

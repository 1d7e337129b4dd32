package parquetwriter

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/zstd"
)

// column collects the values of one row group, and encodes them.
type column interface {
	// add takes over rows from to end of an array of the column's type.
	add(arr arrow.Array, from, end int) error
	// encode puts the group's values into c. It does not touch the column.
	encode(s *scratch, c *chunk)
	// reset prepares for the next group. Of left, it takes the bytes that it keeps.
	reset(left *int)
}

// newColumn returns a column for groups of about *most rows, which may change.
func newColumn(l leaf, most *int) column {
	v := validity{most: most}
	switch l.kind {
	case boolean:
		return &flags{leaf: l, validity: v}
	case byteArray, fixedBytes:
		return &texts{leaf: l, validity: v}
	case int32s, float:
		return &numbers[int32]{leaf: l, validity: v}
	}
	return &numbers[int64]{leaf: l, validity: v}
}

// fewValues is how many elements may grow by steps.
const fewValues = 4096

// room makes room for n more elements. Once there are more than a few, it makes room
// for all that are expected: growing by steps would touch five times the memory, and
// memory that is not touched costs nothing.
func room[T any](s []T, n, expected int) []T {
	if size := len(s) + n; size > cap(s) && size > fewValues && size <= expected {
		return append(make([]T, 0, expected), s...)
	}
	return slices.Grow(s, n)
}

// Encodings of Parquet.
const (
	plain           = 0
	rle             = 3
	deltaPacked     = 5
	deltaLengths    = 6
	rleDictionary   = 8
	byteStreamSplit = 9
)

// encoded is the content of a chunk's pages.
type encoded struct {
	encoding int64
	values   []byte
	dict     []byte // empty: none
	entries  int    // of the dictionary
}

const (
	// maxIndexBits bounds a dictionary: a larger one saves little.
	maxIndexBits = 15
	// maxDictionary bounds the bytes of one.
	maxDictionary = 1 << 20
	// keptBuffers is how much memory of all texts or pages is kept for the next group.
	keptBuffers = 16 << 20
)

// scratch is memory that columns share while they are encoded, one after another.
type scratch struct {
	values, dict, other, page, packed []byte
	index, direct                     []uint32
	entries                           []span
	table                             table
	delta                             delta
	zstd                              *zstd.Encoder
}

// emptied returns a buffer for the next use, if it fits into what is left for all.
func emptied(b []byte, left *int) []byte {
	if cap(b) > *left {
		return nil
	}
	*left -= cap(b)
	return b[:0]
}

// errRange is returned for a decimal that has more digits than its type.
func errRange(l leaf) error {
	return fmt.Errorf("a value of column '%s' does not fit its type", l.name)
}

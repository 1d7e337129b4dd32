package listed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// magic begins a bitmap.
const magic = 1681511377

// Bitmap reads the numbers of deleted rows out of the form that Delta and Iceberg
// share; count is how many there must be.
func Bitmap(raw []byte, count int64) (iter.Seq[uint64], error) {
	if len(raw) < 4 || binary.LittleEndian.Uint32(raw) != magic {
		return nil, errors.New("a deletion vector is not of the form that is known")
	}
	b := roaring64.New()
	var err error
	if len(raw) < 12 || binary.LittleEndian.Uint64(raw[4:]) > uint64(len(raw)/8) { // the library makes room for as many parts as are announced
		err = errors.New("it is cut")
	} else if _, err = b.ReadFrom(bytes.NewReader(raw[4:])); err == nil && !b.IsEmpty() {
		err = b.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("a deletion vector is broken: %w", err)
	}
	if b.GetCardinality() != uint64(count) { //nolint:gosec // a negative one differs
		return nil, fmt.Errorf("a deletion vector has %d rows, not %d", b.GetCardinality(), count)
	}
	return roaring64.Values(b), nil
}

// ReadVector reads a vector of so many bytes out of a file: before it stands its
// length, behind it a checksum.
func ReadVector(root *Root, file string, at, size int64) ([]byte, error) {
	f, info, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size < 0 || at < 0 || size > info.Size() || at > info.Size()-size-8 {
		return nil, Broken(file, errors.New("a deletion vector lies outside of it"))
	}
	raw := make([]byte, size+8)
	if _, err := f.ReadAt(raw, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, Unopened(file, err)
	}
	body := raw[4 : len(raw)-4]
	if int64(binary.BigEndian.Uint32(raw)) != size || crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[len(raw)-4:]) {
		return nil, Broken(file, errors.New("the length or the checksum of a deletion vector is wrong"))
	}
	return body, nil
}

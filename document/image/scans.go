package image

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// maxScans is how many scans a progressive JPEG may have. Programs write some ten.
// Each takes time for every block of the picture, also if it has only a few bytes, so
// a small file could take hours.
const maxScans = 200

// Markers of JPEG, ITU-T T.81, table B.1.
const (
	markBaseline   = 0xc0
	markSequential = 0xc1
	markEnd        = 0xd9
	markScan       = 0xda
)

// scans returns how many scans a progressive JPEG has, but counts only to the first
// one over maxScans. Other pictures take time only for what they have, and are 0.
func scans(r io.ReaderAt, size int64) (n int) {
	in := bufio.NewReaderSize(io.NewSectionReader(r, 2, max(size-2, 0)), 64<<10)
	for n <= maxScans {
		marker, err := nextMarker(in)
		if err != nil || marker == markEnd {
			break
		}
		if marker == markBaseline || marker == markSequential {
			return 0
		}
		var length [2]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			break
		}
		if _, err := in.Discard(max(int(binary.BigEndian.Uint16(length[:]))-2, 0)); err != nil {
			break
		}
		if marker == markScan {
			n++
		}
	}
	return n
}

// nextMarker finds the next marker with a segment. It passes over what a scan holds:
// a byte 0xff is followed by 0 there, or by the number of a restart.
func nextMarker(in *bufio.Reader) (byte, error) {
	for {
		_, err := in.ReadSlice(0xff)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice(0xff)
		}
		if err != nil {
			return 0, err
		}
		b, err := in.ReadByte()
		for err == nil && b == 0xff { // fill bytes
			b, err = in.ReadByte()
		}
		if err != nil {
			return 0, err
		}
		if b >= 0xc0 && (b < 0xd0 || b > 0xd7) {
			return b, nil
		}
	}
}

package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// unpackLimit bounds what the buffers of one message unfold to. A server that
// has more to send in one message does not compress it.
const unpackLimit = 256 << 20

// mostInOne is how many bytes zstd can make of one at most: a block of 4 bytes
// stands for up to 128 KiB. What claims more is refused before it gets memory.
const mostInOne = 32 << 10

var errPacked = errors.New("a compressed buffer is malformed")

// decoder decompresses for all streams of the process.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	dec, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(unpackLimit))
	if err != nil {
		panic(err) // of these options none is out of range
	}
	return dec
})

// unpack returns the message that a compressed one stands for. The body comes
// from bufs; the caller frees it.
func (b batchMeta) unpack(body []byte, bufs *buffers) (meta, unpacked []byte, err error) {
	if b.codec != codecZstd {
		return nil, nil, errors.New("batches are compressed in a way that was not asked for")
	}
	total, err := b.unpackedSize(body)
	if err != nil {
		return nil, nil, err
	}
	unpacked = bufs.take(int(total))
	defer func() {
		if err != nil {
			bufs.Free(unpacked)
		}
	}()
	at := int64(0)
	for i, s := range b.buffers {
		if s.length == 0 {
			b.buffers[i] = span{offset: at}
			continue
		}
		n, from := lengthBefore(body, s)
		to := unpacked[at : at : at+n]
		if raw := body[s.offset+8 : s.offset+s.length]; from == -1 {
			copy(to[:n], raw)
		} else if to, err = decoder().DecodeAll(raw, to); err != nil || int64(len(to)) != n {
			return nil, nil, errPacked
		}
		b.buffers[i] = span{at, n}
		end := (at + n + 7) &^ 7
		clear(unpacked[at+n : end])
		at = end
	}
	b.packed = false
	return b.build(total), unpacked, nil
}

// unpackedSize adds up what the buffers say of themselves.
func (b batchMeta) unpackedSize(body []byte) (total int64, err error) {
	for _, s := range b.buffers {
		if s.length == 0 {
			continue
		}
		if s.length < 8 {
			return 0, errPacked
		}
		n, _ := lengthBefore(body, s)
		if n < 0 || n > unpackLimit || n > s.length*mostInOne {
			return 0, errPacked
		}
		if total += (n + 7) &^ 7; total > unpackLimit {
			return 0, fmt.Errorf("a compressed batch is larger than %d bytes", unpackLimit)
		}
	}
	return total, nil
}

// lengthBefore returns the length that a buffer had before it was compressed,
// and what it says of it: -1 if it was not.
func lengthBefore(body []byte, s span) (n, said int64) {
	said = int64(binary.LittleEndian.Uint64(body[s.offset:]))
	if said == -1 {
		return s.length - 8, said
	}
	return said, said
}

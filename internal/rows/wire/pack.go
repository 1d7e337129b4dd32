package wire

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/zstd"
)

// Codec says how the buffers of a body are compressed. It is Arrow's own
// compression, so any Arrow library reads it.
type Codec string

// The codecs. Clients ask for one with a parameter of the media type that they
// accept.
const (
	Plain Codec = ""
	Zstd  Codec = "zstd"
)

// packLimit is the size of a message from which it travels as it is: a reader
// gives no more memory than unpackLimit for what is compressed.
const packLimit = 128 << 20

// encoder compresses for all streams of the process: at most as many buffers at
// a time as there are cores, so that its memory does not grow with the clients.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic(err) // of these options none is out of range
	}
	return enc
})

// packer writes messages with compressed buffers.
type packer struct {
	out  *hashWriter
	body bytes.Buffer // of the message before, for its memory
	pack []byte       // likewise
}

var _ ipc.PayloadWriter = (*packer)(nil)

// Start implements ipc.PayloadWriter.
func (p *packer) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (p *packer) Close() error {
	_, err := p.out.Write(eosMark[:])
	return err
}

// WritePayload implements ipc.PayloadWriter.
func (p *packer) WritePayload(message ipc.Payload) error {
	meta := message.Meta()
	defer meta.Release()
	b, ok := batchOf(meta.Bytes())
	if !ok {
		_, err := message.WritePayload(p.out)
		return err
	}
	p.body.Reset()
	if err := message.SerializeBody(&p.body); err != nil {
		return err
	}
	if p.body.Len() == 0 || p.body.Len() > packLimit {
		_, err := message.WritePayload(p.out)
		return err
	}
	p.packed(&b)
	return p.write(b.build(int64(len(p.pack))))
}

// packed compresses each buffer of the body. A buffer begins with its length
// before, or with -1 if compression would not make it smaller.
func (p *packer) packed(b *batchMeta) {
	b.packed, b.codec = true, codecZstd
	p.pack = p.pack[:0]
	for i, s := range b.buffers {
		at := len(p.pack)
		if s.length == 0 {
			b.buffers[i] = span{offset: int64(at)}
			continue
		}
		raw := p.body.Bytes()[s.offset : s.offset+s.length]
		p.pack = binary.LittleEndian.AppendUint64(p.pack, uint64(s.length))
		p.pack = encoder().EncodeAll(raw, p.pack)
		if len(p.pack)-at-8 >= len(raw) {
			p.pack = binary.LittleEndian.AppendUint64(p.pack[:at], 1<<64-1)
			p.pack = append(p.pack, raw...)
		}
		b.buffers[i] = span{int64(at), int64(len(p.pack) - at)}
		p.pack = append(p.pack, make([]byte, -len(p.pack)&7)...)
	}
}

func (p *packer) write(meta []byte) error {
	head := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 8), eosMark[:4]...), uint32(len(meta)))
	for _, part := range [][]byte{head, meta, p.pack} {
		if _, err := p.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

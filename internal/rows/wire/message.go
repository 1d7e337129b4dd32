package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
)

// Limits of what a reader accepts. Memory is taken as bytes arrive, never on
// the word of a header.
const (
	// MaxMetadata bounds a message's metadata: a schema of 20,000 columns fits.
	MaxMetadata = 8 << 20
	// MaxBody bounds a message's body. A server's batches are far smaller; only
	// a single row may come near it.
	MaxBody = 1 << 30
	// MaxBatchRows bounds the rows of a message, since columns of nulls take no
	// bytes.
	MaxBatchRows = 1 << 24
)

// messages reads the frames of a body: exactly the bytes of each message,
// never one ahead, so that what follows Arrow's mark is still there to read.
type messages struct {
	r    io.Reader
	hash *xxh3.Hasher
	bufs *buffers
	meta inspector
	cur  *ipc.Message
	// end is set once the mark and a valid end record have been read.
	end *api.End
	// err is what ended the reading before that.
	err error
}

var _ ipc.MessageReader = (*messages)(nil)

func newMessages(r io.Reader) *messages {
	return &messages{r: r, hash: xxh3.New(), bufs: &buffers{}, meta: inspector{packed: true}}
}

// Message implements ipc.MessageReader: io.EOF means that the body was whole.
func (m *messages) Message() (*ipc.Message, error) {
	if m.end != nil {
		return nil, io.EOF
	}
	if m.err == nil {
		m.drop()
		m.cur, m.err = m.next()
	}
	if m.end != nil {
		return nil, io.EOF
	}
	return m.cur, m.err
}

func (m *messages) next() (msg *ipc.Message, err error) {
	defer func() {
		// The Arrow library panics on some malformed metadata.
		if p := recover(); p != nil {
			msg, err = nil, fmt.Errorf("malformed message: %v", p)
		}
	}()
	var head [8]byte
	if err := m.read(head[:]); err != nil {
		return nil, err
	}
	if head == eosMark {
		end, err := readEnd(m.r, bodyHash(m.hash))
		if err == nil {
			m.end = &end
		}
		return nil, err
	}
	size := int64(int32(binary.LittleEndian.Uint32(head[4:])))
	if [4]byte(head[:4]) != [4]byte(eosMark[:4]) || size < 8 || size > MaxMetadata {
		return nil, errors.New("malformed message header")
	}
	meta := make([]byte, size)
	if err := m.read(meta); err != nil {
		return nil, err
	}
	bodySize, err := m.meta.inspect(meta)
	if err != nil {
		return nil, err
	}
	body, err := m.body(int(bodySize))
	if err != nil {
		return nil, err
	}
	defer func() { body.Release() }() // the message holds its own reference
	if b, isBatch := batchOf(meta); isBatch && b.packed {
		if meta, err = m.unpack(b, &body); err != nil {
			return nil, err
		}
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), body), nil
}

// unpack puts what a compressed body stands for in its place, and returns the
// metadata of that.
func (m *messages) unpack(b batchMeta, body **memory.Buffer) (meta []byte, err error) {
	meta, raw, err := b.unpack((*body).Bytes(), m.bufs)
	if err != nil {
		return nil, err
	}
	(*body).Release()
	*body = memory.NewBufferWithAllocator(raw, m.bufs)
	_, err = m.meta.inspect(meta)
	return meta, err
}

// body reads the n bytes of a message's body, growing the memory as they come.
func (m *messages) body(n int) (*memory.Buffer, error) {
	buf, got := m.bufs.atMost(n), 0
	for {
		if err := m.read(buf[got:]); err != nil {
			m.bufs.Free(buf)
			return nil, err
		}
		got = len(buf)
		if got == n {
			m.bufs.arrived(n)
			return memory.NewBufferWithAllocator(buf, m.bufs), nil
		}
		buf = m.bufs.Reallocate(min(n, 2*got), buf)
	}
}

// read fills p. An end before p is full is io.ErrUnexpectedEOF: a body ends
// only behind its end record.
func (m *messages) read(p []byte) error {
	n, err := io.ReadFull(m.r, p)
	_, _ = m.hash.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (m *messages) drop() {
	if m.cur != nil {
		m.cur.Release()
		m.cur = nil
	}
}

// Retain implements ipc.MessageReader. There is one owner, the Arrow reader.
func (m *messages) Retain() {}

// Release implements ipc.MessageReader.
func (m *messages) Release() { m.drop() }

package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// ReadParts reads Arrow messages that a warehouse hands over one by one: first
// the schema's, then from next those of the batches, each part whole messages,
// until io.EOF. What is checked is what Decode checks, but for the end record:
// that nothing is missing is for the caller to know.
//
// The parts are not copied: the batches point into them. An error of next, and
// one that says what is wrong with a part, is the reader's Err as it is. The
// caller releases the reader.
func ReadParts(schema []byte, next func() ([]byte, error)) (array.RecordReader, error) {
	p := &parts{rest: schema, next: next}
	rdr, err := ipc.NewReaderFromMessageReader(p)
	if err != nil {
		if p.err != nil {
			err = p.err
		}
		return nil, err
	}
	if err := checkSchema(rdr.Schema()); err != nil {
		rdr.Release()
		return nil, err
	}
	return &partsReader{Reader: rdr, parts: p}, nil
}

// parts are messages in memory.
type parts struct {
	next func() ([]byte, error)
	rest []byte
	meta inspector
	cur  *ipc.Message
	err  error // what ended the reading, unless it is the end
}

var _ ipc.MessageReader = (*parts)(nil)

// Message implements ipc.MessageReader.
func (p *parts) Message() (msg *ipc.Message, err error) {
	defer func() {
		// The Arrow library panics on some malformed metadata.
		if x := recover(); x != nil {
			msg, err = nil, fmt.Errorf("malformed message: %v", x)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			p.err = err
		}
	}()
	p.drop()
	for len(p.rest) == 0 {
		if p.rest, err = p.next(); err != nil {
			return nil, err
		}
	}
	p.cur, err = p.cut()
	return p.cur, err
}

// cut takes one message off what is there.
func (p *parts) cut() (*ipc.Message, error) {
	if len(p.rest) < 16 || [4]byte(p.rest) != [4]byte(eosMark[:4]) {
		return nil, errors.New("malformed message header")
	}
	size := int64(int32(binary.LittleEndian.Uint32(p.rest[4:])))
	if size < 8 || size > MaxMetadata || size > int64(len(p.rest)-8) {
		return nil, errors.New("malformed message header")
	}
	meta := p.rest[8 : 8+size]
	body := p.rest[8+size:]
	bodySize, err := p.meta.inspect(meta)
	if err != nil {
		return nil, err
	}
	if bodySize > int64(len(body)) {
		return nil, io.ErrUnexpectedEOF
	}
	p.rest = body[bodySize:]
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body[:bodySize])), nil
}

func (p *parts) drop() {
	if p.cur != nil {
		p.cur.Release()
		p.cur = nil
	}
}

// Retain implements ipc.MessageReader. There is one owner, the Arrow reader.
func (p *parts) Retain() {}

// Release implements ipc.MessageReader.
func (p *parts) Release() { p.drop() }

// partsReader checks each batch before it is used.
type partsReader struct {
	*ipc.Reader
	parts *parts
	check checker
	err   error
}

// Next implements array.RecordReader.
func (r *partsReader) Next() bool {
	if r.err != nil || !r.Reader.Next() {
		return false
	}
	r.err = r.check.batch(r.Reader.RecordBatch())
	return r.err == nil
}

// RecordBatch implements array.RecordReader.
func (r *partsReader) RecordBatch() arrow.RecordBatch {
	if r.err != nil {
		return nil
	}
	return r.Reader.RecordBatch()
}

// Record implements array.RecordReader under its older name.
func (r *partsReader) Record() arrow.RecordBatch { return r.RecordBatch() }

// Err implements array.RecordReader.
func (r *partsReader) Err() error {
	switch {
	case r.err != nil:
		return r.err
	case r.parts.err != nil:
		return r.parts.err
	}
	return r.Reader.Err()
}

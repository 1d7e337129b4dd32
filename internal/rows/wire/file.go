package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
)

// A parquet file travels in frames: a kind, a length of 32 bits, little-endian,
// and so many bytes. Some frames are signs of life while a source is slow, and the last
// one proves that the file is whole. Parquet has no room for either.
const (
	frameSchema   = 'S' // first: the Arrow schema of the rows, as an IPC stream without batches
	frameProgress = 'P' // at any time: rows and bytes so far, 64 bits each; it shows life
	frameData     = 'D' // the next bytes of the file
	frameEnd      = 'E' // last: the end record

	frameHead = 5
	// maxData bounds a frame of data.
	maxData = 1 << 20
	// dataPiece is how much a server puts into one.
	dataPiece = 128 << 10
)

// progressEvery is how often a server tells of progress at most.
const progressEvery = 200 * time.Millisecond

// EncodeFile writes f to w in frames and returns its end record. flush is called
// when a reader should see what was written. While f.Data is silent, the client
// hears something every so often; once ctx is done, nobody listens. f stays the
// caller's to close, which also ends a Read of f.Data that is under way.
//
// On an error nothing more is written, and the caller must make sure that the
// reader sees a cut.
func EncodeFile(ctx context.Context, w io.Writer, flush func(), f *api.File, every time.Duration) (api.End, error) {
	if err := checkSchema(f.Batches.Schema()); err != nil {
		return api.End{}, err
	}
	schema, err := schemaBytes(f.Batches.Schema())
	if err != nil {
		return api.End{}, err
	}
	out := &frames{w: w, flush: flush, file: f}
	if err := out.write(frameSchema, schema); err != nil {
		return api.End{}, err
	}
	if err := out.data(ctx, every); err != nil {
		return api.End{}, err
	}
	end := f.End()
	end.SchemaXXH3 = hashOf(schema)
	line, err := formatEnd(end)
	if err != nil {
		return api.End{}, err
	}
	if err := out.write(frameEnd, line); err != nil {
		return api.End{}, fmt.Errorf("write end record: %w", err)
	}
	flush()
	return end, nil
}

func schemaBytes(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	enc := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return b.Bytes(), nil
}

func hashOf(b []byte) string {
	h := xxh3.New()
	_, _ = h.Write(b) // never fails
	return bodyHash(h)
}

// frames writes frames.
type frames struct {
	w     io.Writer
	flush func()
	file  *api.File
	told  time.Time // when progress was last told of
}

func (o *frames) write(kind byte, payload []byte) error {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	if _, err := o.w.Write(append(head, payload...)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// progress tells of the rows so far.
func (o *frames) progress() error {
	rows, size := o.file.Progress()
	o.told = time.Now()
	return o.write(frameProgress, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(rows)), uint64(size)))
}

// data passes the file on until it is whole.
func (o *frames) data(ctx context.Context, every time.Duration) error {
	left := make(chan struct{})
	defer close(left)
	pieces := readAhead(o.file.Data, left)
	life := time.NewTimer(every)
	defer life.Stop()
	for {
		select {
		case p := <-pieces:
			if err := o.piece(p.bytes); err != nil {
				return err
			}
			if errors.Is(p.err, io.EOF) {
				return o.progress()
			}
			if p.err != nil {
				return p.err
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-life.C:
			if err := o.progress(); err != nil {
				return err
			}
			o.flush()
		}
		life.Reset(every)
	}
}

func (o *frames) piece(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if time.Since(o.told) > progressEvery {
		if err := o.progress(); err != nil {
			return err
		}
	}
	if err := o.write(frameData, data); err != nil {
		return err
	}
	o.flush()
	return nil
}

type piece struct {
	bytes []byte
	err   error
}

// readAhead reads r to its end, one piece ahead of who takes them, until left is
// closed. A piece is valid until the one after the next is taken.
func readAhead(r io.Reader, left <-chan struct{}) <-chan piece {
	pieces := make(chan piece)
	go func() {
		var bufs [3][dataPiece]byte
		for i := 0; ; i++ {
			buf := bufs[i%len(bufs)][:]
			n, err := r.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-left:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return pieces
}

package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/canonical"
)

// splitBytes is the size from which a batch travels in several messages. It
// keeps messages far below MaxBody where rows are wide.
const splitBytes = 64 << 20

// Encode writes s to w as one body, its buffers compressed by codec, and returns
// its end record. flush is called after each batch, and at the end. s stays the
// caller's to close.
//
// On an error nothing more is written, and the caller must make sure that the
// reader sees a cut: there is no way to tell it anything once rows have gone.
func Encode(w io.Writer, flush func(), s *api.Stream, codec Codec) (api.End, error) {
	if err := checkSchema(s.Batches.Schema()); err != nil {
		return api.End{}, err
	}
	out := &hashWriter{w: w, hash: xxh3.New()}
	enc := ipc.NewWriter(out, ipc.WithSchema(s.Batches.Schema()))
	if codec == Zstd {
		enc = ipc.NewWriterWithPayloadWriter(&packer{out: out}, ipc.WithSchema(s.Batches.Schema()))
	}
	rows, err := encodeBatches(out, enc, flush, s)
	if err != nil {
		// Close releases what the encoder holds, and would also write Arrow's
		// mark: a cut result must not look whole to an Arrow reader.
		out.closed = true
		_ = enc.Close()
		return api.End{}, err
	}
	if err := enc.Close(); err != nil {
		return api.End{}, fmt.Errorf("write end of stream: %w", err)
	}
	end := s.End()
	if end.Rows != rows {
		return api.End{}, fmt.Errorf("the end record counts %d rows, the stream had %d", end.Rows, rows)
	}
	end.BodyXXH3 = bodyHash(out.hash)
	line, err := formatEnd(end)
	if err != nil {
		return api.End{}, err
	}
	if _, err := w.Write(line); err != nil {
		return api.End{}, fmt.Errorf("write end record: %w", err)
	}
	flush()
	return end, nil
}

func encodeBatches(out *hashWriter, enc *ipc.Writer, flush func(), s *api.Stream) (rows int64, err error) {
	for s.Batches.Next() {
		batch, err := canonical.Batch(s.Batches.RecordBatch())
		if err != nil {
			return 0, fmt.Errorf("write batch: %w", err)
		}
		err = writeBatch(out, enc, batch)
		batch.Release()
		if err != nil {
			return 0, fmt.Errorf("write batch: %w", err)
		}
		rows += batch.NumRows()
		flush()
	}
	return rows, s.Batches.Err()
}

// writeBatch writes one batch, in slices if it is large.
func writeBatch(out *hashWriter, enc *ipc.Writer, batch arrow.RecordBatch) error {
	rows, size := batch.NumRows(), api.BatchBytes(batch)
	if size <= splitBytes || rows < 2 || hasUnion(batch.Schema()) {
		return writeMessage(out, enc, batch)
	}
	step := max(1, rows*splitBytes/size)
	for from := int64(0); from < rows; from += step {
		part := batch.NewSlice(from, min(from+step, rows))
		err := writeMessage(out, enc, part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func writeMessage(out *hashWriter, enc *ipc.Writer, batch arrow.RecordBatch) error {
	before := out.written
	if err := enc.Write(batch); err != nil {
		return err
	}
	if out.written-before > MaxBody {
		return fmt.Errorf("a message of %d bytes is larger than readers accept", out.written-before)
	}
	return nil
}

var errClosed = errors.New("stream is closed")

// hashWriter passes bytes on as they are, hashing them.
type hashWriter struct {
	w       io.Writer
	hash    *xxh3.Hasher
	written int64
	closed  bool
}

func (h *hashWriter) Write(p []byte) (int, error) {
	if h.closed {
		return 0, errClosed
	}
	n, err := h.w.Write(p)
	_, _ = h.hash.Write(p[:n]) // never fails
	h.written += int64(n)
	return n, err
}

package core

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/server/fault"
)

// fileMemory bounds the engine that writes one file. It holds the row groups
// that are being written; what does not fit ends the request.
const fileMemory = "512MB"

// ScanFile implements api.Filer. The file is written while it is read: rights,
// caps, quota and record are those of Scan, whose rows it holds.
func (s *Session) ScanFile(ctx context.Context, req api.FileRequest) (*api.File, error) {
	codec, ok := map[string]duckdb.Codec{"": duckdb.Snappy, api.FileSnappy: duckdb.Snappy, api.FileZstd: duckdb.Zstd}[req.Codec]
	if !ok {
		return nil, &api.Error{Code: api.CodeBadRequest, Message: "files are not compressed by '" + api.Clip(req.Codec, 40) + "'"}
	}
	ctx, cancel := context.WithCancel(ctx)
	stream, err := s.Scan(ctx, req.Scan)
	if err != nil {
		cancel()
		return nil, err
	}
	rows := &begun{RecordReader: stream.Batches}
	// What goes wrong before the first row is an error like any other.
	if rows.first = rows.RecordReader.Next(); !rows.first {
		if err := rows.Err(); err != nil {
			stream.Close()
			cancel()
			return nil, err
		}
	}
	return s.core.writing(ctx, cancel, stream, rows, codec), nil
}

// writing starts to write a file of the rows.
func (c *Core) writing(ctx context.Context, cancel func(), stream *api.Stream, rows *begun, codec duckdb.Codec) *api.File {
	out := *stream
	f := &api.File{Stream: &out, Progress: rows.progress}
	from, to := io.Pipe()
	hashed := &hashed{to: to, hash: xxh3.New128()}
	written := make(chan struct{})
	go func() {
		defer close(written)
		err := fault.Catch(func() error { return writeFile(ctx, hashed, rows, codec, stream.Ordered) })
		_ = to.CloseWithError(whatFailed(rows, err))
	}()
	out.Batches = api.NoRows(rows.Schema())
	out.End = func() api.End {
		end := stream.End()
		end.FileBytes, end.BodyXXH3 = hashed.size, hashed.sum()
		return end
	}
	out.CloseFunc = func() {
		cancel()
		_ = from.Close()
		<-written // the rows may not be closed under the engine
		stream.Close()
	}
	f.Data = from
	return f
}

// whatFailed returns why a file was not written: what the source has said, if it
// failed, or what the engine has.
func whatFailed(rows array.RecordReader, err error) error {
	if err == nil {
		return nil // the reader sees io.EOF
	}
	if said := rows.Err(); said != nil {
		return said
	}
	var engine *duckdb.Error
	if errors.As(err, &engine) && engine.Type == "Out of Memory" {
		return &api.Error{Code: api.CodeBudget, Kind: "memory", Message: "cannot write the file: a group of its rows takes more memory than " + fileMemory, Err: err}
	}
	return fmt.Errorf("write a parquet file: %w", err)
}

func writeFile(ctx context.Context, w io.Writer, rows array.RecordReader, codec duckdb.Codec, ordered bool) error {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: fileMemory, PreserveOrder: ordered})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.PipeParquet(ctx, w, rows, codec)
}

// hashed passes a file on and counts it.
type hashed struct {
	to   io.Writer
	hash *xxh3.Hasher128
	size int64
}

// Write implements io.Writer.
func (h *hashed) Write(p []byte) (int, error) {
	n, err := h.to.Write(p)
	_, _ = h.hash.Write(p[:n]) // never fails
	h.size += int64(n)
	return n, err
}

func (h *hashed) sum() string {
	sum := h.hash.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// begun is a reader whose first Next has been made for whoever asks next. It
// counts what passes.
type begun struct {
	array.RecordReader
	first, taken bool
	rows, bytes  atomic.Int64
}

// Next implements array.RecordReader.
func (b *begun) Next() bool {
	more := b.first
	if b.taken {
		more = b.RecordReader.Next()
	}
	b.taken = true
	if more {
		batch := b.RecordBatch()
		b.rows.Add(batch.NumRows())
		b.bytes.Add(api.BatchBytes(batch))
	}
	return more
}

func (b *begun) progress() (rows, bytes int64) { return b.rows.Load(), b.bytes.Load() }

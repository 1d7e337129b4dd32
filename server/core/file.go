package core

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	"github.com/agnes-data/da/server/fault"
)

// ScanFile implements api.Filer. The file is written while it is read. Rights,
// caps, quota and audit are those of a Scan with the same rows.
func (s *Session) ScanFile(ctx context.Context, req api.FileRequest) (*api.File, error) {
	ctx = s.owned(ctx)
	codec, ok := map[string]duckdb.Codec{"": duckdb.Snappy, api.FileSnappy: duckdb.Snappy, api.FileZstd: duckdb.Zstd}[req.Codec]
	if !ok {
		return nil, &api.Error{Code: api.CodeBadRequest, Message: "files are not compressed by '" + api.Clip(req.Codec, 40) + "'"}
	}
	if req.Tag != "" {
		return s.goOn(ctx, req)
	}
	free, err := s.core.writers.wait(ctx, s.who.User, s.core.limits.Scan.RequestTimeout)
	if err != nil {
		return nil, err
	}
	outer := ctx
	if req.Keep { // once started, the work may outlive the connection
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(outer, cancel)()
	stream, err := s.Scan(ctx, req.Scan)
	if err != nil {
		cancel()
		free()
		return nil, err
	}
	rows := &begun{RecordReader: stream.Batches}
	// Before the first row, an error can still be returned as such.
	if rows.first = rows.RecordReader.Next(); !rows.first {
		if err := rows.Err(); err != nil {
			stream.Close()
			cancel()
			free()
			return nil, err
		}
	}
	m := &making{cancel: cancel, free: free, memory: s.core.writers.memory, stream: stream, rows: rows, schema: rows.Schema(),
		written: make(chan struct{}), gone: make(chan struct{})}
	if req.Keep {
		if f, ok := s.startKeptFile(ctx, outer, m, req, codec); ok {
			return f, nil
		}
	}
	if s.core.writers.queue != nil {
		if f, ok := s.aside(ctx, m, codec); ok {
			return f, nil
		}
	}
	from, to := io.Pipe()
	m.start(ctx, to, codec)
	return m.file(from, func() { _ = from.Close(); m.stop() }), nil
}

// making is a file that is being written.
type making struct {
	cancel  func()
	free    func() // allows the next file to be written
	memory  int64  // that writing may take, in bytes
	stream  *api.Stream
	rows    *begun
	schema  *arrow.Schema
	hashed  *hashed
	gone    chan struct{} // closed when the kept file has been dropped
	end     api.End       // set once the file is complete
	written chan struct{} // closed when writing has ended
}

// sink receives a file, and how its writing ended.
type sink interface {
	io.Writer
	CloseWithError(err error) error
}

// start starts writing the rows into a sink. It closes their stream.
func (m *making) start(ctx context.Context, to sink, codec duckdb.Codec) {
	m.hashed = &hashed{to: to, hash: xxh3.New128()}
	go func() {
		defer close(m.written)
		err := fault.Catch(func() error { return m.write(ctx, codec) })
		err = whatFailed(m.rows, err)
		if err == nil {
			m.end = m.stream.End()
			m.end.FileBytes, m.end.BodyXXH3 = m.hashed.size, m.hashed.sum()
		}
		m.stream.Close() // a kept file must not hold on to its source
		m.free()
		_ = to.CloseWithError(err)
	}()
}

// stop stops the writing if it is still running, and releases its resources.
func (m *making) stop() {
	m.cancel()
	<-m.written
}

// file returns the file for the caller; data is read from the sink.
func (m *making) file(data io.Reader, closed func()) *api.File {
	out := api.Stream{RequestID: m.stream.RequestID, EffectiveAsOf: m.stream.EffectiveAsOf, Ordered: m.stream.Ordered,
		RowRule: m.stream.RowRule}
	out.Batches = api.NoRows(m.schema)
	out.End = func() api.End { return m.end }
	out.CloseFunc = closed
	return &api.File{Stream: &out, Data: data, Progress: m.rows.progress}
}

// whatFailed returns why a file could not be written: the source's error if it
// failed, otherwise the engine's.
func whatFailed(rows array.RecordReader, err error) error {
	if err == nil {
		return nil // the reader gets io.EOF
	}
	if said := rows.Err(); said != nil {
		return said
	}
	var engine *duckdb.Error
	if errors.Is(err, parquetwriter.ErrLarge) || errors.As(err, &engine) && engine.Type == "Out of Memory" {
		return &api.Error{Code: api.CodeBudget, Kind: api.KindMemory,
			Message: "cannot write the file: a group of its rows takes more memory than a file may have",
			Hint:    "Select fewer columns, or leave out large ones.", Err: err}
	}
	return fmt.Errorf("write a parquet file: %w", err)
}

// write writes the file: by our own writer, which is several times as fast as the
// engine's and encodes columns side by side, or by the engine if a column is of a
// type that ours does not know.
func (m *making) write(ctx context.Context, codec duckdb.Codec) error {
	if !parquetwriter.Takes(m.schema) {
		return m.writeByEngine(ctx, codec)
	}
	o := parquetwriter.Options{Codec: parquetwriter.Snappy, MaxGroup: m.memory / 4}
	if codec == duckdb.Zstd {
		o.Codec = parquetwriter.Zstd
	}
	return parquetwriter.Write(ctx, m.hashed, m.rows, o)
}

// writeByEngine uses one thread. Every thread holds a row group in memory, and two
// mix the rows of small tables.
func (m *making) writeByEngine(ctx context.Context, codec duckdb.Codec) error {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: engineMemory(m.memory), Threads: 1, PreserveOrder: m.stream.Ordered})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.PipeParquet(ctx, m.hashed, m.rows, codec)
}

// hashed passes on a file, and computes its hash and size.
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

// begun is a reader whose first Next has been called already. It counts rows and
// bytes.
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

package api

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// FileKeptFor is how long a server keeps a file for a client that lost its connection.
const FileKeptFor = 15 * time.Minute

// Filer delivers the rows of a scan as a parquet file that the server writes
// while it scans. A service need not have one: Scanner gives the same rows.
type Filer interface {
	// ScanFile starts the request and returns its file. The caller closes it;
	// cancelling ctx stops the work at the source.
	ScanFile(ctx context.Context, req FileRequest) (*File, error)
	// ForgetFile ends the making of a kept file and removes it: its client has it,
	// or does not need it any more. A tag that is not known is not an error.
	ForgetFile(ctx context.Context, tag string) error
}

// FileRequest asks for rows as a parquet file.
type FileRequest struct {
	Scan ScanRequest
	// Codec compresses the pages of the file: FileSnappy or FileZstd. Empty lets
	// the client choose by how far the server is.
	Codec string
	// Keep has the server keep the file for a client that loses its connection, or
	// is killed: the request goes on, and by the same request with Tag and From the
	// client gets the rest, if it still has the same rights. CodeBadRequest of
	// KindChanged if that is not kept any more.
	Keep bool
	Tag  string // of the file to go on with; empty: none
	From int64  // the bytes that are there already
	// OnCut, if set, is told that the connection was lost after so many bytes, and
	// that the client will go on.
	OnCut func(at int64)
}

// KindMalformed is the kind of the CodeStreamCut for a body that no lost connection
// explains: asking for the rest would bring more of the same.
const KindMalformed = "malformed"

// ConnectionLost reports whether an error is one of the connection, after which
// the rest of a kept file may still be had.
func ConnectionLost(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case CodeStreamCut:
		return e.Kind == ""
	case CodeStalled, CodeUnreachable, CodeUnavailable:
		return true
	}
	return false
}

// The codecs of files: snappy takes less time, zstd less room.
const (
	FileSnappy = "snappy"
	FileZstd   = "zstd"
)

// File is a result on its way as a parquet file. What is known of the result is
// in the Stream: where Data is set, its Batches tell the schema and have no rows.
// Of a server that makes no files Data is nil, and Batches has the rows.
type File struct {
	*Stream
	// Data is the file, strictly forward. It ends with io.EOF where the file is
	// whole; End then says how long it is, and its hash. Its errors are *Error.
	Data io.Reader
	// Progress returns how many rows have gone into the file so far, and their
	// bytes as End counts them. It may be called at any time.
	Progress func() (rows, bytes int64)
	// Tag names the file if the server keeps it; else it is empty. From is where
	// Data begins.
	Tag  string
	From int64
}

// NoRows is a reader that tells a schema and nothing else.
func NoRows(schema *arrow.Schema) array.RecordReader {
	rdr, _ := array.NewRecordReader(schema, nil) // only batches of another schema are an error
	return rdr
}

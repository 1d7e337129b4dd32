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
// while it scans. It is optional for a service: Scanner delivers the same rows.
type Filer interface {
	// ScanFile starts the request and returns its file. The caller closes it;
	// cancelling ctx stops the work at the source.
	ScanFile(ctx context.Context, req FileRequest) (*File, error)
	// ForgetFile stops the writing of a kept file and deletes it, because the
	// client has all of it or no longer needs it. An unknown tag is not an error.
	ForgetFile(ctx context.Context, tag string) error
}

// FileRequest asks for rows as a parquet file.
type FileRequest struct {
	Scan ScanRequest
	// Codec compresses the pages of the file: FileSnappy or FileZstd. If empty,
	// the client chooses one depending on how far away the server is.
	Codec string
	// Keep asks the server to keep the file in case the client is killed or loses
	// its connection. The request then goes on. Repeating it with Tag and From
	// returns the rest, if the client still has the same rights. If the file is
	// no longer kept, the error is CodeBadRequest of KindChanged.
	Keep bool
	Tag  string // of the file to go on with; empty: none
	From int64  // the bytes that are there already
	// OnCut, if set, is called when the connection was lost after that many bytes
	// and the client is about to resume.
	OnCut func(at int64)
	// OnQueue, if set, is told the place of the request among those that wait for the
	// server; 1 is the next one.
	OnQueue func(place int)
}

// ConnectionLost reports whether the connection failed, so that the rest of a
// kept file may still be available.
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

// The codecs of files: snappy is faster, zstd is smaller.
const (
	FileSnappy = "snappy"
	FileZstd   = "zstd"
)

// File is a running result as a parquet file. Its Stream describes the result: if
// Data is set, Batches has the schema but no rows. If the server does not write
// files, Data is nil and Batches has the rows.
type File struct {
	*Stream
	// Data is the file, read forward only. It returns io.EOF at the end of a
	// complete file; End then has its length and hash. Its errors are *Error.
	Data io.Reader
	// Progress returns how many rows have been written to the file so far, and
	// their bytes as End counts them. It can be called at any time.
	Progress func() (rows, bytes int64)
	// Tag identifies the file if the server keeps it, and is empty otherwise.
	// From is the offset in the file at which Data begins.
	Tag  string
	From int64
	// Gone, if set, is closed when the rest has to be asked for again, which another
	// server may answer. It is for servers, whose client may have stopped reading.
	Gone <-chan struct{}
}

// NoRows returns a reader with a schema and no rows.
func NoRows(schema *arrow.Schema) array.RecordReader {
	rdr, _ := array.NewRecordReader(schema, nil) // only batches of another schema are an error
	return rdr
}

package api

import (
	"encoding/json"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// warningsKey is the schema metadata key under which a source lists its warnings
// about the result, as a JSON array of strings: the casts that were needed to
// transport a column. It is absent if there are no warnings.
const warningsKey = "da.warnings"

// SchemaWith returns a schema of the fields whose only metadata are the warnings,
// if there are any.
func SchemaWith(fields []arrow.Field, warnings []string) *arrow.Schema {
	if len(warnings) == 0 {
		return arrow.NewSchema(fields, nil)
	}
	text, _ := json.Marshal(warnings) // cannot fail: only strings
	meta := arrow.NewMetadata([]string{warningsKey}, []string{string(text)})
	return arrow.NewSchema(fields, &meta)
}

// WarningsOf returns the warnings in a schema. If the value under their key is
// not a list of strings, it counts as one warning.
func WarningsOf(s *arrow.Schema) []string {
	text, ok := s.Metadata().GetValue(warningsKey)
	if !ok {
		return nil
	}
	var warnings []string
	if err := json.Unmarshal([]byte(text), &warnings); err != nil {
		return []string{text}
	}
	return warnings
}

// Stream is a running result: a schema, record batches, and an end record.
//
// One goroutine reads Batches to its end, once. After Next has returned false and
// Err is nil, End returns the end record; a cut stream always has an Err. The
// consumer owns the stream and calls Close, also after an error. Close can be
// called more than once.
type Stream struct {
	// RequestID identifies the request in the server's log and audit.
	RequestID string
	// EffectiveAsOf is when CURRENT_DATE and the like were evaluated, in UTC.
	EffectiveAsOf time.Time
	// Ordered says that the order of the rows matters.
	Ordered bool
	// RowRule says that a row rule limits what the caller can read; see
	// RowRuleWarning.
	RowRule bool
	// Batches are the rows. A batch is valid until the next call of Next.
	Batches array.RecordReader
	// End returns the end record; call it only after the last batch.
	End func() End
	// CloseFunc stops the work and releases its resources. May be nil.
	CloseFunc func()
}

// Warnings returns the warnings of the source, and one more if a row rule
// applies.
func (s *Stream) Warnings() []string {
	warnings := WarningsOf(s.Batches.Schema())
	if s.RowRule {
		warnings = append(warnings, RowRuleWarning)
	}
	return warnings
}

// Close stops the work behind the stream and frees it.
func (s *Stream) Close() {
	if s.CloseFunc != nil {
		s.CloseFunc()
		s.CloseFunc = nil
	}
}

// End is the end record of a stream: on the wire, one JSON line after Arrow's
// end-of-stream mark. A stream without it is incomplete and must not be used.
type End struct {
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`               // of Arrow buffers, before any compression
	Truncated bool   `json:"truncated"`           // rows are missing because a cap was hit
	Cap       string `json:"cap,omitempty"`       // the cap, such as "max_limit"; see CapKey
	BodyXXH3  string `json:"body_xxh3,omitempty"` // xxh3-128 of the body before this record, hex; wire only
	// For a parquet file, wire only: the file's length and the hash of the schema
	// sent before it. BodyXXH3 is then the hash of the file.
	FileBytes  int64  `json:"file_bytes,omitempty"`
	SchemaXXH3 string `json:"schema_xxh3,omitempty"`
	// Files are the table's files, if ScanRequest.Files asked for them and they
	// are known: first the files that these rows come from, in the order of the
	// rows.
	Files []FileRows `json:"files,omitempty"`
}

// FileRows is a file or a partition of a table. Its id depends on its content and
// on how it is read, and reveals nothing else.
type FileRows struct {
	ID   string `json:"id"`
	Rows int64  `json:"rows,omitempty"`
	Held bool   `json:"held,omitempty"` // the caller has its rows already
	// Values says which rows are those of a partition, since the rows of partitions
	// come mixed. It is nil for files, whose rows come one file after another.
	Values *ValueRange `json:"values,omitempty"`
}

// ValueRange selects the rows whose value in Column is at least From and below To.
// If one of them is empty, that side has no bound; if both are, the rows with NULL
// are meant. Values are written as 17, 2026-01-31, 2026-01-31 00:00:00, or
// 2026-01-31 00:00:00+00 if the column has a time zone.
type ValueRange struct {
	Column string `json:"column"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
}

// BatchBytes returns the size of a batch as End counts it: the bytes of its Arrow
// buffers. A slice counts in full, as the batch that it was cut from.
func BatchBytes(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += int64(c.Data().SizeInBytes())
	}
	return n
}

// Reporting wraps rows and calls report after each batch with the total of rows
// and bytes (see BatchBytes) so far. It takes ownership of rows; releasing the
// result releases them.
func Reporting(rows array.RecordReader, report func(rows, bytes int64)) array.RecordReader {
	return &reporting{RecordReader: rows, report: report}
}

type reporting struct {
	array.RecordReader
	report      func(rows, bytes int64)
	rows, bytes int64
}

// Next implements array.RecordReader.
func (r *reporting) Next() bool {
	if !r.RecordReader.Next() {
		return false
	}
	batch := r.RecordBatch()
	r.rows, r.bytes = r.rows+batch.NumRows(), r.bytes+BatchBytes(batch)
	r.report(r.rows, r.bytes)
	return true
}

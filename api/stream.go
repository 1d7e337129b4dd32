package api

import (
	"encoding/json"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// warningsKey is the key of a schema's metadata under which a source lists what
// a caller should know of the result, as a JSON array of strings: the casts
// that made a column fit to travel. It is absent if there is nothing to say.
const warningsKey = "da.warnings"

// SchemaWith returns a schema of the fields that carries the warnings, if any,
// and no other metadata.
func SchemaWith(fields []arrow.Field, warnings []string) *arrow.Schema {
	if len(warnings) == 0 {
		return arrow.NewSchema(fields, nil)
	}
	text, _ := json.Marshal(warnings) // strings always can
	meta := arrow.NewMetadata([]string{warningsKey}, []string{string(text)})
	return arrow.NewSchema(fields, &meta)
}

// WarningsOf returns the warnings that a schema carries. What is under their key
// but is not a list of strings counts as one warning.
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
// Batches is read to its end once, by one goroutine. When Next returned false
// and Err is nil, End holds the end record; a cut stream always has an Err.
// The consumer owns the stream and calls Close, also after an error; Close may
// be called more than once.
type Stream struct {
	// RequestID names the request in the server's log and audit.
	RequestID string
	// EffectiveAsOf is when CURRENT_DATE and the like were evaluated, in UTC.
	EffectiveAsOf time.Time
	// Ordered says that the order of the rows is part of the result.
	Ordered bool
	// RowRule says that a rule limits which rows the caller may read; see
	// RowRuleWarning.
	RowRule bool
	// Batches are the rows. A batch is valid until the next call of Next.
	Batches array.RecordReader
	// End returns the end record; call it only after the last batch.
	End func() End
	// CloseFunc stops the work and releases what it holds. May be nil.
	CloseFunc func()
}

// Warnings returns what should be known about the result: what its source has to
// say, and that a rule on rows applies.
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

// End is the end record of a stream: on the wire one JSON line behind Arrow's
// end-of-stream mark. A stream without it is cut and must not be used.
type End struct {
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`               // of Arrow buffers, before any compression
	Truncated bool   `json:"truncated"`           // rows are missing because a cap was hit
	Cap       string `json:"cap,omitempty"`       // the cap, such as "max_limit"; see CapKey
	BodyXXH3  string `json:"body_xxh3,omitempty"` // xxh3-128 of the body before this record, hex; wire only
	// Of a parquet file, wire only: its length, whose hash BodyXXH3 then is, and the
	// hash of the schema before it.
	FileBytes  int64  `json:"file_bytes,omitempty"`
	SchemaXXH3 string `json:"schema_xxh3,omitempty"`
	// Files are those of the table, if ScanRequest.Files asked for them and they are
	// known: first those whose rows these are, in the order of the rows.
	Files []FileRows `json:"files,omitempty"`
}

// FileRows is a file of a table. Its id stands for its content and for how it is
// read, and tells nothing else.
type FileRows struct {
	ID   string `json:"id"`
	Rows int64  `json:"rows,omitempty"`
	Held bool   `json:"held,omitempty"` // the caller has its rows
}

// BatchBytes returns the size of a batch as End counts it: the bytes of its
// Arrow buffers. A slice counts as the whole that it was cut from.
func BatchBytes(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += int64(c.Data().SizeInBytes())
	}
	return n
}

// Reporting returns rows that report, after each batch, how many rows and bytes
// (see BatchBytes) have passed. It takes rows over; releasing it releases them.
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

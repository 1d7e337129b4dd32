package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// CaveatsKey is the metadata key under which a schema, a batch or a file lists what
// is known of the rows, as a JSON array of caveats. It is absent if there are none.
const CaveatsKey = "da.caveats"

// EncodeCaveats returns caveats as the value of CaveatsKey, without their steps: files
// go to other machines. It is empty if there are none.
func EncodeCaveats(caveats []Caveat) string {
	if len(caveats) == 0 {
		return ""
	}
	text, _ := json.Marshal(bounded(caveats)) // cannot fail: texts and numbers
	return string(text)
}

// DecodeCaveats reads the value of CaveatsKey. If it cannot be read, that is a caveat
// itself.
func DecodeCaveats(text string) []Caveat {
	var caveats []Caveat
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &caveats); err != nil {
		return CaveatsOf(CaveatOther, Clip(text, 300))
	}
	return bounded(caveats)
}

// SchemaWith returns a schema of the fields whose only metadata are the caveats,
// if there are any.
func SchemaWith(fields []arrow.Field, caveats []Caveat) *arrow.Schema {
	if len(caveats) == 0 {
		return arrow.NewSchema(fields, nil)
	}
	text, _ := json.Marshal(caveats) // cannot fail: texts and numbers
	meta := arrow.NewMetadata([]string{CaveatsKey}, []string{string(text)})
	return arrow.NewSchema(fields, &meta)
}

// SchemaCaveats returns the caveats in a schema.
func SchemaCaveats(s *arrow.Schema) []Caveat {
	text, _ := s.Metadata().GetValue(CaveatsKey)
	return DecodeCaveats(text)
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
	// Tables are those that a statement has read, if the core ran it in this process.
	Tables []string
	// Known are caveats beside those in the schema.
	Known []Caveat
	// Batches are the rows. A batch is valid until the next call of Next.
	Batches array.RecordReader
	// End returns the end record; call it only after the last batch.
	End func() End
	// CloseFunc stops the work and releases its resources. May be nil.
	CloseFunc func()
}

// RefuseCut lets the batches end with an error if a limit has cut them: always if
// no row came, because an empty table would be a false answer, and otherwise
// unless allow is set. Call it before the first batch is read.
func (s *Stream) RefuseCut(allow bool) {
	s.Batches = &uncut{RecordReader: s.Batches, stream: s, allow: allow}
}

type uncut struct {
	array.RecordReader
	stream *Stream
	allow  bool
	err    error
}

// Next implements array.RecordReader.
func (u *uncut) Next() bool {
	if u.RecordReader.Next() {
		return true
	}
	if u.err == nil && u.RecordReader.Err() == nil {
		if end := u.stream.End(); end.Truncated && (!u.allow || end.Rows == 0) {
			u.err = end.CutError(u.stream.RequestID)
		}
	}
	return false
}

// Err implements array.RecordReader.
func (u *uncut) Err() error { return cmp.Or(u.RecordReader.Err(), u.err) }

// Rows returns the batches with what is known of them, after the last one also
// from the end record.
func (s *Stream) Rows() Rows { return &streamRows{RecordReader: s.Batches, stream: s} }

type streamRows struct {
	array.RecordReader
	stream *Stream
	ended  bool
}

// Next implements array.RecordReader.
func (r *streamRows) Next() bool {
	more := r.RecordReader.Next()
	r.ended = !more && r.RecordReader.Err() == nil
	return more
}

// Caveats implements Rows.
func (r *streamRows) Caveats() []Caveat {
	caveats := r.stream.Caveats()
	if r.ended {
		caveats = append(caveats, r.stream.End().All()...)
	}
	return caveats
}

// Caveats returns what is known before the first row.
func (s *Stream) Caveats() []Caveat {
	caveats := append(SchemaCaveats(s.Batches.Schema()), s.Known...)
	if s.RowRule {
		caveats = append(caveats, RowRuleCaveat())
	}
	return caveats
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
	// Caveats came up while the rows were read. Truncated says whether they are
	// cut. Read them by All or Found, which bound them.
	Caveats []Caveat `json:"caveats,omitempty"`
}

// All returns the caveats of the end record, with that of a cut.
func (e End) All() []Caveat {
	if !e.Truncated {
		return e.Found()
	}
	return append([]Caveat{CutCaveat(e.Rows, CapKey(e.Cap))}, e.Found()...)
}

// Found returns the caveats that came up while the rows were read.
func (e End) Found() []Caveat { return bounded(e.Caveats) }

// CutCaveat says that a result ends after that many rows because of the limit
// with that key.
func CutCaveat(rows int64, key string) Caveat {
	return Caveat{Kind: CaveatCut, Reason: key, Count: &Count{N: 1, AtLeast: true, Of: "rows"},
		Text: fmt.Sprintf("only the first %d rows are here: %s stopped the result; fewer rows or columns come whole", rows, CapName(key))}
}

// CutError says that a result was refused because a limit cut it.
func (e End) CutError(requestID string) error {
	code, hint := CodeBudget, "Nothing was kept. Ask for fewer rows or columns."
	if e.Cap == CapDaily {
		code, hint = CodeQuota, "Nothing was kept, and what came counts against the quota. Ask for fewer rows or columns, or an admin for a larger quota."
	}
	key := CapKey(e.Cap)
	details := map[string]any{"rows": e.Rows, "cap": e.Cap, "key": key}
	if code == CodeQuota {
		now := time.Now()
		details["retry_after_seconds"] = int64(now.Truncate(24*time.Hour).Add(24*time.Hour).Sub(now).Seconds()) + 1
	}
	return &Error{Code: code, Kind: KindCut, RequestID: requestID, Hint: hint,
		Message: fmt.Sprintf("the result was cut after %d rows by %s", e.Rows, CapName(key)),
		Next:    []Step{Set(OptionAllowCut, "take the part that comes")},
		Details: details}
}

// CapName names a limit by its key, for people.
func CapName(key string) string {
	switch key {
	case "":
		return "a limit of its source"
	case CapKey(CapDaily):
		return "today's quota (it starts again at 00:00 UTC)"
	case CapKey("max_session_bytes"):
		return "the session's budget (DA_SESSION_BUDGET, or " + key + ")"
	}
	return key
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

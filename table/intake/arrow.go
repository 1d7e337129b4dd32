package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/wholestream"
)

// Arrow starts reading the rows of an Arrow file or stream. Column names are made
// unique without regard to case. The caller releases the reader before it closes
// the file.
func (f *File) Arrow() (r api.Rows, renamed []Rename, err error) {
	// The library panics on some malformed messages.
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	n := &named{}
	text, behind := f.Raw(), n.record
	head := make([]byte, len(format.ArrowMagic))
	if _, err := f.file.ReadAt(head, 0); err == nil && string(head) == format.ArrowMagic {
		text = io.NewSectionReader(f.file, int64(len(format.ArrowMagic)), 1<<62)
		behind = func(io.Reader) error { return nil } // the footer, which repeats what was read
	}
	rows, err := wholestream.New(text, behind)
	if err != nil {
		return nil, nil, err
	}
	fields := rows.Schema().Fields()
	given := make([]string, len(fields))
	for i, field := range fields {
		given[i] = field.Name
	}
	names, renamed := columnNames(given, len(given))
	for i := range fields {
		fields[i].Name = names[i]
	}
	n.inner, n.told = rows, api.SchemaCaveats(rows.Schema())
	n.Begin(arrow.NewSchema(fields, nil), rows.Release)
	return n, renamed, nil
}

// named are rows whose columns have other names.
type named struct {
	recordreader.Base
	inner *ipc.Reader
	told  []api.Caveat
	rows  int64
}

// record accepts what a server of ours sends behind the end mark, where it is kept with
// the stream, and nothing else.
func (n *named) record(rest io.Reader) error {
	line, err := io.ReadAll(io.LimitReader(rest, 1<<20))
	if err != nil || len(line) == 0 {
		return err
	}
	var end struct {
		Rows      *int64 `json:"rows"`
		Truncated bool   `json:"truncated"`
	}
	if json.Unmarshal(line, &end) != nil || end.Rows == nil || *end.Rows != n.rows {
		return errors.New("something follows the end of its rows, which may be why they have ended")
	}
	if end.Truncated {
		n.told = append(n.told, api.Caveat{Kind: api.CaveatCut, Text: "the server cut the rows that the file holds"})
	}
	return nil
}

// Caveats implements api.Rows: what the file says of its rows.
func (n *named) Caveats() []api.Caveat { return n.told }

// Next implements array.RecordReader.
func (n *named) Next() bool {
	n.Set(nil)
	if !n.inner.Next() {
		return false
	}
	rec := n.inner.RecordBatch()
	n.rows += rec.NumRows()
	if with, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		meta := with.Metadata()
		if text, ok := meta.GetValue(api.CaveatsKey); ok {
			n.told = append(n.told, api.DecodeCaveats(text)...)
		}
	}
	n.Set(array.NewRecordBatch(n.Schema(), rec.Columns(), rec.NumRows()))
	return true
}

// Err implements array.RecordReader.
func (n *named) Err() error { return n.inner.Err() }

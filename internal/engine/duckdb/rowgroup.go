package duckdb

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// The engine holds a row group in memory for each writing thread: usually
// groupRows rows. For wide rows the group has only groupBytes, but at least
// leastRows rows, because smaller groups are slow to read.
const (
	groupRows  = 122_880
	leastRows  = 256
	groupBytes = 6 << 20
)

// sized is a reader whose first batch has been read, to see how wide its rows are.
type sized struct {
	array.RecordReader
	first, taken bool
	panicked     any // by the first batch; it is for Import to deal with
}

func newSized(rdr array.RecordReader) *sized {
	s := &sized{RecordReader: rdr}
	defer func() { s.panicked = recover() }()
	s.first = rdr.Next()
	return s
}

// Next implements array.RecordReader.
func (s *sized) Next() bool {
	if s.taken {
		return s.RecordReader.Next()
	}
	s.taken = true
	if s.panicked != nil {
		panic(s.panicked)
	}
	return s.first
}

// groups returns the engine's option for row groups; empty: as it usually does.
func (s *sized) groups() string {
	if !s.first {
		return ""
	}
	batch := s.RecordBatch()
	rows := batch.NumRows()
	if rows == 0 {
		return ""
	}
	fit := groupBytes / (api.BatchBytes(batch)/rows + 1)
	if fit >= groupRows {
		return ""
	}
	return ", ROW_GROUP_SIZE " + strconv.FormatInt(max(fit, leastRows), 10)
}

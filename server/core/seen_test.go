package core

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// reused gives batches whose texts lie in the same memory, as an engine may.
type reused struct {
	array.RecordReader
	memory []byte
	texts  []string // of the batches to come
	batch  arrow.RecordBatch
}

var reusedSchema = arrow.NewSchema([]arrow.Field{{Name: "grade", Type: arrow.BinaryTypes.String}}, nil)

func (r *reused) Schema() *arrow.Schema          { return reusedSchema }
func (r *reused) RecordBatch() arrow.RecordBatch { return r.batch }
func (r *reused) Err() error                     { return nil }

func (r *reused) Next() bool {
	if len(r.texts) == 0 {
		return false
	}
	copy(r.memory, r.texts[0])
	r.texts = r.texts[1:]
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2, 4}))
	data := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes(r.memory)}, nil, 0, 0)
	r.batch = array.NewRecordBatch(reusedSchema, []arrow.Array{array.NewStringData(data)}, 2)
	return true
}

// TestSeenValuesOutliveTheirBatch: the memory of a batch is freed when the next one comes.
func TestSeenValuesOutliveTheirBatch(t *testing.T) {
	var got []string
	n := &noticing{RecordReader: &reused{memory: make([]byte, 4), texts: []string{"a1a1", "b2b2"}}, left: noticedRows,
		counts: map[int]map[string]*int{}, tell: func(values map[string][]string) { got = values["grade"] }}
	for n.Next() {
	}
	if !slices.Equal(got, []string{"a1", "b2"}) {
		t.Errorf("seen: %q", got)
	}
}

package analyst_test

import (
	"context"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
)

// leaveFree is what a fetch leaves free on a disk with room.
const leaveFree = 256 << 20

// endless is a result of the same batch for ever.
type endless struct{ batch arrow.RecordBatch }

func (e endless) Schema() *arrow.Schema          { return e.batch.Schema() }
func (e endless) Next() bool                     { return true }
func (e endless) RecordBatch() arrow.RecordBatch { return e.batch }
func (e endless) Record() arrow.RecordBatch      { return e.batch }
func (e endless) Err() error                     { return nil }
func (e endless) Retain()                        {}
func (e endless) Release()                       {}

// answering answers every scan with one result.
type answering struct {
	api.Scanner
	rows array.RecordReader
}

func (s answering) Scan(context.Context, api.ScanRequest) (*api.Stream, error) {
	return &api.Stream{Batches: s.rows, End: func() api.End { return api.End{} }}, nil
}

// TestARowStreamWithoutAnEndDoesNotFillTheDisk measures a disk that every look finds
// smaller.
func TestARowStreamWithoutAnEndDoesNotFillTheDisk(t *testing.T) {
	a := alone(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(make([]int64, 1<<17), nil)
	rows := endless{b.NewRecordBatch()}
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: api.Data{Scanner: answering{rows: rows}}, Name: "https://example.com"}, nil
	}
	left := int64(8 * leaveFree)
	a.Free = func() (int64, error) {
		left -= leaveFree
		return left, nil
	}
	a.Now = time.Now
	_, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t"}})
	if !api.CodeDiskFull.Is(err) {
		t.Errorf("it ended with %v", err)
	}
	if u, err := a.Store.DiskUsage(); err != nil || u.UsedBytes != 0 || u.Snapshots != 0 {
		t.Errorf("left behind: %+v, %v", u, err)
	}
}

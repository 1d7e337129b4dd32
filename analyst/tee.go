package analyst

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/toolbox/fit"
)

// tee shows rows to a collector while another consumer reads them. peek runs
// first and holds rows back until there are known to be too many. Columns are
// renamed so that names differ even without regard to case, as the collector
// does.
type tee struct {
	array.RecordReader
	schema    *arrow.Schema
	collector *fit.Collector
	held      []arrow.RecordBatch
	cur       arrow.RecordBatch
	rows      atomic.Int64
}

func newTee(rows array.RecordReader, collector *fit.Collector) *tee {
	fields, meta := rows.Schema().Fields(), rows.Schema().Metadata()
	unique, _ := arrowjson.Unique(arrowjson.Names(rows.Schema()), strings.ToLower)
	for i := range fields {
		fields[i].Name = unique[i]
	}
	return &tee{RecordReader: rows, schema: arrow.NewSchema(fields, &meta), collector: collector}
}

// peek reads until the answer is full or the rows end; missing is true if the
// answer is full. It holds back little: all but the last batch fits the answer.
func (t *tee) peek(ctx context.Context) (missing bool) {
	for !t.collector.Missing() {
		if ctx.Err() != nil || !t.RecordReader.Next() {
			return false
		}
		batch := t.RecordReader.RecordBatch()
		t.collector.Add(batch)
		batch.Retain()
		t.held = append(t.held, batch)
	}
	return true
}

// Next implements array.RecordReader.
func (t *tee) Next() bool {
	t.drop()
	var batch arrow.RecordBatch
	if len(t.held) > 0 {
		batch, t.held = t.held[0], t.held[1:]
		defer batch.Release()
	} else {
		if !t.RecordReader.Next() {
			return false
		}
		batch = t.RecordReader.RecordBatch()
		t.collector.Add(batch)
	}
	t.rows.Add(batch.NumRows())
	t.cur = array.NewRecordBatch(t.schema, batch.Columns(), batch.NumRows())
	return true
}

func (t *tee) drop() {
	if t.cur != nil {
		t.cur.Release()
		t.cur = nil
	}
}

func (t *tee) close() {
	t.drop()
	for _, b := range t.held {
		b.Release()
	}
	t.held = nil
}

// Schema implements array.RecordReader.
func (t *tee) Schema() *arrow.Schema { return t.schema }

// RecordBatch implements array.RecordReader.
func (t *tee) RecordBatch() arrow.RecordBatch { return t.cur }

// Record implements array.RecordReader.
func (t *tee) Record() arrow.RecordBatch { return t.cur }

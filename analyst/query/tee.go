package query

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/toolbox/fit"
)

// tee shows rows to a collector while another consumer reads them. peek runs
// first and holds rows back until there are known to be too many. Columns are
// renamed so that names differ even without regard to case, as the collector
// does.
type tee struct {
	recordreader.Base
	inner     array.RecordReader
	collector *fit.Collector
	held      []arrow.RecordBatch
	rows      atomic.Int64
}

func newTee(rows array.RecordReader, collector *fit.Collector) *tee {
	fields, meta := rows.Schema().Fields(), rows.Schema().Metadata()
	unique, _ := arrowjson.Unique(arrowjson.Names(rows.Schema()), strings.ToLower)
	for i := range fields {
		fields[i].Name = unique[i]
	}
	t := &tee{inner: rows, collector: collector}
	t.Begin(arrow.NewSchema(fields, &meta), rows.Release)
	return t
}

// peek reads until the answer is full or the rows end; missing is true if the
// answer is full. It holds back little: all but the last batch fits the answer.
func (t *tee) peek(ctx context.Context) (missing bool) {
	for !t.collector.Missing() {
		if ctx.Err() != nil || !t.inner.Next() {
			return false
		}
		batch := t.inner.RecordBatch()
		t.collector.Add(batch)
		batch.Retain()
		t.held = append(t.held, batch)
	}
	return true
}

// Next implements array.RecordReader.
func (t *tee) Next() bool {
	t.Set(nil)
	var batch arrow.RecordBatch
	if len(t.held) > 0 {
		batch, t.held = t.held[0], t.held[1:]
		defer batch.Release()
	} else {
		if !t.inner.Next() {
			return false
		}
		batch = t.inner.RecordBatch()
		t.collector.Add(batch)
	}
	t.rows.Add(batch.NumRows())
	t.Set(array.NewRecordBatch(t.Schema(), batch.Columns(), batch.NumRows()))
	return true
}

// Err implements array.RecordReader.
func (t *tee) Err() error { return t.inner.Err() }

func (t *tee) close() {
	t.Set(nil)
	for _, b := range t.held {
		b.Release()
	}
	t.held = nil
}

package core

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// Names of the caps in an end record.
const (
	capRows  = "max_limit"
	capBytes = "max_result_bytes"
)

// capped passes on batches until it reaches a cap, and counts them. It marks the
// result as truncated only if a row is really missing: at a cap it first checks
// for one more row.
type capped struct {
	recordreader.Rows
	maxRows  int64
	maxBytes int64
	own      bool // maxRows is the caller's own limit, which is no cut
	end      api.End
	cur      arrow.RecordBatch // owned, if a batch had to be cut
	done     bool
	err      error
	wrapErr  func(error) error
	// allow, if set, is called before total bytes are sent, and returns how many
	// may be sent. If that is fewer, it also returns the name of the cap.
	allow func(total int64) (allowed int64, cap string, err error)
}

// newCapped takes ownership of rdr. wrapErr turns the reader's error into an api
// error.
func newCapped(rdr array.RecordReader, maxRows, maxBytes int64, wrapErr func(error) error) *capped {
	c := &capped{maxRows: maxRows, maxBytes: maxBytes, wrapErr: wrapErr}
	c.Own(rdr, c.dropCut)
	return c
}

// Next implements array.RecordReader.
func (c *capped) Next() bool {
	c.dropCut()
	if c.done {
		return false
	}
	for c.RecordReader.Next() {
		batch := c.RecordReader.RecordBatch()
		if batch.NumRows() == 0 {
			continue
		}
		return c.pass(batch)
	}
	c.done = true
	if err := c.RecordReader.Err(); err != nil {
		c.err = c.wrapErr(err)
	}
	return false
}

// pass delivers the part of batch that is below both caps.
func (c *capped) pass(batch arrow.RecordBatch) bool {
	rows, size := batch.NumRows(), api.BatchBytes(batch)
	fit := rows
	if left := c.maxRows - c.end.Rows; fit > left {
		fit, c.end.Cap = left, capRows
	}
	if left := c.maxBytes - c.end.Bytes; size > left {
		// Use the average row size: the cap limits what a request may cost, it
		// need not be exact to the byte.
		if n := int64(float64(left) / float64(size) * float64(rows)); n < fit {
			fit, c.end.Cap = n, capBytes
		}
	}
	if c.allow != nil {
		total := c.end.Bytes + size*fit/rows
		allowed, name, err := c.allow(total)
		if err != nil {
			c.done, c.err = true, c.wrapErr(err)
			return false
		}
		if n := int64(float64(allowed-c.end.Bytes) / float64(size) * float64(rows)); allowed < total && n < fit {
			fit, c.end.Cap = n, name
		}
	}
	if fit < rows {
		c.done = true
		if c.end.Truncated = !c.own || c.end.Cap != capRows; !c.end.Truncated {
			c.end.Cap = ""
		}
		if fit <= 0 {
			return false
		}
		c.cur = batch.NewSlice(0, fit)
		size = size * fit / rows
	}
	c.end.Rows += fit
	c.end.Bytes += size
	return true
}

// RecordBatch implements array.RecordReader.
func (c *capped) RecordBatch() arrow.RecordBatch {
	if c.cur != nil {
		return c.cur
	}
	return c.RecordReader.RecordBatch()
}

// Record implements array.RecordReader under its older name.
func (c *capped) Record() arrow.RecordBatch { return c.RecordBatch() }

// Err implements array.RecordReader.
func (c *capped) Err() error { return c.err }

func (c *capped) dropCut() {
	if c.cur != nil {
		c.cur.Release()
		c.cur = nil
	}
}

package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/fault"
)

// stream sends a result. Before the first batch, an error is answered as usual;
// after it, the connection is cut.
func (c *call) stream(start func(context.Context) (*api.Stream, error)) error {
	ctx, cancel := context.WithCancel(c.r.Context())
	var s *api.Stream
	var p *pump
	defer func() {
		cancel()
		if p != nil {
			p.wait() // the batches must not be closed during a Next
		}
		if s != nil {
			s.Close()
		}
	}()
	err := c.await(func() (err error) {
		if s, err = start(ctx); err != nil {
			return err
		}
		p = newPump(s.Batches, c.interimEvery)
		return p.prime()
	})
	if err != nil {
		return err
	}
	codec := wire.AcceptedCodec(c.r.Header.Values("Accept"))
	c.announce(s, wire.TypeOf(codec))
	c.w.WriteHeader(http.StatusOK)
	out := *s
	out.Batches = p
	end, err := wire.Encode(c.w, c.w.flush, &out, codec)
	if err != nil {
		return err
	}
	c.ended(end)
	return nil
}

// announce sets the headers of a result.
func (c *call) announce(s *api.Stream, contentType string) {
	h := c.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Vary", "Accept")
	h.Set(wire.HeaderEffectiveAsOf, s.EffectiveAsOf.UTC().Format(time.RFC3339Nano))
	h.Set(wire.HeaderOrdered, strconv.FormatBool(s.Ordered))
	if s.RowRule {
		h.Set(wire.HeaderRowRule, "true")
	}
	h.Set(headerBuffering, "no")
	h.Set("Trailer", wire.HeaderTruncated+", "+wire.HeaderRows)
}

// ended sets the trailers of a result.
func (c *call) ended(end api.End) {
	h := c.w.Header()
	h.Set(wire.HeaderTruncated, strconv.FormatBool(end.Truncated))
	h.Set(wire.HeaderRows, strconv.FormatInt(end.Rows, 10))
}

// pump reads exactly one batch ahead: the first before the status is sent. If a
// batch takes long, it returns an empty one instead, so that the client receives
// something.
type pump struct {
	array.RecordReader
	every  time.Duration
	primed bool // the first Next has been called already
	first  bool // its result
	// next receives the result of a running Next; waiting says that a Next is
	// running.
	next    chan nextResult
	waiting bool
	idle    arrow.RecordBatch // the empty batch; may be nil
	err     error
}

type nextResult struct {
	ok  bool
	err error
}

func newPump(r array.RecordReader, every time.Duration) *pump {
	return &pump{RecordReader: r, every: every, next: make(chan nextResult, 1)}
}

// prime calls the first Next, and returns the error of a stream that fails before
// its first row.
func (p *pump) prime() error {
	p.primed, p.first = true, p.RecordReader.Next()
	if !p.first {
		return p.RecordReader.Err()
	}
	return nil
}

// Next implements array.RecordReader.
func (p *pump) Next() bool {
	if p.primed {
		p.primed = false
		return p.first
	}
	p.idle = nil
	if p.err != nil {
		return false
	}
	if !p.waiting {
		p.waiting = true
		go func() {
			var r nextResult
			r.err = fault.Catch(func() error {
				r.ok = p.RecordReader.Next()
				return nil
			})
			p.next <- r
		}()
	}
	timer := time.NewTimer(p.every)
	defer timer.Stop()
	select {
	case r := <-p.next:
		p.waiting, p.err = false, r.err
		return r.ok && r.err == nil
	case <-timer.C:
		p.idle, p.err = emptyBatch(p.Schema())
		return p.err == nil
	}
}

// emptyBatch returns a batch without rows.
func emptyBatch(schema *arrow.Schema) (batch arrow.RecordBatch, err error) {
	err = fault.Catch(func() error {
		var cols []arrow.Array
		for _, f := range schema.Fields() {
			cols = append(cols, array.MakeArrayOfNull(memory.DefaultAllocator, f.Type, 0))
		}
		batch = array.NewRecordBatch(schema, cols, 0)
		return nil
	})
	return batch, err
}

// RecordBatch implements array.RecordReader.
func (p *pump) RecordBatch() arrow.RecordBatch {
	if p.idle != nil {
		return p.idle
	}
	return p.RecordReader.RecordBatch()
}

// Record implements array.RecordReader under its older name.
func (p *pump) Record() arrow.RecordBatch { return p.RecordBatch() }

// Err implements array.RecordReader.
func (p *pump) Err() error {
	if p.waiting {
		return errors.New("the stream was left while a batch was under way")
	}
	if p.err != nil {
		return p.err
	}
	return p.RecordReader.Err()
}

// wait returns when no Next is running any more.
func (p *pump) wait() {
	if p.waiting {
		<-p.next
		p.waiting = false
	}
}

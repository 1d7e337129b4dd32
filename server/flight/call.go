package flightapi

import (
	"context"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/canonical"
	"github.com/agnes-data/da/server/fault"
)

// visit is one call. gRPC runs it in a goroutine of its own, which may begin or go on when
// the request has ended.
type visit struct {
	data    api.Data
	mu      sync.Mutex
	ended   bool // the request has: nothing begins any more
	running sync.WaitGroup
	err     error // the call's, for log and figures
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit { return ctx.Value(visitKey{}).(*visit) }

// run does the work of the call and returns its error as gRPC tells it. A panic is an
// error too: in a goroutine of gRPC it would end the process.
func (v *visit) run(work func() error) error {
	v.mu.Lock()
	if v.ended {
		v.mu.Unlock()
		return status.FromContextError(context.Canceled).Err()
	}
	v.running.Add(1)
	v.mu.Unlock()
	defer v.running.Done()
	err := fault.Catch(work)
	if _, ok := status.FromError(err); ok { // the library's own, or none
		return err
	}
	v.err = err
	return statusOf(err)
}

// end waits until nothing of the call runs, and returns its error.
func (v *visit) end() error {
	v.mu.Lock()
	v.ended = true
	v.mu.Unlock()
	v.running.Wait()
	return v.err
}

// maxMessage is the size in bytes from which a batch travels in several messages.
// ADBC's driver takes none of more than 16 MB.
const maxMessage = 4 << 20

// send streams rows into a channel until they or the call end. It takes over rows. What is
// known of them stands in the metadata of the schema, what comes up while they are read in
// those of an empty last batch; few drivers show either, so a cut is an error.
func send(ctx context.Context, rows *api.Stream) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	rows.RefuseCut(false)
	schema := api.SchemaWith(rows.Batches.Schema().Fields(), rows.Caveats())
	out, v := make(chan flight.StreamChunk), visitOf(ctx)
	put := func(c flight.StreamChunk) bool {
		select {
		case out <- c:
			return true
		case <-ctx.Done():
			if c.Data != nil {
				c.Data.Release()
			}
			return false
		}
	}
	v.running.Go(func() {
		defer close(out)
		defer rows.Close()
		err := fault.Catch(func() error {
			for rows.Batches.Next() {
				batch, err := canonical.Batch(rows.Batches.RecordBatch())
				if err != nil {
					return err
				}
				n := batch.NumRows()
				step := max(1, min(n, n*maxMessage/max(1, api.BatchBytes(batch))))
				going := true
				for from := int64(0); from < n && going; from += step {
					going = put(flight.StreamChunk{Data: batch.NewSlice(from, min(from+step, n))})
				}
				batch.Release()
				if !going {
					return ctx.Err()
				}
			}
			if err := rows.Batches.Err(); err != nil {
				return err
			}
			if late := api.EncodeCaveats(rows.End().All()); late != "" {
				none := array.NewRecordBuilder(memory.DefaultAllocator, schema)
				defer none.Release()
				put(flight.StreamChunk{Data: none.NewRecordBatch(), AppMetadata: []byte(late)})
			}
			return nil
		})
		if err != nil {
			put(flight.StreamChunk{Err: err})
		}
	})
	return schema, out, nil
}

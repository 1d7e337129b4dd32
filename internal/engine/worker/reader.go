package worker

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// Reader is the result of a job that runs. Like any array.RecordReader it is
// read by one goroutine, and a batch lives until the next call of Next.
type Reader struct {
	give   func()          // the place in the pool
	ctx    context.Context //nolint:containedctx // RecordReader.Next has no parameter for it
	kill   context.CancelFunc
	memory int64
	cmd    *exec.Cmd
	temp   string
	in     io.WriteCloser
	out    io.Reader
	crash  head
	report chan []byte
	rows   *api.Stream
	err    error
	ended  bool
	refs   atomic.Int64
}

var _ array.RecordReader = (*Reader)(nil)

// Schema returns the schema, with the caveats about the result.
func (r *Reader) Schema() *arrow.Schema { return r.rows.Batches.Schema() }

// RecordBatch returns the current batch.
func (r *Reader) RecordBatch() arrow.RecordBatch { return r.rows.Batches.RecordBatch() }

// Record returns the current batch.
//
// Deprecated: the interface still asks for it; use RecordBatch.
func (r *Reader) Record() arrow.RecordBatch { return r.RecordBatch() }

// Err returns why Next returned false; nil at the end of the result.
func (r *Reader) Err() error { return r.err }

// Next makes the next batch current.
func (r *Reader) Next() bool {
	if r.ended {
		return false
	}
	if r.rows.Batches.Next() {
		return true
	}
	r.finish(r.rows.Batches.Err())
	return false
}

// Retain adds a reference.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the worker goes.
func (r *Reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	if !r.ended {
		r.kill()
		r.finish(context.Canceled)
	}
	if r.rows != nil {
		r.rows.Close()
	}
}

// finish waits for the worker's end. If the rows have failed, it finds out why.
func (r *Reader) finish(failed error) {
	r.ended = true
	said := <-r.report
	_ = r.in.Close() // the worker has ended
	_ = r.cmd.Wait() // the state tells
	if failed != nil {
		r.err = r.why(said, failed)
	}
	r.tidy()
	r.give()
}

// why says what has cut the rows: our own kill, the engine, or the system.
func (r *Reader) why(said []byte, failed error) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var told report
	if json.Unmarshal(said, &told) == nil {
		return told.err()
	}
	if r.cmd.ProcessState.Success() {
		return failed
	}
	return died(r.cmd.ProcessState, r.crash.String(), r.memory)
}

// tidy frees what is not the process.
func (r *Reader) tidy() {
	if r.kill != nil {
		r.kill()
	}
	if r.temp != "" {
		_ = os.RemoveAll(r.temp) // what stays goes with the folder that it is in
	}
}

// peak is the most memory that a process had, in bytes; 0: unknown. The kernel
// begins to count with what its parent had, which says nothing.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	var own syscall.Rusage
	if !ok || syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil || usage.Maxrss <= own.Maxrss {
		return 0
	}
	return usage.Maxrss << 10 // kilobytes on Linux, which alone has a limit
}

// head keeps the beginning of what is written to it.
type head struct {
	copy io.Writer // gets all of it, too; nil: nothing does

	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), 4096-len(h.text))]...)
	if h.copy != nil {
		_, _ = h.copy.Write(p) // what can't be logged is lost
	}
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// forget begins anew.
func (h *head) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = nil
}

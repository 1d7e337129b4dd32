package analyst

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Limits on the user's machine. A sort or join that needs more memory spills to a
// folder beside the snapshots, up to the limit.
const (
	memoryLimit = "1GB"
	maxSpill    = "20GB"
	// maxThreads bounds the threads that write a file. Each of them holds a row
	// group in memory.
	maxThreads = 8
)

// engine is one DuckDB instance with one connection, for one task.
type engine struct {
	*duckdb.Conn
	db      *duckdb.DB
	scratch *store.Folder
	ordered bool // it keeps the order of rows
}

// openEngine starts an in-memory instance. preserveOrder keeps the order of rows,
// which needs more memory when writing a file.
func (a *Analyst) openEngine(preserveOrder bool) (*engine, error) {
	scratch := a.Store.Scratch()
	db, err := duckdb.Open(duckdb.Options{
		MemoryLimit: memoryLimit, TempDir: scratch.Path, MaxTempSize: maxSpill, PreserveOrder: preserveOrder,
		Threads: min(runtime.GOMAXPROCS(0), maxThreads),
	})
	if err != nil {
		scratch.Close()
		return nil, err
	}
	conn, err := db.Conn()
	if err != nil {
		_ = db.Close()
		scratch.Close()
		return nil, err
	}
	return &engine{Conn: conn, db: db, scratch: scratch, ordered: preserveOrder}, nil
}

// preserveOrder changes whether the engine keeps the order of rows.
func (e *engine) preserveOrder(ctx context.Context, ordered bool) error {
	if e.ordered == ordered {
		return nil
	}
	err := e.Exec(ctx, fmt.Sprintf("SET GLOBAL preserve_insertion_order = %t", ordered))
	if err == nil {
		e.ordered = ordered
	}
	return err
}

// Close ends the instance and removes its spill files. Errors are ignored:
// nothing in the instance has to be kept. Nobody waits until its memory has been
// freed, which takes milliseconds, and a command that ends now leaves that to the
// system.
func (e *engine) Close() {
	_ = e.Conn.Close()
	e.scratch.Close()
	time.AfterFunc(endOfCommand, func() { _ = e.db.Close() })
}

// endOfCommand is longer than a command takes to end after its last use of an engine.
const endOfCommand = 20 * time.Millisecond

// onDemand is an engine that the steps of one task share. It opens when a step needs
// it, or earlier, while something else is waited for. One goroutine uses it at a time.
type onDemand struct {
	a      *Analyst
	opened chan struct{} // closed when engine and err are set; nil: not begun
	engine *engine
	err    error
}

// onDemand returns an engine that the caller closes.
func (a *Analyst) onDemand() *onDemand { return &onDemand{a: a} }

// begin starts to open the engine.
func (o *onDemand) begin() {
	if o.opened != nil {
		return
	}
	opened := make(chan struct{})
	o.opened = opened
	go func() {
		defer close(opened)
		o.engine, o.err = o.a.openEngine(false)
	}()
}

// get returns the engine, which o still owns.
func (o *onDemand) get() (*engine, error) {
	o.begin()
	<-o.opened
	return o.engine, o.err
}

// Close closes the engine, if it was opened. The next get opens another one.
func (o *onDemand) Close() {
	if o.opened == nil {
		return
	}
	if eng, err := o.get(); err == nil {
		eng.Close()
	}
	*o = onDemand{a: o.a}
}

// WriteParquet writes all rows of rdr to a file, in order, and returns how many
// there were.
func (a *Analyst) WriteParquet(ctx context.Context, path string, rdr array.RecordReader) (int64, error) {
	eng, err := a.openEngine(true)
	if err != nil {
		return 0, err
	}
	defer eng.Close()
	rows, err := eng.WriteParquet(ctx, path, rdr)
	return rows, writeError("write the result", err)
}

// writeError classifies what stopped a writing engine: the disk, its memory, or
// another error, which it returns unchanged. doing says what was attempted.
func writeError(doing string, err error) error {
	var said *duckdb.Error
	switch {
	case duckdb.IsDiskFull(err):
		return atomicfile.Explain(doing, fmt.Errorf("%w: %w", syscall.ENOSPC, err))
	case errors.As(err, new(*fs.PathError)): // of our own writer
		return atomicfile.Explain(doing, err)
	case errors.As(err, &said) && said.Type == "Out of Memory":
		return &api.Error{Code: api.CodeBudget, Kind: api.KindMemory, Message: "cannot " + doing + ": it takes more memory than " + memoryLimit,
			Hint: "Select fewer columns, or leave out large ones.", Err: err}
	}
	return err
}

func writeSnapshotError(name string, err error) error {
	return writeError(fmt.Sprintf("write snapshot '%s'", name), err)
}

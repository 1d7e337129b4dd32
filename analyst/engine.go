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
	MemoryLimit = "1GB"
	MaxSpill    = "20GB"
	// maxThreads bounds the threads that write a file. Each of them holds a row
	// group in memory.
	maxThreads = 8
)

// Engine is one DuckDB instance with one connection, for one task.
type Engine struct {
	*duckdb.Conn
	db      *duckdb.DB
	Scratch *store.Folder
	ordered bool // it keeps the order of rows
}

// OpenEngine starts an in-memory instance. preserveOrder keeps the order of rows,
// which needs more memory when writing a file.
func (a *Analyst) OpenEngine(preserveOrder bool) (*Engine, error) {
	scratch := a.Store.Scratch()
	db, err := duckdb.Open(duckdb.Options{
		MemoryLimit: MemoryLimit, TempDir: scratch.Path, MaxTempSize: MaxSpill, PreserveOrder: preserveOrder,
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
	return &Engine{Conn: conn, db: db, Scratch: scratch, ordered: preserveOrder}, nil
}

// PreserveOrder changes whether the engine keeps the order of rows.
func (e *Engine) PreserveOrder(ctx context.Context, ordered bool) error {
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
func (e *Engine) Close() {
	_ = e.Conn.Close()
	e.Scratch.Close()
	time.AfterFunc(endOfCommand, func() { _ = e.db.Close() })
}

// endOfCommand is longer than a command takes to end after its last use of an engine.
const endOfCommand = 20 * time.Millisecond

// LazyEngine is an engine that the steps of one task share. It opens when a step needs
// it, or earlier, while something else is waited for. One goroutine uses it at a time.
type LazyEngine struct {
	a      *Analyst
	opened chan struct{} // closed when engine and err are set; nil: not begun
	engine *Engine
	err    error
}

// LazyEngine returns an engine that the caller closes.
func (a *Analyst) LazyEngine() *LazyEngine { return &LazyEngine{a: a} }

// Start starts to open the engine.
func (o *LazyEngine) Start() {
	if o.opened != nil {
		return
	}
	opened := make(chan struct{})
	o.opened = opened
	go func() {
		defer close(opened)
		o.engine, o.err = o.a.OpenEngine(false)
	}()
}

// Get returns the engine, which o still owns.
func (o *LazyEngine) Get() (*Engine, error) {
	o.Start()
	<-o.opened
	return o.engine, o.err
}

// Close closes the engine, if it was opened. The next get opens another one.
func (o *LazyEngine) Close() {
	if o.opened == nil {
		return
	}
	if eng, err := o.Get(); err == nil {
		eng.Close()
	}
	*o = LazyEngine{a: o.a}
}

// WriteParquet writes all rows of rdr to a file, in order, and returns how many
// there were.
func (a *Analyst) WriteParquet(ctx context.Context, path string, rdr array.RecordReader) (int64, error) {
	eng, err := a.OpenEngine(true)
	if err != nil {
		return 0, err
	}
	defer eng.Close()
	rows, err := eng.WriteParquet(ctx, path, rdr)
	return rows, WriteError("write the result", err)
}

// WriteError classifies what stopped a writing engine: the disk, its memory, or
// another error, which it returns unchanged. doing says what was attempted.
func WriteError(doing string, err error) error {
	var said *duckdb.Error
	switch {
	case duckdb.IsDiskFull(err):
		return atomicfile.Explain(doing, fmt.Errorf("%w: %w", syscall.ENOSPC, err))
	case errors.As(err, new(*fs.PathError)): // of our own writer
		return atomicfile.Explain(doing, err)
	case errors.As(err, &said) && said.Type == "Out of Memory":
		return &api.Error{Code: api.CodeBudget, Kind: api.KindMemory, Message: "cannot " + doing + ": it takes more memory than " + MemoryLimit,
			Hint: "Select fewer columns, or leave out large ones.", Err: err}
	}
	return err
}

// WriteSnapshotError says of an error that it came while the snapshot name was
// written.
func WriteSnapshotError(name string, err error) error {
	return WriteError(fmt.Sprintf("write snapshot '%s'", name), err)
}

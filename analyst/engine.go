package analyst

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"syscall"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/store"
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
	return &engine{Conn: conn, db: db, scratch: scratch}, nil
}

// Close ends the instance and removes its spill files. Errors are ignored:
// nothing in the instance has to be kept.
func (e *engine) Close() {
	_ = e.Conn.Close()
	_ = e.db.Close()
	e.scratch.Close()
}

// ahead is an engine that opens while something else is waited for.
type ahead struct {
	opened chan struct{} // closed when engine and err are set
	engine *engine
	err    error
}

// openAhead starts to open an engine. The caller closes it.
func (a *Analyst) openAhead(preserveOrder bool) *ahead {
	o := &ahead{opened: make(chan struct{})}
	go func() {
		defer close(o.opened)
		o.engine, o.err = a.openEngine(preserveOrder)
	}()
	return o
}

// wait returns the engine, which Close closes.
func (o *ahead) wait() (*engine, error) {
	<-o.opened
	return o.engine, o.err
}

// release returns the engine to a caller who closes it; Close then does nothing.
func (o *ahead) release() *engine {
	<-o.opened
	eng := o.engine
	o.engine = nil
	return eng
}

// Close closes the engine.
func (o *ahead) Close() {
	if eng := o.release(); eng != nil {
		eng.Close()
	}
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
		return &api.Error{Code: api.CodeBudget, Kind: "memory", Message: "cannot " + doing + ": it takes more memory than " + memoryLimit,
			Hint: "Select fewer columns, or leave out large ones.", Err: err}
	}
	return err
}

func writeSnapshotError(name string, err error) error {
	return writeError(fmt.Sprintf("write snapshot '%s'", name), err)
}

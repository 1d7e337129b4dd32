package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/lru"
	"github.com/agnes-data/da/source"
)

// Options are what the engines of a source may use. Sizes are in bytes, and have no
// defaults.
type Options struct {
	MemoryLimit     int64 // for all requests together
	StatementMemory int64 // for each statement that runs in a process of its own
	Threads         int   // of each engine; 0: one a core
	TempDir         string
	MaxTempSize     int64    // of the files in TempDir
	Dirs            []string // the only folders that an engine can read
}

// Engines are the two DuckDB instances that all requests of a source share. There
// are two because keeping the order of rows is a setting of the instance and
// costs memory. Each starts when it is first needed.
type Engines struct {
	options Options
	workers *worker.Pool
	widths  *lru.Cache[float64] // see Widths

	mu     sync.Mutex
	kinds  [2]instance // 0: any order, 1: ordered
	closed bool
}

// New returns the engines; each starts when it is first used. The workers run what
// needs a process of its own.
func New(o Options, workers *worker.Pool) *Engines {
	return &Engines{options: o, workers: workers, widths: lru.New[float64](maxTypes, maxTypes)}
}

// instance is one engine and its sessions that wait for work.
type instance struct {
	db   *duckdb.DB
	idle []*duckdb.Conn
	lent int // sessions that requests have borrowed
}

// maxIdle is how many sessions wait; opening one takes about a millisecond.
const maxIdle = 4

// Session is a connection lent to one request.
type Session struct {
	*duckdb.Conn
	engines *Engines
	kind    int
}

// Session borrows a connection; return it with Done.
func (e *Engines) Session(ctx context.Context, ordered bool) (*Session, error) {
	kind := 0
	if ordered {
		kind = 1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, &api.Error{Code: api.CodeSource, Message: "the source is closed"}
	}
	in := &e.kinds[kind]
	if in.db == nil {
		db, err := e.start(ctx, ordered)
		if err != nil {
			return nil, err
		}
		in.db = db
	}
	if n := len(in.idle); n > 0 {
		c := in.idle[n-1]
		in.idle = in.idle[:n-1]
		in.lent++
		return &Session{c, e, kind}, nil
	}
	c, err := in.db.Conn()
	if err != nil {
		return nil, Internal("open a session", err)
	}
	in.lent++
	return &Session{c, e, kind}, nil
}

// Done returns the connection. A connection that may still be busy, or whose last
// statement failed, is closed instead.
func (s *Session) Done(clean bool) {
	s.engines.mu.Lock()
	in := &s.engines.kinds[s.kind]
	keep := clean && !s.engines.closed && len(in.idle) < maxIdle
	if keep {
		in.idle = append(in.idle, s.Conn)
		in.lent--
	}
	s.engines.mu.Unlock()
	if !keep {
		_ = s.Close() // the statement's own error matters more
		s.engines.mu.Lock()
		in.lent--
		s.engines.mu.Unlock()
	}
}

// Idle closes the engines that no request uses. The next request starts them
// again.
func (e *Engines) Idle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.kinds {
		if in := &e.kinds[i]; in.lent == 0 && in.db != nil {
			_ = in.db.Close() // it has nothing that could be lost
			*in = instance{}
		}
	}
}

// start opens an instance that can reach only the folders of the options.
func (e *Engines) start(ctx context.Context, ordered bool) (*duckdb.DB, error) {
	db, err := duckdb.Open(e.Settings(ordered))
	if err != nil {
		return nil, Internal("start the engine", err)
	}
	c, err := db.Conn()
	if err == nil {
		err = errors.Join(c.Lockdown(context.WithoutCancel(ctx), e.options.Dirs), c.Close())
	}
	if err != nil {
		return nil, errors.Join(Internal("confine the engine", err), db.Close())
	}
	return db, nil
}

// Settings are those of each instance, here and in workers.
func (e *Engines) Settings(ordered bool) duckdb.Options {
	return duckdb.Options{
		MemoryLimit:   bytesSetting(e.options.MemoryLimit),
		Threads:       e.options.Threads,
		TempDir:       e.options.TempDir,
		MaxTempSize:   bytesSetting(e.options.MaxTempSize),
		PreserveOrder: ordered,
		Settings: map[string]string{
			// The system caches files; a second cache only costs memory.
			"enable_external_file_cache": "false",
		},
	}
}

// workerOwn is the memory of a worker that its engine does not count: the Go
// heap, thread stacks, and batches in transit.
const workerOwn = 512 << 20

// Isolated runs a job in its own process, with the files that it reads and
// additional settings for its engine.
func (e *Engines) Isolated(ctx context.Context, j worker.Job, files []*os.File, settings map[string]string) (*worker.Reader, error) {
	maps.Copy(j.Engine.Settings, settings)
	j.Engine.MemoryLimit = bytesSetting(e.options.StatementMemory)
	j.Dirs, j.Files, j.Memory = e.options.Dirs, files, e.options.StatementMemory+workerOwn
	return e.workers.Run(ctx, j)
}

// Compute runs a scan's statement: in an engine of this process, or in one of its
// own if its condition is heavy. done returns the resources that the rows came
// from.
func (e *Engines) Compute(ctx context.Context, scan source.Scan, sql string,
	files []*os.File) (_ array.RecordReader, done func(clean bool), err error) {
	if Heavy(scan.Where) {
		rows, err := e.Isolated(ctx, worker.Job{Engine: e.Settings(scan.Ordered()), SQL: sql}, files, nil)
		return rows, func(bool) {}, err
	}
	s, err := e.Session(ctx, scan.Ordered())
	if err != nil {
		return nil, nil, err
	}
	stream, err := s.Query(ctx, sql)
	if err != nil {
		s.Done(false)
	}
	return stream, s.Done, err
}

// Running reports which engines run: that for any order, and the ordered one.
func (e *Engines) Running() [2]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return [2]bool{e.kinds[0].db != nil, e.kinds[1].db != nil}
}

func bytesSetting(n int64) string { return fmt.Sprintf("%dB", n) }

// Internal is the error for a failure of the engine that no request can cause.
func Internal(what string, err error) error {
	return &api.Error{Code: api.CodeInternal, Message: "the engine that reads the files failed", Err: fmt.Errorf("%s: %w", what, err)}
}

// Close stops the engines; what still reads ends with an error.
func (e *Engines) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	var errs []error
	for i := range e.kinds {
		if db := e.kinds[i].db; db != nil {
			errs = append(errs, db.Close()) // and its sessions
		}
		e.kinds[i] = instance{}
	}
	return errors.Join(errs...)
}

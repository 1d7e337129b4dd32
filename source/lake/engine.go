package lake

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// engines are the two DuckDB instances that all requests of a lake share. There
// are two because keeping the order of rows is a setting of the instance and
// costs memory. Each starts when it is first needed.
type engines struct {
	options Options
	dirs    []string // the only folders that an engine can read
	temp    string

	mu     sync.Mutex
	kinds  [2]instance // 0: any order, 1: ordered
	closed bool
}

// instance is one engine and its sessions that wait for work.
type instance struct {
	db   *duckdb.DB
	idle []*duckdb.Conn
	lent int // sessions that requests have borrowed
}

// maxIdle is how many sessions wait; opening one takes about a millisecond.
const maxIdle = 4

// session is a connection lent to one request.
type session struct {
	*duckdb.Conn
	engines *engines
	kind    int
}

// session borrows a connection; return it with done.
func (e *engines) session(ctx context.Context, ordered bool) (*session, error) {
	kind := 0
	if ordered {
		kind = 1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, sourceError("", "the source is closed", nil)
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
		return &session{c, e, kind}, nil
	}
	c, err := in.db.Conn()
	if err != nil {
		return nil, internal("open a session", err)
	}
	in.lent++
	return &session{c, e, kind}, nil
}

// done returns the connection. A connection that may still be busy, or whose last
// statement failed, is closed instead.
func (s *session) done(clean bool) {
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

// rest closes the engines that no request uses. The next request starts them
// again.
func (e *engines) rest() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.kinds {
		if in := &e.kinds[i]; in.lent == 0 && in.db != nil {
			_ = in.db.Close() // it has nothing that could be lost
			*in = instance{}
		}
	}
}

// start opens an instance that can reach only the root and the links into it.
func (e *engines) start(ctx context.Context, ordered bool) (*duckdb.DB, error) {
	db, err := duckdb.Open(e.settings(ordered))
	if err != nil {
		return nil, internal("start the engine", err)
	}
	c, err := db.Conn()
	if err == nil {
		err = errors.Join(c.Lockdown(context.WithoutCancel(ctx), e.dirs), c.Close())
	}
	if err != nil {
		return nil, errors.Join(internal("confine the engine", err), db.Close())
	}
	return db, nil
}

// settings are those of each instance, here and in workers.
func (e *engines) settings(ordered bool) duckdb.Options {
	return duckdb.Options{
		MemoryLimit:   bytesSetting(e.options.MemoryLimit),
		Threads:       e.options.Threads,
		TempDir:       e.temp,
		MaxTempSize:   bytesSetting(e.options.MaxTempSize),
		PreserveOrder: ordered,
		Settings: map[string]string{
			// The system caches files; a second cache only costs memory.
			"enable_external_file_cache": "false",
		},
	}
}

func bytesSetting(n int64) string { return fmt.Sprintf("%dB", n) }

func internal(what string, err error) error {
	return &api.Error{Code: api.CodeInternal, Message: "the engine that reads the files failed", Err: fmt.Errorf("%s: %w", what, err)}
}

func (e *engines) close() error {
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

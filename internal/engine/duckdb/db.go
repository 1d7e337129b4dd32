package duckdb

/*
#include <stdlib.h>
#include "capi.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	_ "github.com/duckdb/duckdb-go-bindings" // links the prebuilt library
)

// Version is the release of the engine that is linked in.
const Version = "1.5.6"

// Options are the settings of an instance; the zero value is the engine's own
// choice of memory and threads.
type Options struct {
	// MemoryLimit as the engine writes it, "2GB" or "512MiB"; empty: 80 % of RAM.
	MemoryLimit string
	// Threads is the number of workers; 0: one a core.
	Threads int
	// TempDir is for spill files beyond MemoryLimit; empty disables spilling, so
	// that an instance leaves no files behind by default.
	TempDir string
	// MaxTempSize limits TempDir, in the notation of MemoryLimit; empty: 90 % of
	// the free space.
	MaxTempSize string
	// PreserveOrder keeps rows in the order of their source. Without it, writing
	// a file is up to a third faster and takes half the memory.
	PreserveOrder bool
	// Settings are further settings by name, applied last.
	Settings map[string]string
}

// DB is one instance of the engine. It is safe for concurrent use.
type DB struct {
	mu     sync.Mutex
	ptr    C.duckdb_database
	conns  map[*Conn]struct{}
	closed bool

	named atomic.Int64 // names views of imports, and functions of sinks
}

// ErrClosed is returned by calls on a closed DB, Conn or Stream.
var ErrClosed = errors.New("duckdb: closed")

// Open starts an instance that lives in memory.
func Open(opts Options) (*DB, error) { return open(memoryPath, nil, opts) }

// OpenFile opens a database file. One process can open it for writing, or any
// number for reading; otherwise the error has Type "IO". A file that it creates
// is accessible only to the user, whatever the umask.
func OpenFile(path string, readOnly bool, opts Options) (*DB, error) {
	if readOnly {
		return open(path, map[string]string{"access_mode": "READ_ONLY"}, opts)
	}
	_, missing := os.Stat(path)
	db, err := open(path, map[string]string{"access_mode": "READ_WRITE"}, opts)
	if err == nil && missing != nil {
		if err = os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, err
}

// config returns the instance's settings. Conn sets those that are per
// connection.
func (o Options) config() map[string]string {
	c := usualSettings()
	c["preserve_insertion_order"] = strconv.FormatBool(o.PreserveOrder)
	c["temp_directory"] = o.TempDir
	if o.MemoryLimit != "" {
		c["memory_limit"] = o.MemoryLimit
	}
	if o.Threads > 0 {
		c["threads"] = strconv.Itoa(o.Threads)
	}
	maps.Copy(c, o.Settings)
	return c
}

func open(path string, first map[string]string, opts Options) (*DB, error) {
	if err := checkDescriptors(); err != nil {
		return nil, err
	}
	settings := opts.config()
	maps.Copy(settings, first)
	ptr, err := openInstance(path, settings)
	if err != nil {
		return nil, err
	}
	db := &DB{ptr: ptr, conns: map[*Conn]struct{}{}}
	if err := db.setup(opts); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// setup makes the settings that cannot be given to the engine as it starts.
func (db *DB) setup(opts Options) error {
	// Results do not depend on where the process runs.
	sql := "SET GLOBAL TimeZone = 'UTC'"
	if opts.MaxTempSize != "" {
		// If this limit is given at start-up, DuckDB shows it but does not
		// enforce it.
		sql += "; SET GLOBAL max_temp_directory_size = " + Literal(opts.MaxTempSize)
	}
	c, err := db.Conn()
	if err != nil {
		return err
	}
	return errors.Join(c.Exec(context.Background(), sql), c.Close())
}

func (db *DB) forget(c *Conn) {
	db.mu.Lock()
	defer db.mu.Unlock()
	delete(db.conns, c)
}

// Close ends all connections and the instance. Running calls are interrupted. If
// the engine does not stop in time, Close returns ErrAbandoned, and the rest
// happens when the engine stops; until then a database file stays locked.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	conns := slices.Collect(maps.Keys(db.conns))
	db.mu.Unlock()
	var group sync.WaitGroup
	errs := make([]error, len(conns))
	for i, c := range conns {
		group.Go(func() { errs[i] = c.Close() })
	}
	group.Wait()
	// Connections that are still open keep the instance alive.
	C.duckdb_close(&db.ptr)
	return errors.Join(errs...)
}

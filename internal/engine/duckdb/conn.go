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
	"sync"
	"time"
)

// ErrBusy is returned by a call on a connection that still streams a result:
// the engine would silently cut that result short.
var ErrBusy = errors.New("duckdb: the connection still streams a result")

// Conn is one session with the engine. It is safe for concurrent use, but calls
// run one after the other.
type Conn struct {
	db  *DB
	ptr C.duckdb_connection
	// patience is the constant, but for tests.
	patience time.Duration
	// turn has a token while ptr is free.
	turn chan struct{}
	// closed is closed by the first Close.
	closed    chan struct{}
	closeOnce sync.Once
	// alive is held to interrupt ptr without the turn, and to free it.
	alive sync.Mutex
	// shielded forbids interrupts; guarded by alive.
	shielded bool
	// stream is the open result, if any; guarded by turn.
	stream *Stream
	// shown are the inputs of Show, and plain says that plainScan is there to
	// stay; guarded by turn.
	shown []*input
	plain bool
}

// Conn opens a session. The caller closes it, or the DB.
func (db *DB) Conn() (*Conn, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	c := &Conn{db: db, patience: patience, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	if C.duckdb_connect(db.ptr, &c.ptr) != C.DuckDBSuccess {
		return nil, errors.New("duckdb: no further connection")
	}
	c.turn <- struct{}{}
	if err := c.Exec(context.Background(), "SET SESSION "+sessionSetting+" = '1KB'"); err != nil {
		C.duckdb_disconnect(&c.ptr)
		return nil, fmt.Errorf("set up connection: %w", err)
	}
	db.conns[c] = struct{}{}
	return c, nil
}

// sessionSetting is the only setting that the engine keeps per connection. The
// engine fills this buffer in advance, in whole chunks: with rows of 100 kB, its
// default would mean gigabytes. For narrow rows a small buffer is no slower.
const sessionSetting = "streaming_buffer_size"

// take waits for the connection to be free.
func (c *Conn) take(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return stopped(ctx, nil)
	case <-c.closed:
		return ErrClosed
	default: // of several, select takes any
	}
	select {
	case <-ctx.Done():
		return stopped(ctx, nil)
	case <-c.closed:
		return ErrClosed
	case <-c.turn:
		return nil
	}
}

func (c *Conn) give() { c.turn <- struct{}{} }

// Exec runs statements one after the other and discards their results. They must
// be our own: nothing here checks that they are harmless.
func (c *Conn) Exec(ctx context.Context, sql string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	return c.call(ctx, func() error { return c.exec(sql) }, func() {})
}

// exec runs the statements for the holder of the turn.
func (c *Conn) exec(sql string) error {
	stmts, err := c.extract(sql)
	if err != nil {
		return err
	}
	defer stmts.free()
	for i := range stmts.count {
		r, err := c.start(stmts, i, nil)
		if err != nil {
			return err
		}
		err = r.drain()
		r.free()
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the session. An open stream ends with ErrClosed; a running call is
// interrupted. If the engine does not stop in time, Close returns ErrAbandoned,
// and the rest happens when the engine stops.
func (c *Conn) Close() error {
	var err error
	c.closeOnce.Do(func() {
		close(c.closed)
		err = c.shut()
	})
	return err
}

// shut interrupts what is running until it can disconnect.
func (c *Conn) shut() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-c.turn
		defer c.give() // to a stream that is released later
		c.disconnect()
	}()
	again := time.NewTicker(interruptEvery)
	defer again.Stop()
	giveUp := time.NewTimer(c.patience)
	defer giveUp.Stop()
	for {
		c.interrupt()
		select {
		case <-done:
			return nil
		case <-again.C:
		case <-giveUp.C:
			return ErrAbandoned
		}
	}
}

// disconnect frees the connection for the holder of its turn.
func (c *Conn) disconnect() {
	if c.stream != nil {
		c.stream.cut()
	}
	c.alive.Lock()
	C.duckdb_disconnect(&c.ptr) // sets ptr to nil
	c.alive.Unlock()
	for _, in := range c.shown {
		in.free()
	}
	c.shown = nil
	c.db.forget(c)
}

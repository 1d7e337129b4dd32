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
	"sync/atomic"
	"time"
)

// ErrBusy is returned by a call on a connection that still streams a result:
// the engine would silently cut that result short.
var ErrBusy = errors.New("duckdb: the connection still streams a result")

// ErrAbandoned is wrapped by the error of a call that returned because its
// context was done while the engine was still stuck in work that it cannot be
// interrupted in. The connection is usable again when that work has ended.
var ErrAbandoned = errors.New("duckdb: the engine did not stop in time and was left to finish alone")

const (
	// patience is how long the engine gets to answer an interrupt. It looks for
	// one between chunks of rows, never inside a function call.
	patience = time.Second
	// interruptEvery repeats the interrupt: the engine forgets one that comes
	// before the statement has started.
	interruptEvery = 10 * time.Millisecond
)

// Conn is one session with the engine. Its methods may be called concurrently,
// but run one after the other.
type Conn struct {
	db  *DB
	ptr C.duckdb_connection
	// patience is the constant, but for tests.
	patience time.Duration
	// turn holds a token while nobody uses ptr.
	turn chan struct{}
	// closed is closed by the first Close.
	closed    chan struct{}
	closeOnce sync.Once
	// alive is held by those who interrupt ptr without the turn, and to free it.
	alive sync.Mutex
	// shielded tells them not to; guarded by alive.
	shielded bool
	// stream is the open result, if any; guarded by turn.
	stream *Stream
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

// sessionSetting is the one setting that the engine keeps per connection only.
// It fills this buffer ahead of the reader, in whole chunks: with rows of
// 100 kB its default means gigabytes. Narrow rows lose nothing.
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

// The states of a call into the engine.
const (
	callRuns int32 = iota
	callEnded
	callAbandoned
)

// call runs work, which blocks inside the engine, for the caller who holds the
// connection's turn, and passes the turn on. It returns when work does or, at
// the latest, patience after ctx is done. If work fails or is abandoned,
// cleanup runs after it, still within the turn; it too may block.
func (c *Conn) call(ctx context.Context, work func() error, cleanup func()) error {
	run := func() error {
		err := ctx.Err()
		if err == nil {
			err = work()
		}
		if err != nil {
			cleanup()
		}
		return err
	}
	if ctx.Done() == nil {
		defer c.give()
		return run()
	}
	var state atomic.Int32
	ended := make(chan error, 1)
	go func() {
		err := run()
		if state.CompareAndSwap(callRuns, callEnded) {
			ended <- err
			return
		}
		if err == nil {
			cleanup()
		}
		c.give()
	}()
	err, abandoned := c.await(ctx, ended, &state)
	if !abandoned {
		c.give()
	}
	if err != nil {
		err = stopped(ctx, err)
	}
	return err
}

// await returns what ended says. Once ctx is done it interrupts the engine
// until it answers or is given up.
func (c *Conn) await(ctx context.Context, ended <-chan error, state *atomic.Int32) (err error, abandoned bool) {
	select {
	case err := <-ended:
		return err, false
	case <-ctx.Done():
	}
	again := time.NewTicker(interruptEvery)
	defer again.Stop()
	giveUp := time.NewTimer(c.patience)
	defer giveUp.Stop()
	for {
		c.interrupt()
		select {
		case err := <-ended:
			return err, false
		case <-again.C:
		case <-giveUp.C:
			if state.CompareAndSwap(callRuns, callAbandoned) {
				return ErrAbandoned, true
			}
			return <-ended, false
		}
	}
}

// stopped classifies an error by the context, as the engine's own word for an
// interrupt can come from elsewhere, or be missing. Without a done context it
// is err itself.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	why := ctx.Err()
	if cause := context.Cause(ctx); cause != why { //nolint:errorlint // identity is meant
		why = fmt.Errorf("%w: %w", why, cause)
	}
	if err == nil || err == ctx.Err() { //nolint:errorlint // identity is meant
		return fmt.Errorf("duckdb: %w", why)
	}
	return fmt.Errorf("duckdb: %w: %w", why, err)
}

// Exec runs statements, one after the other, and drops what they return. They
// are ours: nothing here proves a text harmless.
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

// Close ends the session. An open stream ends with ErrClosed; a call that is
// under way is interrupted. If the engine does not stop in time, Close returns
// ErrAbandoned and the rest happens when it does.
func (c *Conn) Close() error {
	var err error
	c.closeOnce.Do(func() {
		close(c.closed)
		err = c.shut()
	})
	return err
}

// shut interrupts what runs until it can disconnect.
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

// interrupt asks the engine to stop what the connection runs, if anything.
func (c *Conn) interrupt() {
	if !c.alive.TryLock() {
		return // it is being disconnected
	}
	defer c.alive.Unlock()
	if !c.shielded {
		C.duckdb_interrupt(c.ptr) // nothing happens if ptr is nil
	}
}

// shield runs what must not be interrupted, as it tidies up after that.
func (c *Conn) shield(tidy func() error) error {
	set := func(on bool) {
		c.alive.Lock()
		defer c.alive.Unlock()
		c.shielded = on
	}
	set(true)
	defer set(false)
	return tidy()
}

// disconnect frees the connection for the holder of its turn.
func (c *Conn) disconnect() {
	if c.stream != nil {
		c.stream.cut()
	}
	c.alive.Lock()
	C.duckdb_disconnect(&c.ptr) // sets ptr to nil
	c.alive.Unlock()
	c.db.forget(c)
}

package duckdb

/*
#include "capi.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrAbandoned is wrapped by the error of a call whose context was done while the
// engine was in work that cannot be interrupted. The connection is usable again
// when that work has ended.
var ErrAbandoned = errors.New("duckdb: the engine did not stop in time and was left to finish alone")

const (
	// patience is how long the engine gets to react to an interrupt. It checks
	// for one between chunks of rows, but not during a function call.
	patience = time.Second
	// interruptEvery is the interval for repeating the interrupt: the engine
	// forgets one that comes before the statement has started.
	interruptEvery = 10 * time.Millisecond
)

// The states of a call into the engine.
const (
	callRuns int32 = iota
	callEnded
	callAbandoned
)

// call runs work, which blocks inside the engine, for the holder of the
// connection's turn, and passes the turn on. It returns when work does or, at the
// latest, patience after ctx is done. If work fails or is abandoned, cleanup runs
// after it, still within the turn; it may also block.
func (c *Conn) call(ctx context.Context, work func() error, cleanup func()) error {
	run := func() error {
		err := ctx.Err()
		if err == nil {
			err = work()
		}
		if err != nil {
			cleanup()
			err = c.cause(err)
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

// await returns the value from ended. Once ctx is done, it interrupts the engine
// until it reacts or is abandoned.
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

// stopped classifies an error by the context, because the engine's own interrupt
// error can have other causes or be missing. If the context is not done, it
// returns err.
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

// interrupt asks the engine to stop the connection's current work.
func (c *Conn) interrupt() {
	if !c.alive.TryLock() {
		return // it is being disconnected
	}
	defer c.alive.Unlock()
	if !c.shielded {
		C.duckdb_interrupt(c.ptr) // nothing happens if ptr is nil
	}
}

// shield runs tidy without interrupts, because it cleans up after one.
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

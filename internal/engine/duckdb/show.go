package duckdb

import (
	"context"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// Show makes rows outside of the engine readable as the view name, for as long as
// the connection is open, and until ctx is done. The rows have the schema. Each
// time that a statement scans the view, open is called, from a thread of the
// engine, and the reader is asked by one thread at a time. If it fails or panics,
// so does the statement, with an error that wraps the reader's.
//
// Filters and projections are not passed on: leave out columns that no statement
// needs. The instance must live in memory, because a file would keep a view with
// addresses of this process.
func (c *Conn) Show(ctx context.Context, name string, schema *arrow.Schema, open Opener) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	in := &input{ctx: ctx, schema: schema, open: open}
	return c.call(ctx, func() error { return c.show(in, name) }, func() {})
}

// show makes the view for the holder of the turn.
func (c *Conn) show(in *input, name string) error {
	if err := in.expose(); err != nil {
		return err
	}
	c.shown = append(c.shown, in) // also if what follows fails: the engine may have its address
	if !c.plain {
		if err := c.exec(plainScan); err != nil {
			return err
		}
		c.plain = true
	}
	own := c.db.unusedName()
	if err := in.view(c, own); err != nil {
		return err
	}
	return c.exec("CREATE TEMP VIEW " + Quote(name) + " AS SELECT * FROM " + Quote(own))
}

// cause is why the rows of a view could not be read, if err is due to that, or
// else err.
func (c *Conn) cause(err error) error {
	for _, in := range c.shown {
		if fault := in.takeFailure(); fault != nil {
			return fault
		}
	}
	return err
}

// Scans counts how often a statement scans the views of Show. If it is recursive,
// the number is not known before it runs, and known is false.
func (c *Conn) Scans(ctx context.Context, sql string) (n int, known bool, err error) {
	asked := "EXPLAIN (FORMAT json) " + sql
	s, err := c.Query(ctx, asked)
	if err != nil {
		return 0, false, Within(asked, sql, err)
	}
	defer s.Release()
	known = true
	for s.Next() {
		plans := s.RecordBatch().Column(1)
		for i := range plans.Len() {
			plan := plans.ValueStr(i)
			// What comes from the statement has its quotes escaped.
			n += strings.Count(plan, `"name": "ARROW_SCAN`)
			known = known && !strings.Contains(plan, `"name": "REC_`)
		}
	}
	return n, known, s.Err()
}

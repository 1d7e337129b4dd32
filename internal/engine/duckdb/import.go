package duckdb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// ErrOnePass is returned by Import if the statement did not read its input
// exactly once and to the end.
var ErrOnePass = errors.New("duckdb: an imported stream is read once and whole")

// Import makes rdr readable as the view name while it runs sql, which must read
// the view exactly once and to the end, as in
//
//	COPY (SELECT * FROM name) TO 'file' (FORMAT parquet)
//	CREATE TABLE t AS SELECT * FROM name
//
// Only this connection sees the view, which hides anything else of that name; it
// is always dropped afterwards. Tables that sql creates belong to the
// connection's current database, and remain only if Import returns nil.
//
// Import reads rdr from threads of the engine, one at a time; the caller releases
// it. If rdr fails or panics, Import fails and wraps its error.
func (c *Conn) Import(ctx context.Context, name string, rdr array.RecordReader, sql string) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	if c.stream != nil {
		c.give()
		return ErrBusy
	}
	in := &input{ctx: ctx, schema: rdr.Schema(), open: once(rdr)}
	rdr.Retain() // until the engine has finished, which can be after Import has given up
	release := sync.OnceFunc(rdr.Release)
	work := func() error {
		defer release()
		if err := in.expose(); err != nil {
			return err
		}
		defer in.free()
		return c.importFrom(in, name, sql)
	}
	err := c.call(ctx, work, release)
	if cause := in.failure(); cause != nil {
		return fmt.Errorf("import into %s: %w", Quote(name), cause)
	}
	return err
}

// once opens a stream that has been opened already, and can be read a single
// time.
func once(rdr array.RecordReader) Opener {
	var opened atomic.Bool
	return func(context.Context) (array.RecordReader, error) {
		if opened.Swap(true) {
			return nil, fmt.Errorf("%w: the statement reads it again", ErrOnePass)
		}
		rdr.Retain()
		return rdr, nil
	}
}

// importFrom runs the import in a transaction, so that a failed import leaves
// nothing. The engine's view contains addresses of this process, so it is never
// committed, in particular not to a file.
func (c *Conn) importFrom(in *input, name, sql string) (err error) {
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	if err := c.importInto(in, name, sql); err != nil {
		return errors.Join(err, c.shield(func() error { return c.exec("ROLLBACK") }))
	}
	return c.exec("COMMIT")
}

func (c *Conn) importInto(in *input, name, sql string) error {
	drop := "DROP VIEW temp." + Quote(name)
	if !c.plain {
		if err := c.exec(plainScan); err != nil {
			return err
		}
		drop += "; DROP MACRO TABLE arrow_scan"
	}
	// The engine's own view would replace one of the same name and is visible to
	// everybody, so it gets a unique name; the caller's view is a temporary one.
	own := c.db.unusedName()
	if err := in.view(c, own); err != nil {
		return err
	}
	if err := c.exec("CREATE TEMP VIEW " + Quote(name) + " AS SELECT * FROM " + Quote(own)); err != nil {
		return err
	}
	if err := c.exec(sql); err != nil {
		return err
	}
	if err := in.wholly(); err != nil {
		return err
	}
	return c.exec(drop + "; DROP VIEW " + Quote(own))
}

// unusedName names a view of an input.
func (db *DB) unusedName() string { return fmt.Sprintf("da_import_%d", db.named.Add(1)) }

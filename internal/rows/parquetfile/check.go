// Package parquetfile checks a Parquet file from another machine before an engine
// opens it: the footer must be valid, its parts must be where the footer says and
// nowhere else, and the file must contain the columns and rows that were
// announced.
//
// It reads footers and page headers, but no values, and trusts nothing in them.
// It is made for files written by our own servers, which use only a part of the
// Parquet format. It must not write, and does not depend on an engine.
package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/words/printable"
)

const (
	magic = "PAR1"
	// maxFooter bounds the footer, which grows with columns × row groups.
	maxFooter = 256 << 20
	// maxGroupRows bounds the rows of a row group; ours have some 122,880.
	maxGroupRows = 1 << 21
	// maxLists bounds the lists within one another: for each an engine may take
	// twice the time.
	maxLists = 16
)

var (
	errNoColumns = errors.New("it does not say which columns it has")
	errTree      = errors.New("its columns are not a tree")
	errGroup     = errors.New("a row group of it is not as it should be")
)

// Expected is the announced content of a file.
type Expected struct {
	Schema *arrow.Schema
	Rows   int64
}

// Check returns an error that says what is wrong with the file of the given size,
// without quoting its bytes; nil if nothing is wrong. Errors of r are returned
// unchanged.
func Check(r io.ReaderAt, size int64, want Expected) error {
	buf, start, err := footer(r, size)
	if err != nil {
		return err
	}
	c := checker{thrift: thrift{buf: buf}, file: r, want: want, end: start, next: int64(len(magic)), rows: -1}
	if err := c.metadata(); err != nil {
		return err
	}
	if c.schema == nil {
		return errNoColumns
	}
	if c.rows != want.Rows {
		return fmt.Errorf("it says that it has %d rows, and %d were announced", c.rows, want.Rows)
	}
	if c.found != want.Rows {
		return fmt.Errorf("its row groups have %d rows, and %d were announced", c.found, want.Rows)
	}
	return nil
}

// checker checks a footer while it reads it, so that it keeps no more than the
// columns and one row group.
type checker struct {
	thrift
	file   io.ReaderAt
	want   Expected
	end    int64     // offset of the footer
	schema []element // the tree of columns; nil: not yet read
	leaves []element
	group  []chunk // of the row group that is being read
	next   int64   // offset at which the next column may begin
	rows   int64   // as the footer says; -1: not yet read
	found  int64   // rows of the row groups so far
}

// footer reads the metadata at the end of a file; start is the metadata's offset.
func footer(r io.ReaderAt, size int64) (buf []byte, start int64, err error) {
	var head [len(magic)]byte
	var tail [4 + len(magic)]byte
	if size < int64(len(head)+len(tail)) {
		return nil, 0, errors.New("it is too short for a parquet file")
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, 0, err
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, 0, err
	}
	if string(head[:]) != magic || string(tail[4:]) != magic {
		return nil, 0, errors.New("it does not begin and end as a parquet file does")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if start = size - int64(len(tail)) - n; n > maxFooter || start < int64(len(head)) {
		return nil, 0, errors.New("its footer is longer than the file")
	}
	buf = make([]byte, n)
	_, err = r.ReadAt(buf, start)
	return buf, start, err
}

// tree compares the tree of columns with the announced columns, and finds its leaves.
func (c *checker) tree() (err error) {
	want := c.want.Schema
	if len(c.schema) == 0 || c.schema[0].children != want.NumFields() {
		return fmt.Errorf("it does not have the %d columns that were announced", want.NumFields())
	}
	at := 1
	for i := range want.NumFields() {
		f := want.Field(i)
		if at >= len(c.schema) {
			return errTree
		}
		e := c.schema[at]
		if !strings.EqualFold(e.name, f.Name) || !fits(e, f.Type) {
			return fmt.Errorf("its column %d is not '%s' of type %s, as was announced", i+1, printable.Line(f.Name), f.Type)
		}
		if at, err = c.below(at, 0, 0); err != nil {
			return err
		}
	}
	if at != len(c.schema) {
		return errTree
	}
	return nil
}

// below passes over the element at and all below it, and collects its leaves.
func (c *checker) below(at, depth, lists int) (next int, err error) {
	if at >= len(c.schema) || depth > maxDepth*2 {
		return 0, errTree
	}
	e := c.schema[at]
	at++
	if e.repetition == repeated {
		lists++
	}
	if lists > maxLists {
		return 0, fmt.Errorf("it has more than %d lists within one another", maxLists)
	}
	if e.children == 0 {
		e.flat = depth == 0 && e.repetition != repeated
		c.leaves = append(c.leaves, e)
		return at, nil
	}
	for range e.children {
		if at, err = c.below(at, depth+1, lists); err != nil {
			return 0, err
		}
	}
	return at, nil
}

// groupFits checks a row group: the parts of all groups must follow each other
// between the start of the file and its footer, so that no byte is used twice.
func (c *checker) groupFits(rows int64) error {
	if rows < 0 || rows > maxGroupRows || len(c.group) != len(c.leaves) {
		return errGroup
	}
	c.found += rows
	for i, part := range c.group {
		leaf, start := c.leaves[i], part.start()
		if part.foreign || !known(part.codec) || part.kind != leaf.kind || start < c.next || part.size < 0 || part.size > c.end-start {
			return errors.New("a column of it lies where it cannot")
		}
		if part.values < 0 || leaf.flat && part.values != rows {
			return errors.New("a column of it has another number of values than rows")
		}
		if err := pagesFit(c.file, start, part); err != nil {
			return err
		}
		c.next = start + part.size
	}
	return nil
}

// known reports whether our servers use a codec.
func known(codec int64) bool {
	const uncompressed, snappy, zstd = 0, 1, 6
	return codec == uncompressed || codec == snappy || codec == zstd
}

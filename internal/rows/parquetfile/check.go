// Package parquetfile checks a Parquet file from another machine before an engine
// opens it: the footer must be valid, its parts must be where the footer says and
// nowhere else, and the file must contain the columns and rows that were
// announced.
//
// It reads footers and page headers, but no values, and trusts nothing in them.
// It is made for files written by our own servers, which use only a part of the
// Parquet format. It writes nothing but a pair into the metadata of a file of ours
// (Tag), and does not depend on an engine.
package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
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

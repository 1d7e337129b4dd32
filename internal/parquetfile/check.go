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

	"github.com/agnes-data/da/internal/printable"
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
	meta, err := parse(buf)
	if err != nil {
		return fmt.Errorf("its %w", err)
	}
	leaves, err := meta.tree(want.Schema)
	if err != nil {
		return err
	}
	if meta.rows != want.Rows {
		return fmt.Errorf("it says that it has %d rows, and %d were announced", meta.rows, want.Rows)
	}
	return meta.groupsFit(r, start, leaves)
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

// tree compares the tree of columns with the announced columns, and returns its
// leaves.
func (m *metadata) tree(want *arrow.Schema) (leaves []element, err error) {
	if len(m.schema) == 0 || m.schema[0].children != want.NumFields() {
		return nil, fmt.Errorf("it does not have the %d columns that were announced", want.NumFields())
	}
	at := 1
	for i := range want.NumFields() {
		f := want.Field(i)
		if at >= len(m.schema) {
			return nil, errors.New("its columns are not a tree")
		}
		e := m.schema[at]
		if !strings.EqualFold(e.name, f.Name) || !fits(e, f.Type) {
			return nil, fmt.Errorf("its column %d is not '%s' of type %s, as was announced", i+1, printable.Line(f.Name), f.Type)
		}
		if at, leaves, err = m.below(at, leaves, 0, 0); err != nil {
			return nil, err
		}
	}
	if at != len(m.schema) {
		return nil, errors.New("its columns are not a tree")
	}
	return leaves, nil
}

// below passes over the element at and all below it, and collects its leaves.
func (m *metadata) below(at int, leaves []element, depth, lists int) (next int, all []element, err error) {
	if at >= len(m.schema) || depth > maxDepth*2 {
		return 0, nil, errors.New("its columns are not a tree")
	}
	e := m.schema[at]
	at++
	if e.repetition == repeated {
		lists++
	}
	if lists > maxLists {
		return 0, nil, fmt.Errorf("it has more than %d lists within one another", maxLists)
	}
	if e.children == 0 {
		e.flat = depth == 0 && e.repetition != repeated
		return at, append(leaves, e), nil
	}
	for range e.children {
		if at, leaves, err = m.below(at, leaves, depth+1, lists); err != nil {
			return 0, nil, err
		}
	}
	return at, leaves, nil
}

// groupsFit checks the row groups: their parts must follow each other between the
// start of the file and its footer, so that no byte is used twice.
func (m *metadata) groupsFit(r io.ReaderAt, end int64, leaves []element) error {
	at, rows := int64(len(magic)), int64(0)
	for _, g := range m.groups {
		if g.rows < 0 || g.rows > maxGroupRows || len(g.columns) != len(leaves) {
			return errors.New("a row group of it is not as it should be")
		}
		rows += g.rows
		for i, c := range g.columns {
			start := c.start()
			if c.foreign || !known(c.codec) || c.kind != leaves[i].kind || start < at || c.size < 0 || c.size > end-start {
				return errors.New("a column of it lies where it cannot")
			}
			if c.values < 0 || leaves[i].flat && c.values != g.rows {
				return errors.New("a column of it has another number of values than rows")
			}
			if err := pagesFit(r, start, c); err != nil {
				return err
			}
			at = start + c.size
		}
	}
	if rows != m.rows {
		return fmt.Errorf("its row groups have %d rows, and it says %d", rows, m.rows)
	}
	return nil
}

// known reports whether our servers use a codec.
func known(codec int64) bool {
	const uncompressed, snappy, zstd = 0, 1, 6
	return codec == uncompressed || codec == snappy || codec == zstd
}

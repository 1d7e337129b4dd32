package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/printable"
	"github.com/apache/arrow-go/v18/arrow"
)

// Physical types of parquet.
const (
	boolean    = 0
	int32s     = 1
	int64s     = 2
	int96      = 3
	float      = 4
	double     = 5
	byteArray  = 6
	fixedBytes = 7
)

const repeated = 2

// element is a node of the tree of columns.
type element struct {
	kind       int64 // physical type; -1: none
	repetition int64
	name       string
	children   int
	flat       bool // one value a row
}

// chunk is a column's part of a row group.
type chunk struct {
	foreign bool // in another file, or encrypted
	kind    int64
	codec   int64
	values  int64
	size    int64 // compressed, with the headers of pages
	data    int64 // offset of the first data page
	dict    int64 // offset of the dictionary; 0: none
}

// start returns the offset of the chunk.
func (c chunk) start() int64 {
	if c.dict > 0 && c.dict < c.data {
		return c.dict
	}
	return c.data
}

// metadata reads a footer, which must fill the buffer completely. It must name the
// columns before the row groups, as every writer does.
func (c *checker) metadata() error {
	err := c.fields(func(id int64, kind byte) (err error) {
		switch {
		case id == 2 && kind == tList && c.schema == nil:
			return c.columns()
		case id == 3 && kind == tI64:
			c.rows, err = c.integer()
			return err
		case id == 4 && kind == tList:
			if c.schema == nil {
				return errNoColumns
			}
			return c.list(tStruct, func(int) error { return c.readGroup() })
		case id == 8 || id == 9:
			return errors.New("its metadata is encrypted")
		}
		return c.skip(kind)
	})
	if err == nil && c.pos != len(c.buf) {
		err = errMalformed
	}
	return err
}

// columns reads and checks the tree of columns.
func (c *checker) columns() error {
	most := 1 + mostElements*fields(c.want.Schema.Fields())
	err := c.list(tStruct, func(i int) error {
		if i >= most {
			return errTree
		}
		e, err := c.element()
		c.schema = append(c.schema, e)
		return err
	})
	if err != nil {
		return err
	}
	return c.tree()
}

// mostElements bounds the elements for a field of the schema. A map has three, and
// what an engine stores as a type of its own has some.
const mostElements = 8

// fields counts fields and the fields within them.
func fields(list []arrow.Field) int {
	n := len(list)
	for _, f := range list {
		if nested, ok := f.Type.(arrow.NestedType); ok {
			n += fields(nested.Fields())
		}
	}
	return n
}

// numbers reads the integer fields of a struct into the variables given by field
// id, and skips other fields.
func (t *thrift) numbers(places map[int64]*int64, other func(id int64, kind byte) (done bool, err error)) error {
	return t.fields(func(id int64, kind byte) (err error) {
		if to := places[id]; to != nil && kind >= tI16 && kind <= tI64 {
			*to, err = t.integer()
			return err
		}
		if other != nil {
			if done, err := other(id, kind); done || err != nil {
				return err
			}
		}
		return t.skip(kind)
	})
}

func (t *thrift) element() (element, error) {
	e := element{kind: -1}
	var children int64
	err := t.numbers(map[int64]*int64{1: &e.kind, 3: &e.repetition, 5: &children}, func(id int64, kind byte) (bool, error) {
		if id != 4 || kind != tBinary {
			return false, nil
		}
		name, err := t.bytes()
		e.name = string(name)
		return true, err
	})
	if err == nil && (children < 0 || children > int64(len(t.buf))) {
		err = errMalformed
	}
	e.children = int(children)
	return e, err
}

// readGroup reads and checks a row group.
func (c *checker) readGroup() error {
	c.group = c.group[:0]
	var rows int64
	err := c.numbers(map[int64]*int64{3: &rows}, func(id int64, kind byte) (bool, error) {
		if id != 1 || kind != tList {
			return false, nil
		}
		return true, c.list(tStruct, func(int) error {
			if len(c.group) == len(c.leaves) {
				return errGroup
			}
			part, err := c.chunk()
			c.group = append(c.group, part)
			return err
		})
	})
	if err != nil {
		return err
	}
	return c.groupFits(rows)
}

func (t *thrift) chunk() (chunk, error) {
	c := chunk{kind: -1, codec: -1, values: -1, size: -1}
	err := t.fields(func(id int64, kind byte) error {
		switch {
		case id == 1 || id == 8 || id == 9: // a path, or keys
			c.foreign = true
		case id == 3 && kind == tStruct:
			return t.numbers(map[int64]*int64{1: &c.kind, 4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dict}, nil)
		}
		return t.skip(kind)
	})
	return c, err
}

// fits reports whether a column of the file can hold values of a type. Within
// these limits, the engine decides how it stores a type.
func fits(e element, dt arrow.DataType) bool {
	leaf := e.children == 0
	if dt.ID() == arrow.EXTENSION {
		return true // the engine has its own ways to store it
	}
	if _, nested := dt.(arrow.NestedType); nested {
		return !leaf
	}
	var kinds []int64
	switch dt.ID() {
	case arrow.BOOL:
		kinds = []int64{boolean}
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.DATE32, arrow.TIME32:
		kinds = []int64{int32s, int64s}
	case arrow.INT64, arrow.UINT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		kinds = []int64{int64s, int96, int32s}
	case arrow.FLOAT32, arrow.FLOAT64:
		kinds = []int64{float, double}
	case arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		kinds = []int64{int32s, int64s, fixedBytes, byteArray, double}
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		kinds = []int64{byteArray, fixedBytes}
	default:
		return true
	}
	return leaf && slices.Contains(kinds, e.kind)
}

var (
	errNoColumns = errors.New("it does not say which columns it has")
	errTree      = errors.New("its columns are not a tree")
	errGroup     = errors.New("a row group of it is not as it should be")
)

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
		if part.foreign || !knownCodec(part.codec) || part.kind != leaf.kind || start < c.next || part.size < 0 || part.size > c.end-start {
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

// knownCodec reports whether our servers use a codec.
func knownCodec(codec int64) bool {
	const uncompressed, snappy, zstd = 0, 1, 6
	return codec == uncompressed || codec == snappy || codec == zstd
}

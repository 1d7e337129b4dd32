package iceberg

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"compress/flate"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/agnes-data/da/source/listed"
)

// Manifests are Avro files. Only a part of each record is needed, so they are read
// by a cursor that passes over the rest, and copies nothing.

// avroType is a type of the schema that a file was written with.
type avroType struct {
	kind    string // null, boolean, int, long, float, double, bytes, string, fixed, enum, record, array, map, union
	fields  []avroField
	items   *avroType   // of an array, or a map
	union   []*avroType // its branches
	size    int         // of fixed
	logical string      // what bytes or fixed stand for
}

type avroField struct {
	Name string
	ID   int // of the field in Iceberg; 0: none
	typ  *avroType
}

// maxDepth bounds how deep types are nested.
const maxDepth = 30

var errAvro = errors.New("it is not an Avro file that is known")

// parseAvro reads a type; named are the types that have a name so far.
func parseAvro(raw json.RawMessage, named map[string]*avroType, depth int) (*avroType, error) {
	if depth > maxDepth {
		return nil, errAvro
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if t := named[name]; t != nil {
			return t, nil
		}
		return &avroType{kind: name}, nil
	}
	var branches []json.RawMessage
	if json.Unmarshal(raw, &branches) == nil {
		t := &avroType{kind: "union"}
		for _, b := range branches {
			branch, err := parseAvro(b, named, depth+1)
			if err != nil {
				return nil, err
			}
			t.union = append(t.union, branch)
		}
		return t, nil
	}
	var of struct {
		Type          json.RawMessage
		Name          string
		LogicalType   string
		Size          int
		Items, Values json.RawMessage
		Fields        []struct {
			Name string
			Type json.RawMessage
			ID   int `json:"field-id"`
		}
	}
	if err := json.Unmarshal(raw, &of); err != nil {
		return nil, errAvro
	}
	if json.Unmarshal(of.Type, &name) != nil {
		return parseAvro(of.Type, named, depth+1)
	}
	t := &avroType{kind: name, size: of.Size, logical: of.LogicalType}
	if of.Name != "" {
		named[of.Name] = t
	}
	var err error
	switch name {
	case "array":
		t.items, err = parseAvro(of.Items, named, depth+1)
	case "map":
		t.items, err = parseAvro(of.Values, named, depth+1)
	case "record":
		for _, f := range of.Fields {
			field := avroField{Name: f.Name, ID: f.ID}
			if field.typ, err = parseAvro(f.Type, named, depth+1); err != nil {
				break
			}
			t.fields = append(t.fields, field)
		}
	}
	return t, err
}

// cursor is a place in the bytes of values. After an error it stays where it is.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) take(n int) []byte {
	if c.err != nil || n < 0 || n > len(c.b) {
		c.fail()
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) fail() {
	if c.err == nil {
		c.err = errors.New("it ends in the middle of a value")
	}
	c.b = nil
}

func (c *cursor) long() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 || c.err != nil {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 || n > int64(len(c.b)) {
		c.fail()
		return nil
	}
	return c.take(int(n))
}

// branch reads which type of a union follows.
func (c *cursor) branch(t *avroType) *avroType {
	if t.kind != "union" {
		return t
	}
	n := c.long()
	if n < 0 || n >= int64(len(t.union)) {
		c.fail()
		return &avroType{kind: "null"}
	}
	return t.union[n]
}

// eachItem visits the items of an array or a map, whose key it passes over.
func (c *cursor) eachItem(t *avroType, visit func(*avroType)) {
	for c.err == nil {
		n := c.long()
		if n == 0 {
			return
		}
		if n < 0 {
			n = -n
			c.long() // the bytes of the block
		}
		if n < 0 || n > int64(len(c.b)) { // an item has at least a byte
			c.fail()
			return
		}
		for ; n > 0 && c.err == nil; n-- {
			if t.kind == "map" {
				c.bytes()
			}
			visit(t.items)
		}
	}
}

// skip passes over a value.
func (c *cursor) skip(t *avroType, depth int) {
	if t = c.branch(t); depth > maxDepth {
		c.fail()
	}
	switch t.kind {
	case "null":
	case "boolean":
		c.take(1)
	case "int", "long", "enum":
		c.long()
	case "float":
		c.take(4)
	case "double":
		c.take(8)
	case "bytes", "string":
		c.bytes()
	case "fixed":
		c.take(t.size)
	case "array", "map":
		c.eachItem(t, func(item *avroType) { c.skip(item, depth+1) })
	case "record":
		for _, f := range t.fields {
			if c.err == nil {
				c.skip(f.typ, depth+1)
			}
		}
	default:
		c.fail()
	}
}

// datum is a value of a simple type: nil, bool, int64, float64 or []byte.
func (c *cursor) datum(t *avroType) any {
	switch t = c.branch(t); t.kind {
	case "null":
		return nil
	case "boolean":
		b := c.take(1)
		return len(b) == 1 && b[0] != 0
	case "int", "long":
		return c.long()
	case "float":
		if b := c.take(4); b != nil {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	case "double":
		if b := c.take(8); b != nil {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case "bytes", "string":
		return t.shortest(c.bytes())
	case "fixed":
		if t.logical == "" && c.err == nil { // a partition's value, before which Iceberg's own library writes its length
			c.err = listed.Refused("it is partitioned by a column of type fixed")
		}
		return t.shortest(c.take(t.size))
	default:
		c.skip(t, 0)
	}
	return nil
}

// shortest drops the bytes that only repeat the sign of a decimal. A column that was widened
// has more of them in later files, and partitions are told by their bytes.
func (t *avroType) shortest(b []byte) []byte {
	for t.logical == "decimal" && len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}

func (c *cursor) int(t *avroType) (int64, bool) {
	v, ok := c.datum(t).(int64)
	return v, ok
}

func (c *cursor) text(t *avroType) (string, bool) {
	v, ok := c.datum(t).([]byte)
	return string(v), ok
}

// avroFile is a file whose blocks are read one after the other.
type avroFile struct {
	record *avroType
	codec  string
	sync   []byte
	rest   cursor
}

func openAvro(raw []byte) (*avroFile, error) {
	rest, ok := bytes.CutPrefix(raw, []byte("Obj\x01"))
	if !ok {
		return nil, errAvro
	}
	f := &avroFile{rest: cursor{b: rest}, codec: "null"}
	var schema []byte
	for f.rest.err == nil {
		n := f.rest.long()
		if n == 0 {
			break
		}
		if n < 0 {
			n = -n
			f.rest.long()
		}
		for ; n > 0 && f.rest.err == nil; n-- {
			switch key, value := f.rest.bytes(), f.rest.bytes(); string(key) {
			case "avro.schema":
				schema = value
			case "avro.codec":
				f.codec = string(value)
			}
		}
	}
	f.sync = f.rest.take(16)
	if f.rest.err != nil {
		return nil, f.rest.err
	}
	var err error
	if f.record, err = parseAvro(schema, map[string]*avroType{}, 0); err == nil && f.record.kind != "record" {
		err = errAvro
	}
	return f, err
}

// records visits the records of the file.
func (f *avroFile) records(visit func(c *cursor) error) error {
	for len(f.rest.b) > 0 {
		n := f.rest.long()
		block := f.rest.bytes()
		sync := f.rest.take(16)
		if f.rest.err != nil {
			return f.rest.err
		}
		if !bytes.Equal(sync, f.sync) {
			return errAvro
		}
		values, err := decompressed(f.codec, block)
		if err != nil {
			return err
		}
		if n > int64(len(values)) { // a record has at least a byte
			return errAvro
		}
		c := &cursor{b: values}
		for ; n > 0; n-- {
			if err := visit(c); err != nil {
				return err
			}
			if c.err != nil {
				return c.err
			}
		}
	}
	return nil
}

// maxBlock bounds a block, decompressed.
const maxBlock = 256 << 20

func decompressed(codec string, block []byte) ([]byte, error) {
	switch codec {
	case "null":
		return block, nil
	case "deflate":
		out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(block)), maxBlock+1))
		if err == nil && len(out) > maxBlock {
			err = errors.New("a block is too large")
		}
		return out, err
	case "snappy": // and a checksum behind it
		if len(block) < 4 {
			return nil, errAvro
		}
		block = block[:len(block)-4]
		if n, err := snappy.DecodedLen(block); err != nil || n > maxBlock {
			return nil, errors.Join(errAvro, err)
		}
		return snappy.Decode(nil, block)
	case "zstandard":
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxBlock), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		return d.DecodeAll(block, nil)
	}
	return nil, fmt.Errorf("it is compressed by %q", codec)
}

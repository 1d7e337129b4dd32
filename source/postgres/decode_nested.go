package postgres

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// parts reads values that follow their length; a length of -1 means NULL.
type parts struct{ raw []byte }

func (p *parts) int32() (int32, error) {
	if len(p.raw) < 4 {
		return 0, errForm
	}
	n := int32(binary.BigEndian.Uint32(p.raw))
	p.raw = p.raw[4:]
	return n, nil
}

// value returns the next value; null says that it is NULL.
func (p *parts) value() (raw []byte, null bool, err error) {
	n, err := p.int32()
	switch {
	case err != nil:
		return nil, false, err
	case n == -1:
		return nil, true, nil
	case n < 0 || int(n) > len(p.raw):
		return nil, false, errForm
	}
	raw, p.raw = p.raw[:n], p.raw[n:]
	return raw, false, nil
}

// into appends the next value to a builder.
func (p *parts) into(b array.Builder, add appender) error {
	raw, null, err := p.value()
	if err != nil {
		return err
	}
	if null {
		b.AppendNull()
		return nil
	}
	return add(raw)
}

// Arrays that cannot be converted to a list.
var (
	errDimensions = errors.New("an array has more than one dimension, where the column's type says one")
	errFirstIndex = errors.New("an array does not begin at the index 1")
)

// decodeList reads one-dimensional arrays that start at index 1, like a list.
func decodeList(elem codec) decoder {
	return func(b array.Builder) appender {
		to := b.(*array.ListBuilder)
		elements := to.ValueBuilder()
		add := elem.decode(elements)
		return func(raw []byte) error {
			p := parts{raw}
			var head [5]int32 // dimensions, flags, type, length, first index
			for i := range head {
				var err error
				if head[i], err = p.int32(); err != nil {
					return err
				}
				if i == 2 && head[0] == 0 {
					to.Append(true)
					return nil
				}
			}
			switch {
			case head[0] != 1:
				return errDimensions
			case head[4] != 1:
				return errFirstIndex
			}
			to.Append(true)
			for range head[3] {
				if err := p.into(elements, add); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// decodeRecord reads values of a composite type.
func decodeRecord(fields []codec) decoder {
	return func(b array.Builder) appender {
		to := b.(*array.StructBuilder)
		add := make([]appender, len(fields))
		for i, f := range fields {
			add[i] = f.decode(to.FieldBuilder(i))
		}
		return func(raw []byte) error {
			p := parts{raw}
			n, err := p.int32()
			if err != nil || int(n) != len(fields) {
				return errForm
			}
			to.Append(true)
			for i := range fields {
				if _, err := p.int32(); err != nil { // its type
					return err
				}
				if err := p.into(to.FieldBuilder(i), add[i]); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

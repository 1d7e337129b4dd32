package spark

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// text writes a string field.
func text(n protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), s)
}

// number writes an integer or boolean field, also if it is zero: in most places here
// a field that is absent is another choice.
func number[T int | int32 | int64](n protowire.Number, v T) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), uint64(int64(v)))
}

// float writes a double field.
func float(n protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, n, protowire.Fixed64Type), math.Float64bits(v))
}

// within writes a field that is a message of the given fields.
func within(n protowire.Number, fields ...[]byte) []byte {
	size := 0
	for _, f := range fields {
		size += len(f)
	}
	b := protowire.AppendVarint(protowire.AppendTag(make([]byte, 0, size+16), n, protowire.BytesType), uint64(size))
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

// each calls visit for the fields of a message: v is the value of a number, body that
// of a text or message. It points into b.
func each(b []byte, visit func(n protowire.Number, v uint64, body []byte) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		var v uint64
		var body []byte
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			body, size = protowire.ConsumeBytes(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		if err := visit(n, v, body); err != nil {
			return err
		}
	}
	return nil
}

// at finds a message or text by the numbers that lead to it; nil if it is not there.
func at(b []byte, path ...protowire.Number) (found []byte, err error) {
	for _, want := range path {
		var next []byte
		if err := each(b, func(n protowire.Number, _ uint64, body []byte) error {
			if n == want {
				next = body
			}
			return nil
		}); err != nil {
			return nil, err
		}
		b = next
	}
	return b, nil
}

var errMessage = unexpected("a message is not whole")

// plain is the codec of calls whose messages are bytes already.
type plain struct{}

func (plain) Marshal(v any) ([]byte, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("a %T is not bytes", v)
	}
	return b, nil
}

func (plain) Unmarshal(data []byte, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("a %T takes no bytes", v)
	}
	*to = data
	return nil
}

func (plain) Name() string { return "proto" }

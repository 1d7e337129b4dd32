package duckdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// scalar returns a value of a column as one of the types that QueryRow names.
func scalar(f arrow.Field, a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	if v, ok := integer(a, i); ok {
		return v, nil
	}
	switch a := a.(type) {
	case *array.Float32:
		return float64(a.Value(i)), nil
	case *array.Float64:
		return a.Value(i), nil
	case *array.Boolean:
		return a.Value(i), nil
	case *array.String:
		return a.Value(i), nil
	case *array.Binary:
		return append([]byte{}, a.Value(i)...), nil
	case *array.Decimal128:
		t, _ := a.DataType().(*arrow.Decimal128Type)
		return a.Value(i).ToString(t.Scale), nil
	case *array.Timestamp:
		t, _ := a.DataType().(*arrow.TimestampType)
		return a.Value(i).ToTime(t.Unit), nil
	case *array.Date32:
		return a.Value(i).ToTime(), nil
	case *array.FixedSizeBinary:
		meta, _ := f.Metadata.GetValue("ARROW:extension:metadata")
		switch {
		case strings.Contains(meta, `"uhugeint"`):
			return hugeint(a.Value(i), false), nil
		case strings.Contains(meta, `"hugeint"`):
			return hugeint(a.Value(i), true), nil
		}
	}
	return nil, fmt.Errorf("%s is not a simple type", a.DataType())
}

func integer(a arrow.Array, i int) (any, bool) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int64:
		return a.Value(i), true
	case *array.Uint8:
		return int64(a.Value(i)), true
	case *array.Uint16:
		return int64(a.Value(i)), true
	case *array.Uint32:
		return int64(a.Value(i)), true
	case *array.Uint64:
		return a.Value(i), true
	}
	return nil, false
}

// hugeint reads the engine's 128-bit integers, little-endian.
func hugeint(b []byte, signed bool) *big.Int {
	v := new(big.Int).SetUint64(binary.LittleEndian.Uint64(b[8:]))
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(binary.LittleEndian.Uint64(b)))
	if signed && b[15]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return v
}

var errKind = errors.New("the value does not fit the destination")

func assign(dest, v any) error {
	if d, ok := dest.(*any); ok {
		*d = v
		return nil
	}
	switch d := dest.(type) {
	case *string:
		switch v := v.(type) {
		case string:
			*d = v
			return nil
		case *big.Int:
			*d = v.String()
			return nil
		}
	case *int64:
		switch v := v.(type) {
		case int64:
			*d = v
			return nil
		case uint64:
			if v <= 1<<63-1 {
				*d = int64(v)
				return nil
			}
		case *big.Int:
			if v.IsInt64() {
				*d = v.Int64()
				return nil
			}
		}
	case *float64:
		if f, ok := v.(float64); ok {
			*d = f
			return nil
		}
	case *bool:
		if b, ok := v.(bool); ok {
			*d = b
			return nil
		}
	}
	return fmt.Errorf("%w: %T into %T", errKind, v, dest)
}

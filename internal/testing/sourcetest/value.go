package sourcetest

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// drain reads all rows as the Go values that a Table has, and releases the
// reader.
func drain(r array.RecordReader, kinds []Kind) ([][]any, error) {
	defer r.Release()
	var rows [][]any
	for r.Next() {
		b := r.RecordBatch()
		if int(b.NumCols()) != len(kinds) {
			return nil, fmt.Errorf("a batch of %d columns, not %d", b.NumCols(), len(kinds))
		}
		for i := range int(b.NumRows()) {
			row := make([]any, len(kinds))
			for c, kind := range kinds {
				v, err := cell(kind, b.Schema().Field(c), b.Column(c), i)
				if err != nil {
					return nil, fmt.Errorf("column %s: %w", b.ColumnName(c), err)
				}
				row[c] = v
			}
			rows = append(rows, row)
		}
	}
	return rows, r.Err()
}

// value reads one value of a column that should hold a kind.
func value(kind Kind, a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	switch kind {
	case Bool:
		if a, ok := a.(*array.Boolean); ok {
			return a.Value(i), nil
		}
	case Int:
		return integer(a, i)
	case Float:
		switch a := a.(type) {
		case *array.Float64:
			return a.Value(i), nil
		case *array.Float32:
			return float64(a.Value(i)), nil
		}
	case Decimal, Wide:
		return decimal(a, i)
	case Text, Bytes:
		return text(kind, a, i)
	case Date:
		if a, ok := a.(*array.Date32); ok {
			return a.Value(i).ToTime(), nil
		}
	case Time:
		if a, ok := a.(*array.Time64); ok {
			unit := a.DataType().(*arrow.Time64Type).Unit
			return time.Duration(a.Value(i)) * unit.Multiplier(), nil
		}
	case Timestamp, Instant:
		if a, ok := a.(*array.Timestamp); ok {
			t := a.DataType().(*arrow.TimestampType)
			if zoned := t.TimeZone != ""; zoned != (kind == Instant) {
				return nil, fmt.Errorf("the zone is %q", t.TimeZone)
			}
			return a.Value(i).ToTime(t.Unit).UTC(), nil
		}
	}
	return nil, unlike(a)
}

func unlike(a arrow.Array) error { return fmt.Errorf("it is %s", a.DataType()) }

func integer(a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i)), nil
	case *array.Int16:
		return int64(a.Value(i)), nil
	case *array.Int32:
		return int64(a.Value(i)), nil
	case *array.Int64:
		return a.Value(i), nil
	}
	return nil, unlike(a)
}

func decimal(a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.Decimal64:
		return a.Value(i).ToString(a.DataType().(arrow.DecimalType).GetScale()), nil
	case *array.Decimal128:
		return a.Value(i).ToString(a.DataType().(arrow.DecimalType).GetScale()), nil
	case *array.Decimal256:
		return a.Value(i).ToString(a.DataType().(arrow.DecimalType).GetScale()), nil
	}
	return nil, unlike(a)
}

func text(kind Kind, a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.String:
		if kind == Text {
			return a.Value(i), nil
		}
	case *array.LargeString:
		if kind == Text {
			return a.Value(i), nil
		}
	case *array.Binary:
		if kind == Bytes {
			return a.Value(i), nil
		}
	case *array.LargeBinary:
		if kind == Bytes {
			return a.Value(i), nil
		}
	}
	return nil, unlike(a)
}

// equal compares two values of a kind.
func equal(kind Kind, a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch kind {
	case Bytes:
		x, okX := a.([]byte)
		y, okY := b.([]byte)
		return okX && okY && bytes.Equal(x, y)
	case Float:
		x, okX := a.(float64)
		y, okY := b.(float64)
		return okX && okY && (x == y && math.Signbit(x) == math.Signbit(y) || math.IsNaN(x) && math.IsNaN(y))
	case Decimal, Wide:
		x, okX := new(big.Rat).SetString(fmt.Sprint(a))
		y, okY := new(big.Rat).SetString(fmt.Sprint(b))
		return okX && okY && x.Cmp(y) == 0
	case Date, Timestamp, Instant:
		x, okX := a.(time.Time)
		y, okY := b.(time.Time)
		return okX && okY && x.Equal(y)
	}
	if kind > Instant {
		return equalParts(kind, a, b)
	}
	return a == b
}

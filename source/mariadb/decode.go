package mariadb

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// decoder appends a value, as the engine writes it, to a builder of its codec's
// type. It does not keep a reference to v.
type decoder func(b array.Builder, v []byte) error

func decodeInteger(b array.Builder, v []byte) error {
	bits := b.Type().(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsUnsignedInteger(b.Type().ID()) {
		n, err := strconv.ParseUint(string(v), 10, bits)
		if err != nil {
			return err
		}
		switch b := b.(type) {
		case *array.Uint8Builder:
			b.Append(uint8(n))
		case *array.Uint16Builder:
			b.Append(uint16(n))
		case *array.Uint32Builder:
			b.Append(uint32(n))
		case *array.Uint64Builder:
			b.Append(n)
		}
		return nil
	}
	n, err := strconv.ParseInt(string(v), 10, bits)
	if err != nil {
		return err
	}
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	}
	return nil
}

func decodeFloat(b array.Builder, v []byte) error {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return err
	}
	b.(*array.Float64Builder).Append(f)
	return nil
}

func decodeDecimal(b array.Builder, v []byte) error {
	t := b.Type().(*arrow.Decimal128Type)
	n, err := decimal128.FromString(string(v), t.Precision, t.Scale)
	if err != nil {
		return err
	}
	b.(*array.Decimal128Builder).Append(n)
	return nil
}

func decodeText(b array.Builder, v []byte) error {
	if !utf8.Valid(v) {
		return fmt.Errorf("the text is not valid UTF-8")
	}
	b.(*array.StringBuilder).BinaryBuilder.Append(v)
	return nil
}

func decodeBytes(b array.Builder, v []byte) error {
	b.(*array.BinaryBuilder).Append(v)
	return nil
}

// moment reads a time. The engine also stores 0000-00-00, and 2024-02-31.
func moment(v []byte, layout string) (time.Time, error) {
	t, err := time.Parse(layout, string(v))
	if err != nil {
		err = fmt.Errorf("the date %.26s is not in the calendar", v)
	}
	return t, err
}

func decodeDate(b array.Builder, v []byte) error {
	t, err := moment(v, time.DateOnly)
	if err != nil {
		return err
	}
	b.(*array.Date32Builder).Append(arrow.Date32FromTime(t))
	return nil
}

func decodeTimestamp(b array.Builder, v []byte) error {
	t, err := moment(v, time.DateTime) // also accepts a fraction of a second
	if err != nil {
		return err
	}
	b.(*array.TimestampBuilder).Append(arrow.Timestamp(t.UnixMicro()))
	return nil
}

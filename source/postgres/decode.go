package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// decoder returns an appender for a builder of the codec's type.
type decoder func(array.Builder) appender

// appender appends one non-null value in binary format. It does not keep a
// reference to raw.
type appender func(raw []byte) error

// reading reads one non-null value. It does not keep a reference to raw.
type reading[T any] func(raw []byte) (T, error)

// into is the decoder of a reading, for the builders that take its values.
func into[T any](read reading[T]) decoder {
	return func(b array.Builder) appender {
		to := b.(interface{ Append(T) })
		return func(raw []byte) error {
			v, err := read(raw)
			if err == nil {
				to.Append(v)
			}
			return err
		}
	}
}

// errForm is the error for a value whose binary format does not match its type.
var errForm = errors.New("a value does not have the form of its type")

func readBool(raw []byte) (bool, error) {
	if len(raw) != 1 {
		return false, errForm
	}
	return raw[0] != 0, nil
}

// readBoolText reads a boolean in text format.
func readBoolText(raw []byte) (bool, error) {
	if len(raw) != 1 || raw[0] != 't' && raw[0] != 'f' {
		return false, errForm
	}
	return raw[0] == 't', nil
}

func readInt2(raw []byte) (int16, error) {
	if len(raw) != 2 {
		return 0, errForm
	}
	return int16(binary.BigEndian.Uint16(raw)), nil
}

func readInt4(raw []byte) (int32, error) {
	if len(raw) != 4 {
		return 0, errForm
	}
	return int32(binary.BigEndian.Uint32(raw)), nil
}

func readInt8(raw []byte) (int64, error) {
	if len(raw) != 8 {
		return 0, errForm
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

func readFloat4(raw []byte) (float32, error) {
	v, err := readInt4(raw)
	return math.Float32frombits(uint32(v)), err
}

func readFloat8(raw []byte) (float64, error) {
	v, err := readInt8(raw)
	return math.Float64frombits(uint64(v)), err
}

func readUUID(raw []byte) ([]byte, error) {
	if len(raw) != 16 {
		return nil, errForm
	}
	return raw, nil
}

func readBytes(raw []byte) ([]byte, error) { return raw, nil }

func decodeText(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	return func(raw []byte) error {
		raw, err := checked(raw)
		to.Append(raw)
		return err
	}
}

// decodeJSONB removes the version byte.
func decodeJSONB(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	return func(raw []byte) error {
		if len(raw) == 0 || raw[0] != 1 {
			return errForm
		}
		raw, err := checked(raw[1:])
		to.Append(raw)
		return err
	}
}

// The engine counts days and microseconds from 2000-01-01, Arrow from 1970-01-01.
// These are the differences.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86_400_000_000
)

// readDate converts infinities to the values that the query engine uses for them.
func readDate(raw []byte) (arrow.Date32, error) {
	switch d, err := readInt4(raw); {
	case err != nil:
		return 0, err
	case d == math.MaxInt32:
		return math.MaxInt32, nil
	case d == math.MinInt32:
		return -math.MaxInt32, nil
	default:
		return arrow.Date32(d + epochDays), nil
	}
}

func readTime(raw []byte) (arrow.Time64, error) {
	v, err := readInt8(raw)
	return arrow.Time64(v), err
}

// lastMicros is the latest timestamp of the query engine, in the year 294247;
// PostgreSQL supports slightly later ones.
const lastMicros = math.MaxInt64 - 1

func readTimestamp(raw []byte) (arrow.Timestamp, error) {
	switch t, err := readInt8(raw); {
	case err != nil:
		return 0, err
	case t == math.MaxInt64:
		return math.MaxInt64, nil
	case t == math.MinInt64:
		return -math.MaxInt64, nil
	case t > lastMicros-epochMicros:
		return 0, errors.New("a timestamp lies after the year 294247")
	default:
		return arrow.Timestamp(t + epochMicros), nil
	}
}

// decodeInterval writes a text that the query engine reads as the same interval.
func decodeInterval(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	var text []byte
	return func(raw []byte) error {
		if len(raw) != 16 {
			return errForm
		}
		text = appendInterval(text[:0], int32(binary.BigEndian.Uint32(raw[12:])), int32(binary.BigEndian.Uint32(raw[8:])),
			int64(binary.BigEndian.Uint64(raw)))
		to.Append(text)
		return nil
	}
}

func appendInterval(dst []byte, months, days int32, micros int64) []byte {
	switch {
	case months == math.MaxInt32 && days == math.MaxInt32 && micros == math.MaxInt64:
		return append(dst, "infinity"...)
	case months == math.MinInt32 && days == math.MinInt32 && micros == math.MinInt64:
		return append(dst, "-infinity"...)
	}
	from := len(dst)
	for _, part := range []struct {
		n    int32
		unit string
	}{{months / 12, "year"}, {months % 12, "month"}, {days, "day"}} {
		if part.n == 0 {
			continue
		}
		if len(dst) > from {
			dst = append(dst, ' ')
		}
		dst = fmt.Appendf(dst, "%d %s", part.n, part.unit)
		if part.n != 1 && part.n != -1 {
			dst = append(dst, 's')
		}
	}
	if micros == 0 && len(dst) > from {
		return dst
	}
	if len(dst) > from {
		dst = append(dst, ' ')
	}
	abs := uint64(micros)
	if micros < 0 {
		dst, abs = append(dst, '-'), -abs
	}
	seconds, fraction := abs/1_000_000, abs%1_000_000
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if fraction > 0 {
		dst = fmt.Appendf(dst, ".%06d", fraction)
	}
	return dst
}

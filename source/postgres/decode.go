package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// decoder makes an appender for a builder of the codec's type.
type decoder func(array.Builder) appender

// appender appends one value that is not NULL from its binary form. It keeps
// nothing of raw.
type appender func(raw []byte) error

// errForm is a value whose binary form is not what its type has.
var errForm = errors.New("a value does not have the form of its type")

// fixed checks the length of a value.
func fixed(raw []byte, n int) error {
	if len(raw) != n {
		return errForm
	}
	return nil
}

func decodeBool(b array.Builder) appender {
	to := b.(*array.BooleanBuilder)
	return func(raw []byte) error {
		if len(raw) != 1 {
			return errForm
		}
		to.Append(raw[0] != 0)
		return nil
	}
}

func decodeInt2(b array.Builder) appender {
	to := b.(*array.Int16Builder)
	return func(raw []byte) error {
		if len(raw) != 2 {
			return errForm
		}
		to.Append(int16(binary.BigEndian.Uint16(raw)))
		return nil
	}
}

func decodeInt4(b array.Builder) appender {
	to := b.(*array.Int32Builder)
	return func(raw []byte) error {
		if len(raw) != 4 {
			return errForm
		}
		to.Append(int32(binary.BigEndian.Uint32(raw)))
		return nil
	}
}

func decodeInt8(b array.Builder) appender {
	to := b.(*array.Int64Builder)
	return func(raw []byte) error {
		if len(raw) != 8 {
			return errForm
		}
		to.Append(int64(binary.BigEndian.Uint64(raw)))
		return nil
	}
}

func decodeFloat4(b array.Builder) appender {
	to := b.(*array.Float32Builder)
	return func(raw []byte) error {
		if len(raw) != 4 {
			return errForm
		}
		to.Append(math.Float32frombits(binary.BigEndian.Uint32(raw)))
		return nil
	}
}

func decodeFloat8(b array.Builder) appender {
	to := b.(*array.Float64Builder)
	return func(raw []byte) error {
		if len(raw) != 8 {
			return errForm
		}
		to.Append(math.Float64frombits(binary.BigEndian.Uint64(raw)))
		return nil
	}
}

func decodeText(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	return func(raw []byte) error {
		to.Append(raw)
		return nil
	}
}

func decodeBytes(b array.Builder) appender {
	to := b.(*array.BinaryBuilder)
	return func(raw []byte) error {
		to.Append(raw)
		return nil
	}
}

// decodeJSONB takes the version off.
func decodeJSONB(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	return func(raw []byte) error {
		if len(raw) == 0 || raw[0] != 1 {
			return errForm
		}
		to.Append(raw[1:])
		return nil
	}
}

func decodeUUID(b array.Builder) appender {
	to := b.(*array.FixedSizeBinaryBuilder)
	return func(raw []byte) error {
		if len(raw) != 16 {
			return errForm
		}
		to.Append(raw)
		return nil
	}
}

// Days and microseconds are counted from 2000-01-01; from 1970-01-01 they are
// more by these.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86_400_000_000
)

// decodeDate keeps infinities in the form that the query engine has for them.
func decodeDate(b array.Builder) appender {
	to := b.(*array.Date32Builder)
	return func(raw []byte) error {
		if len(raw) != 4 {
			return errForm
		}
		switch d := int32(binary.BigEndian.Uint32(raw)); d {
		case math.MaxInt32:
			to.Append(math.MaxInt32)
		case math.MinInt32:
			to.Append(-math.MaxInt32)
		default:
			to.Append(arrow.Date32(d + epochDays))
		}
		return nil
	}
}

func decodeTime(b array.Builder) appender {
	to := b.(*array.Time64Builder)
	return func(raw []byte) error {
		if len(raw) != 8 {
			return errForm
		}
		to.Append(arrow.Time64(binary.BigEndian.Uint64(raw)))
		return nil
	}
}

// lastMicros is the last moment that the query engine holds, in the year
// 294247; PostgreSQL knows some more.
const lastMicros = math.MaxInt64 - 1

func decodeTimestamp(b array.Builder) appender {
	to := b.(*array.TimestampBuilder)
	return func(raw []byte) error {
		if len(raw) != 8 {
			return errForm
		}
		switch t := int64(binary.BigEndian.Uint64(raw)); {
		case t == math.MaxInt64:
			to.Append(math.MaxInt64)
		case t == math.MinInt64:
			to.Append(-math.MaxInt64)
		case t > lastMicros-epochMicros:
			return errors.New("a timestamp lies after the year 294247")
		default:
			to.Append(arrow.Timestamp(t + epochMicros))
		}
		return nil
	}
}

// decodeInterval writes the text that the query engine reads as the same span.
func decodeInterval(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	var text []byte
	return func(raw []byte) error {
		if err := fixed(raw, 16); err != nil {
			return err
		}
		text = appendInterval(text[:0], int32(binary.BigEndian.Uint32(raw[12:])), int32(binary.BigEndian.Uint32(raw[8:])), int64(binary.BigEndian.Uint64(raw)))
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

package arrowjson

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

func bindInterval(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.MonthDayNanoInterval:
		return func(dst []byte, i int) ([]byte, Kind) {
			v := a.Value(i)
			return appendInterval(dst, int64(v.Months), int64(v.Days), v.Nanoseconds, nanosPerSec), Text
		}
	case *array.MonthInterval:
		return func(dst []byte, i int) ([]byte, Kind) {
			return appendInterval(dst, int64(a.Value(i)), 0, 0, 1), Text
		}
	case *array.DayTimeInterval:
		return func(dst []byte, i int) ([]byte, Kind) {
			v := a.Value(i)
			return appendInterval(dst, 0, int64(v.Days), int64(v.Milliseconds), 1000), Text
		}
	case *array.Duration:
		perSec := unitsPerSecond(a.DataType().(*arrow.DurationType).Unit)
		return func(dst []byte, i int) ([]byte, Kind) {
			return appendInterval(dst, 0, 0, int64(a.Value(i)), perSec), Text
		}
	}
	return nil
}

// appendInterval writes an ISO 8601 duration as PostgreSQL does: zero parts are
// omitted, and each part has its own sign, because months, days and time cannot
// be converted into each other.
func appendInterval(dst []byte, months, days, ticks, perSec int64) []byte {
	start := len(dst)
	dst = append(dst, 'P')
	dst = appendPart(dst, months/12, 'Y')
	dst = appendPart(dst, months%12, 'M')
	dst = appendPart(dst, days, 'D')
	if ticks == 0 {
		if len(dst) == start+1 {
			dst = append(dst, "T0S"...)
		}
		return dst
	}
	dst = append(dst, 'T')
	seconds, fraction := ticks/perSec, ticks%perSec
	dst = appendPart(dst, seconds/3600, 'H')
	dst = appendPart(dst, seconds/60%60, 'M')
	if seconds %= 60; seconds != 0 || fraction != 0 {
		if seconds <= 0 && fraction < 0 || seconds < 0 {
			dst, seconds, fraction = append(dst, '-'), -seconds, -fraction
		}
		dst = strconv.AppendInt(dst, seconds, 10)
		dst = append(appendFraction(dst, fraction, perSec), 'S')
	}
	return dst
}

func appendPart(dst []byte, v int64, unit byte) []byte {
	if v == 0 {
		return dst
	}
	return append(strconv.AppendInt(dst, v, 10), unit)
}

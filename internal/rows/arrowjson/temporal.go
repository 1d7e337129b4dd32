package arrowjson

import (
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const (
	secondsPerDay = 24 * 60 * 60
	nanosPerSec   = 1_000_000_000
)

func bindTemporal(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.Date32:
		return func(dst []byte, i int) ([]byte, Kind) {
			v := a.Value(i)
			if v == math.MaxInt32 || v == -math.MaxInt32 {
				return appendInfinity(dst, v > 0), Text
			}
			return appendDate(dst, int64(v)), Text
		}
	case *array.Date64: // milliseconds of whole days
		return func(dst []byte, i int) ([]byte, Kind) {
			days, _ := floorDiv(int64(a.Value(i)), secondsPerDay*1000)
			return appendDate(dst, days), Text
		}
	case *array.Timestamp:
		return timestamp(a)
	case *array.Time32:
		perSec := unitsPerSecond(a.DataType().(*arrow.Time32Type).Unit)
		return func(dst []byte, i int) ([]byte, Kind) { return appendTime(dst, int64(a.Value(i)), perSec), Text }
	case *array.Time64:
		perSec := unitsPerSecond(a.DataType().(*arrow.Time64Type).Unit)
		return func(dst []byte, i int) ([]byte, Kind) { return appendTime(dst, int64(a.Value(i)), perSec), Text }
	}
	return bindInterval(arr)
}

func unitsPerSecond(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1_000
	case arrow.Microsecond:
		return 1_000_000
	}
	return nanosPerSec
}

// timestamp reads instants and local times. With a zone, Arrow stores UTC and the
// zone is only a display hint, so UTC is written.
func timestamp(a *array.Timestamp) appender {
	t := a.DataType().(*arrow.TimestampType)
	perSec := unitsPerSecond(t.Unit)
	return func(dst []byte, i int) ([]byte, Kind) {
		v := int64(a.Value(i))
		if v == math.MaxInt64 || v == -math.MaxInt64 { // DuckDB's infinities, whatever the unit
			return appendInfinity(dst, v > 0), Text
		}
		seconds, fraction := floorDiv(v, perSec)
		days, second := floorDiv(seconds, secondsPerDay)
		dst = append(appendDate(dst, days), 'T')
		dst = appendClock(dst, second)
		dst = appendFraction(dst, fraction, perSec)
		if t.TimeZone != "" {
			dst = append(dst, 'Z')
		}
		return dst, Text
	}
}

// appendTime writes a time of day; 24:00:00 is one.
func appendTime(dst []byte, v, perSec int64) []byte {
	seconds, fraction := floorDiv(v, perSec)
	return appendFraction(appendClock(dst, seconds), fraction, perSec)
}

func appendClock(dst []byte, second int64) []byte {
	dst = append(appendPadded(dst, second/3600, 10), ':')
	dst = append(appendPadded(dst, second/60%60, 10), ':')
	return appendPadded(dst, second%60, 10)
}

// appendFraction writes as many digits as needed, none for zero.
func appendFraction(dst []byte, fraction, perSec int64) []byte {
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.')
	for fraction != 0 {
		perSec /= 10
		dst = append(dst, byte('0'+fraction/perSec))
		fraction %= perSec
	}
	return dst
}

// appendDate writes the date that is days after 1970-01-01 in the proleptic
// Gregorian calendar. It counts in eras of 400 years that start in March, so that
// the leap day is the last day of a year.
func appendDate(dst []byte, days int64) []byte {
	const (
		epochDays    = 719_468 // from 0000-03-01 to 1970-01-01
		daysPerEra   = 146_097
		yearsPerEra  = 400
		daysIn5Month = 153 // March to July, and August to December
	)
	era, day := floorDiv(days+epochDays, daysPerEra)
	year := (day - day/1_460 + day/36_524 - day/146_096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / daysIn5Month // 0 is March
	day -= (daysIn5Month*month + 2) / 5
	year += era * yearsPerEra
	month += 3
	if month > 12 {
		month -= 12
		year++
	}
	switch {
	case year < 0:
		dst = appendPadded(append(dst, '-'), -year, 100_000)
	case year > 9999:
		dst = appendPadded(append(dst, '+'), year, 100_000)
	default:
		dst = appendPadded(dst, year, 1_000)
	}
	dst = appendPadded(append(dst, '-'), month, 10)
	return appendPadded(append(dst, '-'), day+1, 10)
}

// appendPadded fills v with zeros to as many digits as full has, a power of ten.
func appendPadded(dst []byte, v, full int64) []byte {
	for ; v < full && full > 1; full /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, v, 10)
}

func appendInfinity(dst []byte, positive bool) []byte {
	if !positive {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// floorDiv rounds towards minus infinity; the remainder is never negative.
func floorDiv(v, by int64) (quotient, remainder int64) {
	quotient, remainder = v/by, v%by
	if remainder < 0 {
		quotient--
		remainder += by
	}
	return quotient, remainder
}

package trino

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// appender adds the next value of a page to a column.
type appender func(s *scanner) error

var errValue = errors.New("the value does not fit the type of its column")

// appenderOf returns what fills a builder.
func appenderOf(b array.Builder) appender {
	value := valueOf(b)
	return func(s *scanner) error {
		if s.b[s.i] == 'n' && s.word("null") {
			b.AppendNull()
			return nil
		}
		return value(s)
	}
}

func valueOf(b array.Builder) appender {
	switch b := b.(type) {
	case *array.Int64Builder:
		return func(s *scanner) error {
			n, err := s.integer()
			b.Append(n)
			return err
		}
	case *array.Int32Builder:
		return integers(math.MinInt32, math.MaxInt32, func(n int64) { b.Append(int32(n)) })
	case *array.Int16Builder:
		return integers(math.MinInt16, math.MaxInt16, func(n int64) { b.Append(int16(n)) })
	case *array.Int8Builder:
		return integers(math.MinInt8, math.MaxInt8, func(n int64) { b.Append(int8(n)) })
	case *array.Float64Builder:
		return floats(64, b.Append)
	case *array.Float32Builder:
		return floats(32, func(f float64) { b.Append(float32(f)) })
	case *array.BooleanBuilder:
		return func(s *scanner) error {
			yes := s.word("true")
			if !yes && !s.word("false") {
				return errValue
			}
			b.Append(yes)
			return nil
		}
	case *array.ListBuilder:
		of := appenderOf(b.ValueBuilder())
		return func(s *scanner) error {
			b.Append(true)
			return s.each(func(int) error { s.peek(); return of(s) })
		}
	case *array.MapBuilder:
		return entries(b)
	case *array.StructBuilder:
		return members(b)
	}
	return spelt(b)
}

func integers(low, high int64, add func(int64)) appender {
	return func(s *scanner) error {
		n, err := s.integer()
		if err == nil && (n < low || n > high) {
			err = errValue
		}
		add(n)
		return err
	}
}

func floats(width int, add func(float64)) appender {
	return func(s *scanner) error {
		var digits []byte
		var err error
		if s.peek() == '"' { // NaN, Infinity
			digits, err = s.text()
		} else {
			digits = s.number()
		}
		if err != nil {
			return err
		}
		f, err := strconv.ParseFloat(string(digits), width)
		add(f)
		return err
	}
}

// members fills a struct from a list of its values.
func members(b *array.StructBuilder) appender {
	fields := make([]appender, b.NumField())
	for i := range fields {
		fields[i] = appenderOf(b.FieldBuilder(i))
	}
	return func(s *scanner) error {
		b.Append(true)
		return s.row(fields)
	}
}

// entries fills a map from an object, whose keys are texts.
func entries(b *array.MapBuilder) appender {
	key, value := valueOf(b.KeyBuilder()), appenderOf(b.ItemBuilder())
	texts, _ := b.KeyBuilder().(*array.StringBuilder)
	return func(s *scanner) error {
		b.Append(true)
		return s.fields(func(name []byte) error {
			if texts != nil {
				texts.BinaryBuilder.Append(name)
			} else {
				of := &scanner{b: append(append([]byte{}, name...), 0)}
				if isText(b.KeyBuilder()) {
					of.b = append(append([]byte{'"'}, name...), '"', 0)
				}
				if err := key(of); err != nil {
					return err
				}
			}
			s.peek()
			return value(s)
		})
	}
}

// isText reports whether the values of a builder travel as texts.
func isText(b array.Builder) bool {
	switch b.Type().ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.FLOAT32, arrow.FLOAT64, arrow.BOOL:
		return false
	}
	return true
}

// row reads the values of a row, one for each appender.
func (s *scanner) row(fields []appender) error {
	n := 0
	err := s.each(func(i int) error {
		if n++; i >= len(fields) {
			return errJSON
		}
		s.peek()
		return fields[i](s)
	})
	if err == nil && n != len(fields) {
		err = errJSON
	}
	return err
}

// spelt fills builders whose values travel as texts.
func spelt(b array.Builder) appender {
	var parse func(v []byte) error
	switch b := b.(type) {
	case *array.StringBuilder:
		parse = func(v []byte) error { b.BinaryBuilder.Append(v); return nil }
	case *array.BinaryBuilder:
		var room []byte
		parse = func(v []byte) (err error) {
			room, err = base64.StdEncoding.AppendDecode(room[:0], v)
			b.Append(room)
			return err
		}
	case *array.FixedSizeBinaryBuilder:
		parse = func(v []byte) error {
			raw, err := hex.DecodeString(strings.ReplaceAll(string(v), "-", ""))
			if err != nil || len(raw) != 16 {
				return errValue
			}
			b.Append(raw)
			return nil
		}
	case *array.Decimal128Builder:
		scale := int(b.Type().(*arrow.Decimal128Type).Scale)
		parse = func(v []byte) error {
			n, ok := decimal(v, scale)
			b.Append(n)
			return misfit(ok)
		}
	case *array.Date32Builder:
		parse = func(v []byte) error {
			day, rest, ok := days(v)
			b.Append(arrow.Date32(day))
			return misfit(ok && len(rest) == 0 && day == int64(int32(day)))
		}
	case *array.Time64Builder:
		parse = func(v []byte) error {
			n, ok := clock(v, 6)
			b.Append(arrow.Time64(n))
			return misfit(ok)
		}
	case *array.TimestampBuilder:
		digits := map[arrow.TimeUnit]int{arrow.Microsecond: 6, arrow.Nanosecond: 9}[b.Type().(*arrow.TimestampType).Unit]
		parse = func(v []byte) error {
			n, ok := moment(v, digits)
			b.Append(arrow.Timestamp(n))
			return misfit(ok)
		}
	}
	return func(s *scanner) error {
		v, err := s.text()
		if err != nil || parse == nil {
			return errValue
		}
		return parse(v)
	}
}

func misfit(fits bool) error {
	if !fits {
		return errValue
	}
	return nil
}

// decimal reads digits with exactly scale of them behind the point.
func decimal(v []byte, scale int) (n decimal128.Num, ok bool) {
	negative := len(v) > 0 && v[0] == '-'
	if negative {
		v = v[1:]
	}
	var high, low uint64
	point := -1
	for i, c := range v {
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c < '0' || c > '9' || high > math.MaxUint64/20 {
			return n, false
		}
		over, l := bits.Mul64(low, 10)
		var carry uint64
		low, carry = bits.Add64(l, uint64(c-'0'), 0)
		high = high*10 + over + carry
	}
	behind := 0
	if point >= 0 {
		behind = len(v) - point - 1
	}
	n = decimal128.New(int64(high), low)
	if negative {
		n = n.Negate()
	}
	return n, behind == scale && len(v) > 0 && high <= math.MaxInt64
}

// two reads two digits.
func two(v []byte) (n int64, ok bool) {
	if len(v) < 2 || v[0] < '0' || v[0] > '9' || v[1] < '0' || v[1] > '9' {
		return 0, false
	}
	return int64(v[0]-'0')*10 + int64(v[1]-'0'), true
}

// days reads a date of the proleptic calendar as days since 1970, and returns what
// follows it.
func days(v []byte) (n int64, rest []byte, ok bool) {
	i := 0
	negative := len(v) > 0 && v[0] == '-'
	if negative || len(v) > 0 && v[0] == '+' {
		i++
	}
	year, from := int64(0), i
	for ; i < len(v) && v[i] >= '0' && v[i] <= '9' && i < 12; i++ {
		year = year*10 + int64(v[i]-'0')
	}
	if i == from || len(v) < i+6 || v[i] != '-' || v[i+3] != '-' {
		return 0, nil, false
	}
	month, ok1 := two(v[i+1:])
	day, ok2 := two(v[i+4:])
	if !ok1 || !ok2 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, nil, false
	}
	if negative {
		year = -year
	}
	// Years begin with March, so that the leap day is the last.
	if month -= 3; month < 0 {
		month, year = month+12, year-1
	}
	era := year / 400
	if year < 0 {
		era = (year - 399) / 400
	}
	of := year - era*400
	return era*146097 + of*365 + of/4 - of/100 + (153*month+2)/5 + day - 1 - 719468, v[i+6:], true
}

// clock reads a time of a day, in units of so many digits behind the second.
func clock(v []byte, digits int) (n int64, ok bool) {
	if len(v) < 8 || v[2] != ':' || v[5] != ':' {
		return 0, false
	}
	h, ok1 := two(v)
	m, ok2 := two(v[3:])
	s, ok3 := two(v[6:])
	n = h*3600 + m*60 + s
	fraction := v[8:]
	if len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) > digits+1 {
			return 0, false
		}
		fraction = fraction[1:]
	}
	for i := range digits {
		n *= 10
		if i < len(fraction) {
			if fraction[i] < '0' || fraction[i] > '9' {
				return 0, false
			}
			n += int64(fraction[i] - '0')
		}
	}
	return n, ok1 && ok2 && ok3 && h < 24 && m < 60 && s < 60
}

// moment reads a date and a time, in units of so many digits behind the second.
func moment(v []byte, digits int) (n int64, ok bool) {
	day, rest, ok := days(v)
	if !ok || len(rest) == 0 || rest[0] != ' ' {
		return 0, false
	}
	time, ok := clock(rest[1:], digits)
	unit := int64(86_400_000_000)
	if digits == 9 {
		unit *= 1000
	}
	over, low := bits.Mul64(uint64(max(day, -day)), uint64(unit))
	if over != 0 || low > math.MaxInt64-uint64(unit) {
		return 0, false
	}
	return day*unit + time, ok
}

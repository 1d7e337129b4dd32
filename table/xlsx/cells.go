package xlsx

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
)

const (
	maxText   = 32767 // UTF-16 units that a cell can contain
	maxDigits = 15    // digits that a spreadsheet keeps
)

// column writes the values of one column.
type column struct {
	index int
	kind  columnKind
	style int
	unit  arrow.TimeUnit
	zoned bool
	arr   arrow.Array
	text  *arrowjson.Column
	raw   []byte // reused for each text
}

type columnKind uint8

const (
	kindText  columnKind = iota
	kindExact            // integers and decimals, by their digits
	kindFloat
	kindBool
	kindDate
	kindTime
	kindStamp
)

// kindOf chooses how to write a column. Types of the engine without a plain Arrow
// type use the storage of another one.
func kindOf(f arrow.Field) columnKind {
	t := f.Type
	if x, ok := t.(arrow.ExtensionType); ok {
		t = x.StorageType()
	}
	number := arrowjson.Numeric(f)
	switch t.ID() {
	case arrow.BOOL:
		return kindBool
	case arrow.INT8:
		if !number {
			return kindBool // arrow.bool8
		}
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return kindFloat
	case arrow.DATE32:
		return kindDate
	case arrow.TIME64, arrow.TIME32:
		return kindTime
	case arrow.TIMESTAMP:
		return kindStamp
	}
	if number {
		return kindExact
	}
	return kindText
}

// notes count, by column, the values that a workbook cannot represent exactly.
type notes struct {
	longNumber, longText, oddFloat, oddDate, micros, zone map[int]int
}

func (n *notes) count(m *map[int]int, col int) {
	if *m == nil {
		*m = map[int]int{}
	}
	(*m)[col]++
}

// warnings describes the counts, each kind once for all columns.
func (n *notes) warnings(names []string) []string {
	var out []string
	for _, w := range []struct {
		m              map[int]int
		one, many, why string
	}{
		{n.longNumber, "number of more than 15 digits is", "numbers of more than 15 digits are", "written as text, since spreadsheets would round them"},
		{n.longText, "text is", "texts are", "cut at 32,767 characters, the most that a cell holds"},
		{n.oddFloat, "value that is NaN or infinite is", "values that are NaN or infinite are", "written as text"},
		{n.oddDate, "date before 1900 or after 9999 is", "dates before 1900 or after 9999 are", "written as text, since spreadsheets don't know them"},
		{n.micros, "time is", "times are", "rounded to the millisecond"},
		{n.zone, "time with a zone is", "times with a zone are", "written in UTC, since a cell has none"},
	} {
		var columns []string
		total := 0
		for j, name := range names {
			if k := w.m[j]; k > 0 {
				columns, total = append(columns, name), total+k
			}
		}
		if total > 0 {
			out = append(out, fmt.Sprintf("%s: %s %s", humanize.Columns(columns), humanize.Plural(int64(total), w.one, w.many), w.why))
		}
	}
	return out
}

// appendCell appends what follows the reference of a cell, including its end tag.
// The value is not null.
func (c *column) appendCell(b []byte, i int, n *notes) []byte {
	switch c.kind {
	case kindDate, kindTime, kindStamp:
		if serial, ok := c.serial(i, n); ok {
			b = c.open(b)
			b = strconv.AppendFloat(b, serial, 'f', -1, 64)
			return append(b, "</v></c>"...)
		}
		n.count(&n.oddDate, c.index)
	case kindFloat:
		from := len(b)
		b = c.open(b)
		var k arrowjson.Kind
		if b, k = c.text.AppendText(b, i); k == arrowjson.Number {
			return append(b, "</v></c>"...)
		}
		b = b[:from]
		n.count(&n.oddFloat, c.index)
	case kindExact:
		from := len(b)
		b = c.open(b)
		at := len(b)
		b, _ = c.text.AppendText(b, i)
		if significant(b[at:]) <= maxDigits {
			return append(b, "</v></c>"...)
		}
		b = b[:from]
		n.count(&n.longNumber, c.index)
	case kindBool:
		b = append(b, `" t="b"><v>`...)
		if c.raw, _ = c.text.AppendText(c.raw[:0], i); string(c.raw) == "true" {
			return append(b, "1</v></c>"...)
		}
		return append(b, "0</v></c>"...)
	}
	b = append(b, `" t="inlineStr"><is><t xml:space="preserve">`...)
	c.raw, _ = c.text.AppendText(c.raw[:0], i)
	b, ok := appendEscaped(b, c.raw)
	if !ok {
		n.count(&n.longText, c.index)
	}
	return append(b, "</t></is></c>"...)
}

func (c *column) open(b []byte) []byte {
	if c.style > 0 {
		b = append(b, `" s="`...)
		b = strconv.AppendInt(b, int64(c.style), 10)
	}
	return append(b, `"><v>`...)
}

// significant counts the digits of a number from the first that is not zero.
func significant(s []byte) int {
	n, frac, zeros := 0, false, 0
	for _, ch := range s {
		switch {
		case ch == '.':
			frac = true
		case ch == '0' && n > 0:
			n++
			zeros++
		case ch > '0' && ch <= '9':
			n++
			zeros = 0
		}
	}
	if frac {
		n -= zeros // zeros that only fill the scale
	}
	return n
}

// serial returns the number by which spreadsheets know a date or time.
func (c *column) serial(i int, n *notes) (float64, bool) {
	switch arr := c.arr.(type) {
	case *array.Date32:
		return dateSerial(int64(arr.Value(i)))
	case *array.Time64:
		return c.micro(int64(arr.Value(i)), n) / (dayMillis * 1000), true
	case *array.Time32:
		return c.micro(int64(arr.Value(i)), n) / (dayMillis * 1000), true
	case *array.Timestamp:
		v := int64(arr.Value(i))
		per := perDay(c.unit)
		days := v / per
		rest := v % per
		if rest < 0 {
			days, rest = days-1, rest+per
		}
		day, ok := dateSerial(days)
		if !ok {
			return 0, false
		}
		if c.zoned {
			n.count(&n.zone, c.index)
		}
		return day + c.micro(rest, n)/(dayMillis*1000), true
	}
	return 0, false
}

// micro converts to microseconds, rounded to the millisecond.
func (c *column) micro(v int64, n *notes) float64 {
	perMilli := perDay(c.unit) / dayMillis
	if perMilli == 0 { // seconds
		return float64(v) * 1e6
	}
	ms := (v + perMilli/2) / perMilli
	if ms*perMilli != v {
		n.count(&n.micros, c.index)
	}
	return float64(ms) * 1000
}

func perDay(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 86400
	case arrow.Millisecond:
		return 86400e3
	case arrow.Microsecond:
		return 86400e6
	}
	return 86400e9
}

// dateSerial counts days as spreadsheets do, which assume a 29 February 1900.
func dateSerial(unixDays int64) (float64, bool) {
	d := unixDays + 25569
	if d < 61 {
		d--
	}
	return float64(d), d >= 1 && d < 2958466
}

// appendEscaped appends text to XML. Characters that XML does not allow are
// written as in spreadsheets, _x0001_. ok is false if the text had to be cut.
func appendEscaped(b, s []byte) (out []byte, ok bool) {
	units := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '&' && c != '<' && c != '>' && c != '_' {
			if units++; units > maxText {
				return b, false
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		units++
		if r > 0xffff {
			units++
		}
		if units > maxText {
			return b, false
		}
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '_' && looksHex(s[i:]):
			b = append(b, "_x005F_"...)
		case r < ' ' && r != '\n' && r != '\t', r == 0xfffe, r == 0xffff:
			b = fmt.Appendf(b, "_x%04X_", r)
		default:
			b = utf8.AppendRune(b, r)
		}
		i += n
	}
	return b, true
}

// looksHex reports whether s starts like an escape, _x0041_.
func looksHex(s []byte) bool {
	if len(s) < 7 || s[1] != 'x' || s[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return err == nil
}

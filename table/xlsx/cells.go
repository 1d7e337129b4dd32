package xlsx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
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
	raw   []byte // the text of the last cell
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

// columnOf prepares a column by its type.
func columnOf(f arrow.Field) column {
	c := column{kind: kindOf(f)}
	switch t := f.Type.(type) {
	case *arrow.TimestampType:
		c.unit, c.zoned = t.Unit, t.TimeZone != ""
	case *arrow.Time64Type:
		c.unit = t.Unit
	case *arrow.Time32Type:
		c.unit = t.Unit
	}
	return c
}

// bind points the column at the array of the next batch.
func (c *column) bind(f arrow.Field, arr arrow.Array) {
	c.arr = arr
	c.text = arrowjson.Bind(f, arr)
}

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

// Notes count, by column, the values that a workbook cannot represent exactly.
type Notes struct {
	longNumber, rounded, longText, control, oddFloat, oddDate, micros, zone map[int]int
}

func (n *Notes) count(m *map[int]int, col int) {
	if *m == nil {
		*m = map[int]int{}
	}
	(*m)[col]++
}

// Time counts what is lost of a date or time that is written from its text. known says that
// spreadsheets know it.
func (n *Notes) Time(text string, known bool, col int) {
	if !known {
		n.count(&n.oddDate, col)
		return
	}
	if strings.HasSuffix(text, "Z") {
		n.count(&n.zone, col)
	}
	if _, fraction, _ := strings.Cut(strings.TrimSuffix(text, "Z"), "."); len(fraction) > 3 && strings.Trim(fraction[3:], "0") != "" {
		n.count(&n.micros, col)
	}
}

// Caveats describes the counts, each kind once for all columns.
func (n *Notes) Caveats(names []string) (out []api.Caveat) {
	for _, w := range []struct {
		m              map[int]int
		one, many, why string
	}{
		{n.longNumber, "number of more than 15 digits is", "numbers of more than 15 digits are",
			"written as text, since spreadsheets would round them"},
		{n.rounded, "number is", "numbers are", "rounded to 15 digits, which is what spreadsheets show"},
		{n.longText, "text is", "texts are", "cut at 32,767 characters, the most that a cell holds"},
		{n.control, "text with characters that a workbook cannot hold is", "texts with characters that a workbook cannot hold are",
			"written with � in their place"},
		{n.oddFloat, "value that is NaN or infinite is", "values that are NaN or infinite are", "written as text"},
		{n.oddDate, "date before 1900 or after 9999, or time of 24:00, is", "dates before 1900 or after 9999, or times of 24:00, are",
			"written as text, since spreadsheets don't know them"},
		{n.micros, "time is", "times are", "cut to the millisecond"},
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
			out = append(out, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: columns},
				Count: &api.Count{N: int64(total), Of: "cells"},
				Text:  fmt.Sprintf("%s: %s %s", humanize.Columns(columns), humanize.Plural(int64(total), w.one, w.many), w.why)})
		}
	}
	return out
}

// cell returns what a cell holds. The value is not null.
func (c *column) cell(i int, n *Notes) any {
	c.raw = c.raw[:0]
	switch c.kind {
	case kindDate, kindTime, kindStamp:
		if serial, ok := c.serial(i, n); ok {
			return excelize.Cell{StyleID: c.style, Value: serial}
		}
		n.count(&n.oddDate, c.index)
	case kindFloat, kindExact:
		var kind arrowjson.Kind
		c.raw, kind = c.text.AppendText(c.raw, i)
		exact := c.kind == kindExact
		switch value, err := strconv.ParseFloat(string(c.raw), 64); {
		case exact && significant(c.raw) > maxDigits:
			n.count(&n.longNumber, c.index)
		case !exact && kind != arrowjson.Number || err != nil:
			n.count(&n.oddFloat, c.index)
		default:
			short, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', maxDigits, 64), 64) // excelize would cut the digits behind
			if short != value {
				n.count(&n.rounded, c.index)
			}
			return excelize.Cell{StyleID: c.style, Value: short}
		}
		return string(c.raw)
	case kindBool:
		c.raw, _ = c.text.AppendText(c.raw, i)
		return string(c.raw) == "true"
	}
	c.raw, _ = c.text.AppendText(c.raw[:0], i)
	return c.written(string(c.raw), n)
}

// written returns a text as a cell can hold it.
func (c *column) written(text string, n *Notes) string {
	if short := cut16(text, maxText); len(short) < len(text) {
		n.count(&n.longText, c.index)
		text = short
	}
	if strings.ContainsFunc(text, unwritable) {
		n.count(&n.control, c.index)
	}
	return text
}

// unwritable reports whether XML has no place for a character.
func unwritable(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff
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
func (c *column) serial(i int, n *Notes) (float64, bool) {
	switch arr := c.arr.(type) {
	case *array.Date32:
		return dateSerial(int64(arr.Value(i)))
	case *array.Time64:
		part := c.micro(int64(arr.Value(i)), n) / (dayMillis * 1000)
		return part, part < 1 // 24:00 would be shown as 00:00
	case *array.Time32:
		part := c.micro(int64(arr.Value(i)), n) / (dayMillis * 1000)
		return part, part < 1
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

// micro converts to microseconds, cut to the millisecond: a rounded one could be of the
// next day or year.
func (c *column) micro(v int64, n *Notes) float64 {
	perMilli := perDay(c.unit) / dayMillis
	if perMilli == 0 { // seconds
		return float64(v) * 1e6
	}
	ms := v / perMilli
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

package xlsx

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const dayMillis = 24 * 60 * 60 * 1000

// appendNumber appends the text of a number cell with the given style; never is set if the
// style is one of dates or times, and the number is not a valid one.
func (w *Workbook) appendNumber(dst, raw []byte, st style) (out []byte, never bool) {
	if st != plain {
		if v, err := strconv.ParseFloat(string(raw), 64); err == nil {
			if out, ok := w.appendTime(dst, v, st); ok {
				return out, false
			}
			never = true
		}
	}
	return appendPlain(dst, raw), never
}

// appendPlain writes a number without an exponent where possible, and without the
// rounding noise of binary fractions, which spreadsheets do not show.
func appendPlain(dst, raw []byte) []byte {
	digits, odd := 0, false
	for _, c := range raw {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == 'e' || c == 'E':
			odd = true
		case c != '.' && c != '-':
			odd = odd || c != '+'
		}
	}
	if !odd && (digits <= 15 || digits <= 21 && bytes.IndexByte(raw, '.') < 0) { // whole numbers of programs that know more digits
		return append(dst, raw...)
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		return append(dst, raw...)
	}
	short := strconv.AppendFloat(nil, v, 'e', 14, 64)
	if mant, _, ok := bytes.Cut(short, []byte{'e'}); ok {
		mant = bytes.TrimRight(mant, "0")
		if len(mant) <= 14 { // twelve digits or fewer: the rest was noise
			if v2, err := strconv.ParseFloat(string(short), 64); err == nil {
				v = v2
			}
		}
	}
	if a := math.Abs(v); a != 0 && (a >= 1e21 || a < 1e-7) {
		return strconv.AppendFloat(dst, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

// appendTime adds a serial number as an ISO date, time or timestamp; ok is
// false if no date has that number.
func (w *Workbook) appendTime(dst []byte, v float64, st style) (out []byte, ok bool) {
	if v < 0 && st == duration && v > -2958466 {
		return w.appendTime(append(dst, '-'), -v, st)
	}
	if v < 0 || v >= 2958466 || math.IsNaN(v) { // 10000-01-01
		return dst, false
	}
	days := math.Floor(v)
	millis := int64(math.Round((v - days) * dayMillis))
	if millis == dayMillis {
		days, millis = days+1, 0
	}
	if st == duration || st == clock && days > 0 && w.isDuration(days) {
		return appendDuration(dst, int64(days)*dayMillis+millis), true
	}
	if st == clock || days == 0 && !w.Dates1904 && millis > 0 {
		return time.UnixMilli(millis).UTC().AppendFormat(dst, clockLayout(millis)), true
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case days == 60 && !w.Dates1904: // a 29th of February 1900, which there was not
		return dst, false
	case w.Dates1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	t := epoch.AddDate(0, 0, int(days)).Add(time.Duration(millis) * time.Millisecond)
	if millis == 0 {
		return t.AppendFormat(dst, time.DateOnly), true
	}
	return t.AppendFormat(dst, "2006-01-02T"+clockLayout(millis)), true
}

// isNever reports whether an ISO date is of a day that the calendar lacks.
func isNever(iso []byte) bool {
	_, err := time.Parse(time.DateOnly, string(iso[:min(len(iso), len(time.DateOnly))]))
	return err != nil && len(iso) >= len(time.DateOnly) && iso[4] == '-' && iso[7] == '-'
}

// appendISO adds a date that is written as text, rounded to the millisecond like those
// that are numbers: programs write the noise of binary fractions into them.
func appendISO(dst, raw []byte) []byte {
	day, rest, _ := strings.Cut(string(raw), "T")
	if i := strings.IndexByte(rest, '.'); i < 0 || strings.Trim(rest[i+1:], "0123456789") != "" {
		return append(dst, raw...)
	}
	// A time alone begins with T.
	layout := "2006-01-02T15:04:05"
	if day == "" {
		layout = "T15:04:05"
	}
	at, err := time.Parse(layout, string(raw[:min(len(raw), len(layout)+10)])) // to the nanosecond
	if err != nil {
		return append(dst, raw...)
	}
	at = at.Round(time.Millisecond)
	if day != "" {
		dst = at.AppendFormat(dst, "2006-01-02T")
	}
	return at.AppendFormat(dst, clockLayout(int64(at.Nanosecond()/1e6)))
}

func clockLayout(millis int64) string {
	if millis%1000 != 0 {
		return "15:04:05.000"
	}
	return time.TimeOnly
}

// isDuration reports whether a value shown as a time of day is too large to be
// one, and too small to be a date that shows only its time.
func (w *Workbook) isDuration(days float64) bool { return days < 1000 }

func appendDuration(dst []byte, millis int64) []byte {
	secs := millis / 1000
	dst = strconv.AppendInt(dst, secs/3600, 10)
	for _, v := range []int64{secs / 60 % 60, secs % 60} {
		dst = append(dst, ':', byte('0'+v/10), byte('0'+v%10))
	}
	if millis %= 1000; millis != 0 {
		dst = fmt.Appendf(dst, ".%03d", millis)
	}
	return dst
}

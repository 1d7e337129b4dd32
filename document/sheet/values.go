package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

const (
	maxText    = 32_767 // maximum UTF-16 units of a cell
	maxFormula = 8_192  // characters
	maxDigits  = 15     // significant digits that programs keep of a number
)

// put sets the content of a cell: null, true or false, a number, or a text. A
// text stays a text, whatever it begins with.
func (b *Book) put(e *edit, prefix string, value any, tell func(api.Caveat)) error {
	e.sets, e.content, e.kind, e.number = true, nil, "", ""
	tagged := func(name, inner string) []byte {
		return []byte("<" + prefix + name + ">" + inner + "</" + prefix + name + ">")
	}
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		e.kind, e.content = "b", tagged("v", flag(v))
		return nil
	case json.Number:
		if significant(v.String()) > maxDigits && !isFloat(v.String()) {
			tell(api.Caveat{Kind: api.CaveatNarrowed, Count: &api.Count{N: 1, Of: "cells"},
				Text: fmt.Sprintf("numbers of more than %d digits are written as text, since spreadsheets would round them", maxDigits)})
			return b.put(e, prefix, v.String(), tell)
		}
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return ooxml.Invalid("Give it as a text.", "%s is too large for a number of a spreadsheet", v)
		}
		e.content = tagged("v", v.String())
		return nil
	case float64:
		return b.put(e, prefix, json.Number(strconv.FormatFloat(v, 'g', -1, 64)), tell)
	case int:
		return b.put(e, prefix, json.Number(strconv.Itoa(v)), tell)
	case string:
		if n := len(utf16.Encode([]rune(v))); n > maxText {
			return ooxml.Invalid("Divide it among several cells.", "a text has %d characters: a cell holds %d", n, maxText)
		}
		if err := ooxml.CheckText("a text", v); err != nil {
			return err
		}
		e.kind = "inlineStr"
		e.content = tagged("is", string(bytes.Replace(tagged("t", escaped(v)), []byte("t>"), []byte(`t xml:space="preserve">`), 1)))
		return nil
	}
	return ooxml.Invalid("", "a cell holds a text, a number, true, false or null, not %T", value)
}

// escaped escapes the text of a cell. Text that looks like the escape of a
// character, such as _x000A_, must not be read as one.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '_' && len(s) > i+6 && s[i+1] == 'x' && s[i+6] == '_' {
			if _, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
				b.WriteString("_x005F")
			}
		}
		b.WriteByte(s[i])
	}
	return ooxml.Escape(b.String())
}

// isFloat reports whether a number has a fraction or an exponent and is the shortest
// form of a binary float, so that spreadsheets keep it as it is.
func isFloat(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || !strings.ContainsAny(s, ".eE") {
		return false
	}
	digits := func(s string) string {
		s, _, _ = strings.Cut(strings.ToLower(s), "e")
		return strings.Trim(strings.NewReplacer(".", "", "-", "", "+", "").Replace(s), "0")
	}
	return digits(s) == digits(strconv.FormatFloat(f, 'e', -1, 64))
}

// significant counts the digits of a number from the first that is not zero to the
// last that is not.
func significant(s string) int {
	digits := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.SplitN(strings.ToLower(s), "e", 2)[0]), "0")
	return len(strings.TrimRight(digits, "0"))
}

// putFormula sets the formula of a cell. Its value is unknown until it is
// calculated.
func (b *Book) putFormula(e *edit, prefix, formula string) error {
	formula = strings.TrimPrefix(strings.TrimSpace(formula), "=")
	if err := ooxml.CheckText("the formula", formula); err != nil {
		return err
	}
	program := startsProgram(formula)
	switch {
	case formula == "":
		return ooxml.Invalid("", "the formula is empty")
	case len(formula) > maxFormula:
		return ooxml.Invalid("", "the formula is longer than %d characters", maxFormula)
	case program != "":
		return ooxml.Invalid("Write the values themselves.", "the formula has %s, which starts another program", program)
	}
	if err := checkFormula(formula); err != nil {
		return err
	}
	e.sets, e.kind, e.number = true, "", ""
	e.content = []byte("<" + prefix + "f>" + ooxml.Escape(storedFormula(formula)) + "</" + prefix + "f>")
	return nil
}

// layouts are the forms in which dates and times are given.
func layouts() []string {
	return []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339,
		time.TimeOnly, "15:04"}
}

// putDate writes a date or time, so that programs can calculate with it.
func (b *Book) putDate(e *edit, prefix string, value any) error {
	text, ok := value.(string)
	if !ok {
		return ooxml.Invalid("Give it as 2024-03-01 or 2024-03-01T12:30:00.", "%v is not a date", value)
	}
	for _, layout := range layouts() {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		e.sets, e.kind, e.number = true, "", "yyyy-mm-dd"
		switch {
		case t.Year() == 0:
			e.number = "hh:mm:ss"
		case layout != time.DateOnly:
			e.number = "yyyy-mm-dd hh:mm:ss"
		}
		serial, err := b.serial(t)
		if err != nil {
			return err
		}
		e.content = []byte("<" + prefix + "v>" + strconv.FormatFloat(serial, 'f', -1, 64) + "</" + prefix + "v>")
		return nil
	}
	return ooxml.Invalid("Give it as 2024-03-01 or 2024-03-01T12:30:00.", "%q is not a date", text)
}

// serial converts a time to days in the workbook's date system. The wall clock
// time is kept, because cells have no time zones.
func (b *Book) serial(t time.Time) (float64, error) {
	seconds := float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond()/1e6)/1e3
	if t.Year() == 0 {
		return seconds / 86400, nil
	}
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	first, days := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC), 0
	if v := b.root.Find("s:workbookPr").Attr("date1904"); v == "1" || v == "true" {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if day.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) {
		days = -1 // programs believe in a 29 February 1900
	}
	days += int((day.Unix() - first.Unix()) / (24 * 60 * 60)) // a time.Duration ends after 292 years
	if days < 1 || t.Year() > 9999 {
		return 0, ooxml.Invalid("Write it as a text.", "spreadsheets do not know the date %s", t.Format(time.DateOnly))
	}
	return float64(days) + seconds/86400, nil
}

// isDate reports whether a number format shows dates or times.
func isDate(code string) bool {
	quoted := false
	for _, r := range strings.ToLower(code) {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted && strings.ContainsRune("ydhs", r):
			return code != "General" && !strings.Contains(strings.ToLower(code), "red")
		}
	}
	return false
}

// key returns the change that a format makes, as text.
func (f Format) key() string {
	f.Width = 0
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Sprint(f)
	}
	return string(text)
}

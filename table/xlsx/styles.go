package xlsx

import (
	"strconv"
	"strings"
)

// style says what a number with a cell format means.
type style uint8

const (
	plain    style = iota
	dated          // a date, or with a fraction a timestamp
	clock          // a time of day
	duration       // hours that can exceed a day
)

// readStyles learns which cell formats show dates.
func (w *Workbook) readStyles(part string) error {
	custom := map[int]style{}
	inXfs := false
	return w.walk(part, func(s *scanner) error {
		switch {
		case s.is(tokenStart, "numFmt"):
			id, err := strconv.Atoi(string(s.attr("numFmtId")))
			if err == nil {
				custom[id] = styleOf(string(appendUnescaped(nil, s.attr("formatCode"))))
			}
		case s.is(tokenStart, "cellXfs"):
			inXfs = !s.selfClose
		case s.is(tokenEnd, "cellXfs"):
			inXfs = false
		case s.is(tokenStart, "xf") && inXfs && len(w.styles) < 1<<20:
			id, err := strconv.Atoi(string(s.attr("numFmtId")))
			if err != nil {
				id = 0
			}
			st, ok := custom[id]
			if !ok {
				st = builtin(id)
			}
			w.styles = append(w.styles, st)
		}
		return nil
	})
}

// builtin returns the style of a number format that every workbook has.
func builtin(id int) style {
	switch {
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 58:
		return dated
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47:
		return clock
	case id == 46:
		return duration
	}
	return plain
}

// styleOf parses a number format. It ignores quoted text, escaped characters,
// colours and conditions in brackets, but not [h].
func styleOf(code string) style {
	day, hour, elapsed := false, false, false
	code, _, _ = strings.Cut(code, ";")
	lower := strings.ToLower(code)
	if strings.Contains(lower, "general") {
		return plain
	}
	for i := 0; i < len(lower); i++ {
		switch c := lower[i]; c {
		case '\\', '_', '*':
			i++
		case '"':
			j := strings.IndexByte(lower[i+1:], '"')
			if j < 0 {
				i = len(lower)
			} else {
				i += j + 1
			}
		case '[':
			j := strings.IndexByte(lower[i:], ']')
			if j < 0 {
				j = len(lower) - i - 1
			}
			in := strings.Trim(lower[i:i+j+1], "[]")
			elapsed = elapsed || in != "" && strings.Trim(in, "hms") == ""
			i += j
		case 'd', 'y':
			day = true
		case 'h', 's':
			hour = true
		case 'm':
			// m means minutes next to hours or seconds, otherwise months.
			if !strings.ContainsAny(lower, "hs") {
				day = true
			}
		case '0', '#', '?':
			if !day && !hour && !elapsed {
				return plain
			}
		}
	}
	switch {
	case elapsed:
		return duration
	case day:
		return dated
	case hour:
		return clock
	}
	return plain
}

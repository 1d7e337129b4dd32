package dialect

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// hasHeader weighs, column by column, whether the first record names the
// columns or is data like the rest. doubt says that it may be the other as well.
func hasHeader(rows []record, n int, preceded bool) (header, doubt bool) {
	head, data := rows[0].cells, rows[1:]
	if !slices.ContainsFunc(data, func(rec record) bool { return filled(rec) > 0 }) {
		for _, c := range head {
			if l := infer.LookAt(c.text); l == infer.LooksNumber || l == infer.LooksDate {
				return false, false
			}
		}
		return true, false
	}
	groups, below := groupsOfNames(rows, n)
	if groups {
		return true, false
	}
	score := 0.0
	if preceded {
		score += 0.5
	}
	if len(data) > 200 {
		data = data[:200]
	}
	seen, values := map[string]bool{}, unlikeHead(data, rows[0]) // a repeated header is not data
	dates, texts := differentDates(head), true
	again, overValues, misfit := 0, false, false // texts that return below themselves, and a text above values
	for j, c := range head {
		if j >= n {
			break
		}
		name := strings.ToLower(strings.TrimSpace(string(c.text)))
		if name != "" && seen[name] {
			score -= 0.4
		}
		seen[name] = true
		cells := column(values, j, n)
		here := vote(c, cells, j, dates)
		score += here
		overValues = overValues || here == 1 && infer.LookAt(c.text) == infer.LooksText
		misfit = misfit || unlikeValues(c.text, cells)
		if slices.ContainsFunc(cells, func(below cell) bool { return string(below.text) == string(c.text) }) {
			again++
		}
		texts = texts && !slices.ContainsFunc(cells, func(c cell) bool {
			look := infer.LookAt(c.text)
			return look > infer.LooksMissing && look < infer.LooksText
		})
	}
	chance := overValues && again > 1 && len(data) <= 2 // few values are their columns' names
	if chance {
		score += 0.8 * float64(again-1)
	}
	if n <= 2 && keyed(head[0].text, data, n) {
		score -= float64(n)
	}
	sure, may := labels(head, values, n)
	if sure || numberedNames(head, values, n) {
		score += 1.2 * float64(len(head)) // what a number above numbers counts against it
	}
	weak := n > 1 && texts && !named(rows[0]) && score < 0.5
	if weak && slices.ContainsFunc(rows, func(rec record) bool { return len(rec.cells) != len(head) }) {
		return false, true
	}
	return score >= 0, may || chance || weak && score >= 0 || score < 0 && (overValues || below || misfit || unlikeBelow(head, values, n))
}

// groupsOfNames reports whether the first record has names for groups of columns, which
// may be numbers such as years, and the second one the names of columns of values. may
// says that the second one names columns, whatever is above it.
func groupsOfNames(rows []record, n int) (sure, may bool) {
	if len(rows) < 4 {
		return false, false
	}
	typed := typedColumns(rows[2:], n)
	may = canName(rows[1], typed)
	return count(typed) > 1 && (may && twoAlike(rows[0].cells) || namesToo(rows[1], typed) && groupsAbove(rows[0].cells, rows[1].cells)), may
}

// twoAlike reports whether a cell says the same as the one before it.
func twoAlike(cells []cell) bool {
	for j := range cells[1:] {
		if text := cells[j].text; len(text) > 0 && bytes.Equal(text, cells[j+1].text) {
			return true
		}
	}
	return false
}

// unlikeValues reports whether a text is a known name, a date or a boolean, and nothing
// below it is, or stands above codes and has no digit.
func unlikeValues(text []byte, cells []cell) bool {
	kind := func(text []byte) infer.Look {
		if look := infer.LookAt(text); look == infer.LooksDate || look == infer.LooksBool {
			return look
		}
		if knownWord(text) > 0 {
			return infer.LooksText
		}
		return infer.LooksEmpty
	}
	code := func(c cell) bool { return infer.LookAt(c.text) == infer.LooksText && hasDigit(c.text) }
	if len(cells) > 2 && len(text) > 0 && !hasDigit(text) && !slices.ContainsFunc(cells, func(c cell) bool { return !code(c) }) {
		return true
	}
	k := kind(text)
	return k != infer.LooksEmpty && len(cells) > 1 && !slices.ContainsFunc(cells, func(c cell) bool { return kind(c.text) == k })
}

// differentDates reports whether a record has two dates, times or booleans that
// differ: as names, they stand above other values.
func differentDates(cells []cell) bool {
	first := ""
	for _, c := range cells {
		if look := infer.LookAt(c.text); look != infer.LooksDate && look != infer.LooksBool {
			continue
		}
		if text := string(c.text); first == "" {
			first = text
		} else if text != first {
			return true
		}
	}
	return false
}

// keyed reports whether a line has a key, as in name=x or name: x, and almost all
// other lines have one, too. In a table of two columns, a key ends its cell.
func keyed(head []byte, data []record, n int) bool {
	for _, mark := range []string{"=", ":"} {
		has := func(cell []byte) bool {
			i := bytes.Index(cell, []byte(mark))
			return i > 0 && (n == 1 && (mark == "=" || bytes.HasPrefix(cell[i+1:], []byte{' '})) || n == 2 && i == len(cell)-1)
		}
		with := 0
		for _, rec := range data {
			if has(rec.cells[0].text) {
				with++
			}
		}
		if has(head) && with*10 >= 9*len(data) {
			return true
		}
	}
	return false
}

// vote weighs one column: positive for a header. dates says that the header has
// different dates.
func vote(head cell, cells []cell, j int, dates bool) float64 {
	look := infer.LookAt(head.text)
	if look == infer.LooksEmpty {
		if j == 0 {
			return 0
		}
		return -0.2
	}
	var kinds [6]int
	for _, c := range cells {
		kinds[infer.LookAt(c.text)]++
	}
	typed := kinds[infer.LooksNumber] + kinds[infer.LooksDate] + kinds[infer.LooksBool]
	text := kinds[infer.LooksText]
	switch {
	case typed+text == 0:
		return identifier(head.text)
	case look == infer.LooksNumber || look == infer.LooksDate || look == infer.LooksBool || look == infer.LooksMissing:
		if kinds[look]*2 > typed+text {
			return -1.2
		}
		if dates && kinds[look] == 0 && (look == infer.LooksDate || look == infer.LooksBool) {
			return 1
		}
		return -0.5
	case typed > 4*text:
		return 1
	case typed > text:
		return 0.5
	}
	return textVote(head, cells) + identifier(head.text)
}

// textVote compares a text cell with the text below it.
func textVote(head cell, cells []cell) float64 {
	score := 0.0
	same, length, upper, marked := 0, 0, 0, 0
	fixed := true
	for _, c := range cells {
		if string(c.text) == string(head.text) {
			same++
		}
		length += len(c.text)
		fixed = fixed && len(c.text) == len(cells[0].text)
		if shape(c.text) == shape(head.text) {
			upper++
		}
		if marks(head.text) && c.text[0] == head.text[0] && c.text[len(c.text)-1] == head.text[len(head.text)-1] {
			marked++
		}
	}
	if same > 0 {
		score -= 0.8
	}
	if fixed && len(cells) > 2 {
		if len(head.text) == len(cells[0].text) {
			score -= 0.3
		} else {
			score += 0.5
		}
	}
	if hasDigit(head.text) && knownWord(head.text) == 0 {
		score -= 0.2
	}
	mean := float64(length) / float64(max(1, len(cells)))
	if mean > 3*float64(len(head.text)) && mean > 20 {
		score += 0.4
	}
	if upper*10 < len(cells) {
		score += 0.3
	}
	if marked*10 > 9*len(cells) {
		score -= 0.5 // a value in the same marks as all others
	}
	return score
}

// marks reports whether a text starts and ends with a punctuation mark, as in
// :smile:.
func marks(t []byte) bool {
	return len(t) > 1 && isMark(t[0]) && isMark(t[len(t)-1])
}

func isMark(c byte) bool { return c > ' ' && c < 0x7f && c-'0' > 9 && (c|0x20)-'a' > 25 && c != '_' }

// shape is a rough pattern of a text: runs of kinds of characters.
func shape(t []byte) string {
	var b strings.Builder
	var last byte
	for _, c := range t {
		k := c
		switch {
		case c >= 'a' && c <= 'z':
			k = 'a'
		case c >= 'A' && c <= 'Z':
			k = 'A'
		case c-'0' <= 9:
			k = '0'
		case c >= 0x80:
			k = 'a'
		}
		if k != last {
			b.WriteByte(k)
		}
		last = k
	}
	return b.String()
}

// identifier weighs how much a text looks like a column name.
func identifier(t []byte) float64 {
	s := strings.TrimSpace(string(t))
	switch {
	case knownWord(t) > 0:
		return 0.6
	case strings.Contains(s, "_") && !strings.ContainsAny(s, " .,@") && !hasDigit(t):
		return 0.4
	case len(s) > 60:
		return -0.4
	}
	return 0
}

// named reports whether a cell of a record looks like a column name.
func named(rec record) bool {
	return slices.ContainsFunc(rec.cells, func(c cell) bool { return identifier(c.text) > 0 })
}

func hasDigit(t []byte) bool {
	return slices.ContainsFunc(t, func(c byte) bool { return c-'0' <= 9 })
}

// years reports whether the header is a sequence of at least two consecutive
// years.
func years(head []cell) bool {
	last, n := 0, 0
	for _, c := range head {
		y, err := strconv.Atoi(strings.TrimSpace(string(c.text)))
		if err != nil {
			continue
		}
		if y < 1900 || y > 2100 || last != 0 && y != last+1 && y != last-1 {
			return false
		}
		last = y
		n++
	}
	return n >= 2
}

// numberedNames reports whether the header has numbered names, such as field1
// and field2. Records may be numbered, too, if all of them have one other stem,
// as hello1 and hello2: where stems differ from record to record, the header is
// one of these records.
func numberedNames(head []cell, data []record, n int) bool {
	names, values := stem(head), ""
	for _, rec := range data {
		if len(rec.cells) != n {
			continue
		}
		s := stem(rec.cells)
		if s == names || s != "" && values != "" && s != values {
			return false
		}
		if s != "" {
			values = s
		}
	}
	return names != ""
}

// stem returns what is before the numbers of cells that count up, such as
// field1 and field2; it is empty if they do not.
func stem(cells []cell) string {
	stem, last := "", 0
	for j, c := range cells {
		text := strings.TrimSpace(string(c.text))
		name := strings.TrimRight(text, "0123456789")
		n, err := strconv.Atoi(text[len(name):])
		if err != nil || name == "" || j > 0 && (name != stem || n != last+1) {
			return ""
		}
		stem, last = name, n
	}
	if len(cells) < 2 {
		return ""
	}
	return stem
}

// anyRecord reports whether a record of the usual width is of a kind.
func anyRecord(data []record, n int, is func([]cell) bool) bool {
	return slices.ContainsFunc(data, func(rec record) bool { return len(rec.cells) == n && is(rec.cells) })
}

package delimited

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// aligner puts field marks between the columns of lines that are aligned with
// blanks, and removes the blanks around the fields.
type aligner struct {
	d       Dialect
	line    int64
	crossed Passed
}

// split rewrites one line. Blank lines and those before the table stay as they are.
func (a *aligner) split(line []byte) []byte {
	a.line++
	body := bytes.TrimRight(line, "\r\n")
	if a.line <= int64(a.d.Skip) || len(bytes.TrimSpace(body)) == 0 {
		return line
	}
	var fields [][]byte
	if a.d.Gap > 0 {
		fields = atGaps(body, a.d.Gap, a.d.Quote)
	} else {
		var crosses bool
		if fields, crosses = atCuts(body, a.d.Cuts); crosses {
			if fields = a.mend(body); len(fields) > 1 {
				a.crossed.add(a.line, body)
			}
		}
	}
	out := append(make([]byte, 0, len(line)+len(fields)), bytes.Join(fields, []byte(FieldMark))...)
	return append(out, line[len(body):]...)
}

// mend splits a line with text across the start of a column, so that no word is cut.
// If its blanks give the right number of fields, they part them. A line without wide
// gaps is a remark, and one field. Otherwise, a column starts at the nearest blank.
func (a *aligner) mend(body []byte) [][]byte {
	for _, gap := range []int{2, 1} {
		if fields := atGaps(body, gap, 0); len(fields) == len(a.d.Cuts) {
			return fields
		}
	}
	if !HasGap(body) {
		return [][]byte{bytes.TrimSpace(body)}
	}
	text := []rune(string(body))
	starts := make([]int, len(a.d.Cuts)+1)
	for i, at := range a.d.Cuts[1:] {
		if at < len(text) && at > 0 && text[at] != ' ' && text[at-1] != ' ' {
			from, to := at, at
			for from > 0 && text[from-1] != ' ' {
				from--
			}
			for to < len(text) && text[to] != ' ' {
				to++
			}
			if at-from < to-at {
				at = from
			} else {
				at = to
			}
		}
		starts[i+1] = max(starts[i], min(at, len(text)))
	}
	starts[len(a.d.Cuts)] = len(text)
	fields := make([][]byte, len(a.d.Cuts))
	for i := range fields {
		fields[i] = bytes.TrimSpace([]byte(string(text[starts[i]:starts[i+1]])))
	}
	return fields
}

// atCuts splits a line at fixed positions. crosses says that a word is on both sides
// of one.
func atCuts(body []byte, cuts []int) (fields [][]byte, crosses bool) {
	fields = make([][]byte, 0, len(cuts))
	for i, from := range cuts {
		n := len(body)
		if i+1 < len(cuts) {
			if i == 0 {
				from = 0 // text to the left of the first column belongs to it
			}
			n = bytesOfRunes(body, cuts[i+1]-from)
			crosses = crosses || n > 0 && n < len(body) && body[n-1] != ' ' && body[n] != ' '
		}
		fields = append(fields, bytes.TrimSpace(body[:n]))
		body = body[n:]
	}
	if !crosses && blank(fields[1:]) {
		return fields[:1], false // it may be a remark
	}
	return fields, crosses
}

func blank(fields [][]byte) bool {
	return !slices.ContainsFunc(fields, func(f []byte) bool { return len(f) > 0 })
}

// atGaps splits a line at runs of at least gap blanks. A field in quotes can have
// blanks inside.
func atGaps(body []byte, gap int, quote byte) (fields [][]byte) {
	rest := bytes.TrimSpace(body)
	for {
		end, next := len(rest), len(rest)
		from := quotedEnd(rest, quote)
		for i := from; i < len(rest); i++ {
			if rest[i] != ' ' {
				continue
			}
			to := blanks(rest, i)
			if to-i >= gap {
				end, next = i, to
				break
			}
			i = to
		}
		fields = append(fields, rest[:end])
		if next == len(rest) {
			return fields
		}
		rest = rest[next:]
	}
}

// quotedEnd returns the end of a field in quotes at the start of a line; 0 if there
// is none.
func quotedEnd(line []byte, quote byte) int {
	if quote == 0 || line[0] != quote {
		return 0
	}
	for i := 1; i < len(line); i++ {
		if line[i] == quote && (i+1 == len(line) || line[i+1] == ' ') {
			return i + 1
		}
	}
	return 0
}

// HasGap reports whether a line has two or more blanks between words.
func HasGap(line []byte) bool {
	return bytes.Contains(bytes.TrimSpace(line), []byte("  "))
}

// bytesOfRunes returns how many bytes the first n characters of s take.
func bytesOfRunes(s []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

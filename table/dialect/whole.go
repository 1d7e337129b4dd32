package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// halves reports whether this dialect splits the values of one column: the header
// is one field, and every other line as a whole is one number, date or telephone
// number, such as 1,5 and 1 234.
func (r *reading) halves() bool {
	d := r.d.Delimiter
	if d != "," && d != " " || len(r.rows) < 2 {
		return false
	}
	head := r.rows[0]
	if len(head.cells) != 1 || head.cells[0].quoted || r.rows[1].line != head.line+1 {
		return false
	}
	proven := d == ","
	for _, rec := range r.rows[1:] {
		parts := make([][]byte, len(rec.cells))
		for j, c := range rec.cells {
			if c.quoted {
				return false
			}
			parts[j] = c.text
		}
		line := bytes.Join(parts, []byte(d))
		look := infer.LookAt(line)
		if look != infer.LooksNumber && look != infer.LooksDate && !isPhone(line) {
			return false
		}
		proven = proven || look == infer.LooksDate || !threes(line)
	}
	return proven
}

// threes reports whether a line is groups of three digits, which can be several
// numbers or one.
func threes(line []byte) bool {
	for _, group := range strings.Fields(string(line)) {
		if len(group) != 3 || strings.Trim(group, "0123456789") != "" {
			return false
		}
	}
	return true
}

// isPhone reports whether a line is an international telephone number.
func isPhone(line []byte) bool {
	return len(line) > 7 && line[0] == '+' && strings.Trim(string(line), "+0123456789 ()-") == ""
}

// allDates reports whether every record except the first is one date or time, so
// that the blank inside it is not a delimiter. A comma that also occurs in the
// first line is a delimiter, not the decimal mark of seconds.
func (r *reading) allDates() bool {
	if r.mended > 0 || r.cutByHeader() {
		return false
	}
	for _, rec := range r.rows[min(1, len(r.rows)-1):] {
		if len(rec.cells) != 1 || infer.LookAt(rec.cells[0].text) != infer.LooksDate {
			return false
		}
	}
	return true
}

// cutByHeader reports whether the first record has a usual delimiter, and so has
// another.
func (r *reading) cutByHeader() bool {
	for _, d := range []byte(",;\t|") {
		has := func(rec record) bool { return bytes.IndexByte(rec.cells[0].text, d) >= 0 }
		if has(r.rows[0]) && slices.ContainsFunc(r.rows[1:], has) {
			return true
		}
	}
	return false
}

// unsplit returns a usual delimiter that the first record of a single column has, and
// nine of ten others, comments aside. A quoted field may have it.
func (r *reading) unsplit() string {
	if r.n != 1 {
		return ""
	}
	for _, d := range []string{";", "\t", "|", ","} {
		have, all := 0, 0
		for _, rec := range r.rows {
			if r.commentLike(rec) || filled(rec) == 0 {
				continue
			}
			all++
			if c := rec.cells[0]; !c.quoted && bytes.Contains(c.text, []byte(d)) {
				have++
			} else if all == 1 {
				break
			}
		}
		if have > 1 && have*10 >= all*9 {
			return d
		}
	}
	return ""
}

// quotesMatter reports whether apostrophes enclose fields and do not just occur
// in a few of them: some contain a delimiter, or most texts of a column have
// them.
func (r *reading) quotesMatter() bool {
	var quoted, bare []int
	for _, rec := range r.rows {
		for j, c := range rec.cells {
			if j == len(quoted) {
				quoted, bare = append(quoted, 0), append(bare, 0)
			}
			switch {
			case c.quoted && !rec.odd && bytes.IndexByte(c.text, '\'') > 0: // doubled in the text
				return true
			case c.quoted && (len(c.text) == 0 || r.d.Delimiter != "" && bytes.Contains(c.text, []byte(r.d.Delimiter))):
				return true
			case c.quoted:
				quoted[j]++
			case infer.LookAt(c.text) == infer.LooksText:
				bare[j]++
			}
		}
	}
	for j, n := range quoted {
		if n > 1 && n >= bare[j] {
			return true
		}
	}
	return false
}

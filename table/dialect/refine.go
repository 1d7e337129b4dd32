package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

// refine decides what the choice of delimiter and quote leaves open.
func (r *reading) refine(sample []byte) {
	r.d.Columns = 0
	if r.n > 1 {
		r.d.Columns = r.n
	} else {
		r.d.KeepBlank = true
	}
	again := false
	if r.ruled() {
		r.d.Rulers = true
		*r = *r.reread(sample)
	}
	if p := r.commentPrefix(); p != "" {
		r.d.Comment, again = p, true
	}
	if r.padded() {
		r.d.TrimSpace, again = true, true
	}
	if again || r.d.KeepBlank {
		*r = *r.reread(sample)
	}
}

// reread parses the sample again with more knowledge.
func (r *reading) reread(sample []byte) *reading {
	out := read(sample, r.d)
	out.score, out.n, out.header, out.guessed = r.score, max(1, r.d.Columns), r.header, r.guessed
	return out
}

// ruled reports whether a line near the start is drawn, like those around the
// header of a table formatted for reading. Below data, dashes may mean missing
// values.
func (r *reading) ruled() bool {
	for i, rec := range r.rows[:min(20, len(r.rows))] {
		if i > 0 && hasTyped(r.rows[i-1]) {
			return false
		}
		cells := make([][]byte, len(rec.cells))
		for j, c := range rec.cells {
			cells[j] = c.text
			if c.quoted {
				return false
			}
		}
		if delimited.IsRuler(bytes.Join(cells, []byte{' '}), "") {
			return true
		}
	}
	return false
}

// commentPrefix finds the prefix of lines that are not records: several of them
// in the sample, or one before the table, all with a wrong number of fields.
func (r *reading) commentPrefix() string {
	for _, p := range []string{"#", "//", "%", "--", "!", ";"} {
		if p == r.d.Delimiter {
			continue
		}
		wrong, right, spaced := 0, 0, 0
		for _, rec := range r.rows {
			c := rec.cells[0]
			if c.quoted || !bytes.HasPrefix(c.text, []byte(p)) {
				continue
			}
			if bytes.HasPrefix(c.text, []byte(p+" ")) {
				spaced++
			}
			if len(rec.cells) == r.n {
				right++
			} else {
				wrong++
			}
		}
		switch {
		case wrong == 0 && (p != "#" || spaced == 0):
		case r.n == 1 && (p != "#" || right > len(r.rows)/2):
		case wrong > right, p == "#" && spaced == wrong+right && r.dataBeside(p):
			return p
		}
	}
	return ""
}

// dataBeside reports whether most records don't start with p.
func (r *reading) dataBeside(p string) bool {
	n := 0
	for _, rec := range r.rows {
		if bytes.HasPrefix(rec.cells[0].text, []byte(p)) {
			n++
		}
	}
	return n*2 < len(r.rows) && !r.headerBehind(p)
}

// headerBehind reports whether the first line is the only such line and names the
// columns, as in "# id,name".
func (r *reading) headerBehind(p string) bool {
	if len(r.rows) < 2 || len(r.rows[0].cells) != r.n || r.n == 1 {
		return false
	}
	for i, rec := range r.rows {
		if has := bytes.HasPrefix(rec.cells[0].text, []byte(p)); has != (i == 0) {
			return false
		}
	}
	return !slices.ContainsFunc(r.rows[0].cells, func(c cell) bool { return infer.LookAt(c.text) != infer.LooksText })
}

// padded reports whether blanks next to delimiters belong to them.
func (r *reading) padded() bool {
	if r.n < 2 || strings.TrimSpace(r.d.Delimiter) == "" {
		return false
	}
	blank, all, hidden := 0, 0, 0
	for _, rec := range r.rows {
		for j, c := range rec.cells {
			if j == 0 || c.quoted || len(c.text) == 0 {
				continue
			}
			all++
			if c.text[0] == ' ' {
				blank++
				t := bytes.TrimLeft(c.text, " ")
				if r.d.Quote != 0 && len(t) > 0 && t[0] == r.d.Quote {
					hidden++
				}
			}
		}
	}
	return all > 0 && (hidden > 0 && hidden*2 >= blank || blank*10 >= all*9)
}

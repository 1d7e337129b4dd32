package dialect

import (
	"bytes"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

const (
	maxName      = 100 // bytes of a name that is not a sentence
	maxTitles    = 20  // records above a header to examine
	steadyEnough = 0.9 // share of records whose number of fields needs no header to back it
)

// anchor finds a header that determines the number of fields if the records do
// not, because many of them are short or long. It returns the header's line and
// how well the records fit it.
func (r *reading) anchor() (line int64, n int, fit float64) {
	if !strings.Contains(",;\t|", r.d.Delimiter) && (r.d.Delimiter != " " || !r.quotesProve()) || r.d.Delimiter == "" {
		return 0, 0, 0
	}
	at := 0
	for at < len(r.rows) && at < maxTitles && (len(r.rows[at].cells) == 1 || r.commentLike(r.rows[at])) {
		at++
	}
	if at+2 >= len(r.rows) || !namesColumns(r.rows[at]) {
		return 0, 0, 0
	}
	n = len(r.rows[at].cells)
	credit, short := 1.0, false
	for _, rec := range r.rows[at+1:] {
		k := len(rec.cells)
		short = short || k < n
		switch {
		case k == n:
			credit++
		case k == 1:
			credit += 0.3
		case k < n:
			credit += 0.85
		default:
			credit += 0.75
		}
	}
	if !anyTyped(r.rows[at+1:], n) && (short || !r.hinted || !named(r.rows[at])) {
		return 0, 0, 0
	}
	return r.rows[at].line, n, 0.9 * credit / float64(len(r.rows)-at) // no proof, as even records are
}

// namesColumns reports whether a record can only be a header: short texts, at
// least two of them different.
func namesColumns(rec record) bool {
	different := map[string]bool{}
	for _, c := range rec.cells {
		name := bytes.TrimSpace(c.text)
		if len(name) == 0 {
			continue
		}
		if infer.LookAt(name) != infer.LooksText || len(name) > maxName || len(bytes.Fields(name)) > 4 {
			return false
		}
		different[strings.ToLower(string(name))] = true
	}
	return len(different) > 1
}

// anyTyped reports whether some column consists almost entirely of numbers and
// dates, unlike lines of prose.
func anyTyped(data []record, n int) bool {
	for j := range n {
		typed, text := 0, 0
		for _, rec := range data {
			if j >= len(rec.cells) || len(rec.cells) == 1 {
				continue
			}
			switch infer.LookAt(rec.cells[j].text) {
			case infer.LooksNumber, infer.LooksDate, infer.LooksBool:
				typed++
			case infer.LooksText:
				text++
			}
		}
		if typed > 1 && typed > 4*text {
			return true
		}
	}
	return false
}

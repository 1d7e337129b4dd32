package dialect

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// rate scores the parsed sample: the share of records with the usual number of
// fields, times how recognisable and uniform the cells are.
func (r *reading) rate(prior float64) {
	counts, proven := map[int]int{}, map[int]float64{}
	total := 0
	for _, rec := range r.rows {
		if r.commentLike(rec) {
			continue
		}
		counts[len(rec.cells)]++
		proven[len(rec.cells)]++
		if rec.odd {
			proven[len(rec.cells)] -= 0.6
		}
		total++
	}
	if total == 0 {
		return
	}
	weight := -1.0
	for n, k := range proven {
		w := k * (1 - 0.5/float64(n))
		if n == 1 {
			w = k * 0.3 // titles and remarks are lines of one field
		}
		if w > weight || w == weight && n > r.n {
			r.n, weight = n, w
		}
	}
	fit := float64(counts[r.n]) / float64(r.body(total))
	fit = min(fit, 1)
	if fit < steadyEnough {
		if line, n, f := r.anchor(); f > fit {
			r.header, r.n, fit = line, n, f
		}
	}
	regular := fit * fit
	mended := 1 - 0.5*float64(r.mended)/float64(total)
	if r.n == 1 {
		r.score = 0.25 * r.recognised() * mended * prior
		if r.allQuoted() || r.allDates() {
			r.score *= 3
		}
		return
	}
	shape := 1 - 1/float64(r.n)
	shape = math.Pow(shape, 0.5)
	r.score = regular * shape * r.recognised() * mended * prior
	if r.halves() {
		r.score *= 0.3
	}
	if r.underOneName() {
		r.score *= 0.2
	}
}

// underOneName reports whether the records are values of a single column that the
// first line names: times, ratios, addresses and texts that contain the
// delimiter. If it were a one-word title, a header would follow.
func (r *reading) underOneName() bool {
	if len(r.rows) < 2 || len(r.rows[0].cells) != 1 || r.rows[1].line != r.rows[0].line+1 {
		return false
	}
	name := r.rows[0].cells[0].text
	if infer.LookAt(name) != infer.LooksText || len(bytes.Fields(name)) != 1 || r.quotesProve() {
		return false
	}
	for _, rec := range r.rows[1:] {
		if len(rec.cells) == 1 || r.d.Delimiter == "," && !bytes.HasPrefix(rec.cells[1].text, []byte(" ")) {
			return false
		}
	}
	if r.d.Delimiter == " " && !hasText(r.rows[1:]) {
		return false // blanks between numbers are more often columns than groups of digits
	}
	return !strings.Contains(",;|\t", r.d.Delimiter) || !namesColumns(r.rows[1]) || !anyTyped(r.rows[2:], r.n)
}

func hasText(rows []record) bool {
	return slices.ContainsFunc(rows, func(r record) bool {
		return slices.ContainsFunc(r.cells, func(c cell) bool { return infer.LookAt(c.text) == infer.LooksText })
	})
}

// allQuoted reports whether every record, the first aside, is one quoted field.
func (r *reading) allQuoted() bool {
	for _, rec := range r.rows[min(1, len(r.rows)-1):] {
		if len(rec.cells) != 1 || !rec.cells[0].quoted {
			return false
		}
	}
	return r.mended == 0
}

// quotesProve reports whether quotes confirm the delimiter: a third of the fields
// have quotes, or some quoted fields contain the delimiter.
func (r *reading) quotesProve() bool {
	quoted, needed, all := 0, 0, 0
	for _, rec := range r.rows {
		for _, c := range rec.cells {
			if all++; !c.quoted {
				continue
			}
			if quoted++; bytes.Contains(c.text, []byte(r.d.Delimiter)) {
				needed++
			}
		}
	}
	return quoted*3 >= all || needed > 1
}

// body is the number of records from the first to the last with the usual number
// of fields. Text before and after, such as titles and remarks, counts for
// little.
func (r *reading) body(total int) float64 {
	first, last := -1, 0
	for i, rec := range r.rows {
		if len(rec.cells) == r.n {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	inside := 0
	for _, rec := range r.rows[max(first, 0) : last+1] {
		if !r.commentLike(rec) {
			inside++
		}
	}
	outside := max(0, total-inside)
	light := min(outside, max(inside, 2))
	if inside == 1 && r.n == 2 {
		light = 0 // a comma in a text does not make it a table
	}
	return float64(inside) + 0.15*float64(light) + float64(outside-light)
}

// recognised is the average of how much the cells look like typical table
// contents, with a bonus for columns of one kind.
func (r *reading) recognised() float64 {
	const most = 300 // records to examine
	step := max(1, len(r.rows)/most)
	kinds := make([][6]float64, r.n)
	sum, cells := 0.0, 0.0
	from := 0
	if len(r.rows) > 2 {
		from = 1 // the header says nothing about its column
	}
	for i := from; i < len(r.rows); i += step {
		rec := r.rows[i]
		if len(rec.cells) != r.n && (r.header == 0 || len(rec.cells) == 1) {
			continue
		}
		for j, c := range rec.cells[:min(r.n, len(rec.cells))] {
			look := infer.LookAt(c.text)
			kinds[j][look]++
			sum += r.plausible(c, look)
			cells++
		}
	}
	if cells == 0 {
		return 0
	}
	pure, typed := 0.0, false
	for _, k := range kinds {
		typed = typed || 2*(k[infer.LooksNumber]+k[infer.LooksDate]+k[infer.LooksBool]) > cells/float64(r.n)
		most, all := 0.0, 0.0
		for look, n := range k {
			if infer.Look(look) != infer.LooksEmpty && infer.Look(look) != infer.LooksMissing {
				most = max(most, n)
				all += n
			}
		}
		if all == 0 {
			pure += 0.5
		} else {
			pure += most / all
		}
	}
	score := sum / cells * (0.7 + 0.3*pure/float64(r.n))
	if len(r.d.Delimiter) == 1 && bytes.Contains([]byte(" :/*=#&"), []byte(r.d.Delimiter)) && !typed && !(r.even() && r.quotesProve()) {
		score *= 0.3 // prose has blanks and colons, too
	}
	return score
}

// plausible rates one cell between 0 and 1.
func (r *reading) plausible(c cell, look infer.Look) float64 {
	switch look {
	case infer.LooksEmpty:
		return 0.6
	case infer.LooksMissing:
		return 0.8
	case infer.LooksNumber, infer.LooksDate, infer.LooksBool:
		return 1
	}
	t := c.text
	score := 0.9
	if c.quoted {
		// Quotes can contain anything.
		score = 0.95
	} else {
		if i := bytes.IndexByte(t, '"'); i >= 0 {
			score -= 0.35
			if bytes.Count(t, []byte{'"'})%2 != 0 && (i == 0 || i == len(t)-1) {
				score -= 0.3 // half of a quoted field
			}
		}
		if len(t) > 1 && (t[0] == '\'' || t[len(t)-1] == '\'') && t[0] != t[len(t)-1] {
			score -= 0.2
		}
		if len(t) > 1 && t[0] == '\'' && t[len(t)-1] == '\'' {
			score -= 0.3
		}
		for _, d := range []byte("\t;|,") {
			if n := bytes.Count(t, []byte{d}); n > 0 {
				score -= []float64{0.6, 0.2, 0.3, 0.1}[bytes.IndexByte([]byte("\t;|,"), d)]
				if n > 2 {
					score -= 0.1
				}
			}
		}
	}
	if r.d.Escape == 0 && bytes.Contains(t, []byte(`\"`)) {
		score -= 0.3
	}
	if len(t) > 0 && bytes.IndexByte(t, '\\') == len(t)-1 && !c.quoted {
		score -= 0.3
	}
	if len(t) > 200 {
		score -= 0.1
	}
	return max(score, 0.05)
}

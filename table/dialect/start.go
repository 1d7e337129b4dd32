package dialect

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// result finds the table in the sample and its header. directive is the number of
// lines at the start that say how to read the others.
func (r *reading) result(sample []byte, o Options, directive int) Result {
	res := Result{Dialect: r.d, Confidence: min(1, r.score*1.1), Line: 1 + int64(r.d.Skip), Guessed: r.guessed}
	if len(r.rows) == 0 {
		return res
	}
	if o.Delimiter == "" {
		res.Unsplit = r.unsplit()
	}
	start := 0
	if o.HeaderLine == 0 {
		start = r.start()
		if r.header == 0 && r.n > 1 {
			start += describingRows(r.rows[start:], r.n)
		}
	}
	rows := ofOneTable(r.rows[start:], r.n)
	res.Line = rows[0].line
	res.preamble(sample, directive)
	res.Skip = int(res.Line) - 1
	switch {
	case o.HeaderLine > 0 || o.Header != nil:
		res.Header = o.HeaderLine > 0 || *o.Header
	case r.header > 0:
		res.Header = true
	default:
		res.Header, res.Doubt = hasHeader(rows, r.n, r.preceded(start))
	}
	if res.Header {
		res.HeaderRows = 1
		if o.HeaderLine == 0 {
			res.HeaderRows = headerRows(rows, r.n)
			res.Rival = rivalHeader(rows, res.HeaderRows, r.n)
		}
		res.Names = r.names(rows, res.HeaderRows)
		if r.n > 1 && repeats(rows, res.HeaderRows) {
			res.Heads = res.HeaderRows
		}
	}
	return res
}

// preceded reports whether lines of another kind come before the table, which
// speaks for a header: people put titles over it.
func (r *reading) preceded(start int) bool { return start > 0 }

// start returns the index of the table's first record: the first of two
// consecutive records with the usual number of fields, or the header before it
// with one field more or fewer.
func (r *reading) start() int {
	if r.n <= 1 {
		return 0
	}
	if r.header > 0 {
		if i := slices.IndexFunc(r.rows, func(rec record) bool { return rec.line == r.header }); i >= 0 {
			return i
		}
	}
	i := 0
	for i < len(r.rows) && !(len(r.rows[i].cells) == r.n && r.steady(i)) {
		i++
	}
	if i == len(r.rows) {
		return 0
	}
	at, width := r.tableBefore(i)
	switch {
	case width > 0:
		r.n, r.d.Columns = width, width
	case r.isOffHeader(i - 1):
		return i - 1
	default:
		at = i
	}
	if before := r.recordsBefore(at); before < at {
		if r.isOffHeader(before - 1) {
			return before - 1
		}
		return before
	}
	if width > 0 {
		return at
	}
	return i + r.titles(i)
}

// titles counts the records from i on that are titles, padded to the table's
// width: only their first field is filled. They end at a well-filled record.
func (r *reading) titles(i int) int {
	if r.n < 3 {
		return titleOfTwo(r.rows[i:])
	}
	left, pairs := r.left(i), false // pairs are names with values
	for k, rec := range r.rows[i:min(i+20, len(r.rows))] {
		n := filled(rec)
		switch {
		case n*2 > r.n-left && n > 1:
			if pairs && hasTyped(rec) {
				return 0 // no header: the records before it are sparse data
			}
			return k
		case n == 0:
		case n == 2 && r.n-left > 4 && left+1 < len(rec.cells) && len(rec.cells[left].text) > 0 && len(rec.cells[left+1].text) > 0:
			pairs = true
		case n > 1 || left >= len(rec.cells) || len(rec.cells[left].text) == 0 || infer.LookAt(rec.cells[left].text) != infer.LooksText:
			return 0
		}
	}
	return 0
}

// left counts the columns left of the table in which no record from i on has
// anything.
func (r *reading) left(i int) int {
	left := r.n
	for _, rec := range r.rows[i:] {
		for j, c := range rec.cells[:min(left, len(rec.cells))] {
			if len(c.text) > 0 {
				left = j
				break
			}
		}
	}
	return left
}

// steady reports whether the records behind i mostly have as many fields.
func (r *reading) steady(i int) bool {
	rest := r.rows[i+1:]
	if len(rest) > 5 {
		rest = rest[:5]
	}
	same := 0
	for _, rec := range rest {
		if len(rec.cells) == r.n {
			same++
		}
	}
	return len(rest) == 0 || len(rest[0].cells) == r.n || same*2 >= len(rest)
}

// isOffHeader reports whether record i, whose width differs from the table's, is
// its header: all its cells are text, and what follows is not.
func (r *reading) isOffHeader(i int) bool {
	if i < 0 {
		return false
	}
	rec := r.rows[i]
	if k := len(rec.cells); k < 2 || k < r.n-2 && k*2 < r.n || k > r.n+2 && k > 2*r.n {
		return false
	}
	for _, c := range rec.cells[:len(rec.cells)-1] {
		if look := infer.LookAt(c.text); look != infer.LooksText && look != infer.LooksEmpty {
			return false
		}
	}
	if filled(rec) < 2 {
		return false
	}
	first := r.rows[i+1]
	if r.d.Delimiter == " " && first.line > rec.line+1 {
		return false // a title of several words
	}
	if len(rec.cells) == 2 && r.n > 3 {
		return false
	}
	return allText(first) == 0 || hasTyped(first) || rec.line+1 == first.line && i == 0
}

func allText(rec record) int {
	n := 0
	for _, c := range rec.cells {
		if infer.LookAt(c.text) == infer.LooksText {
			n++
		}
	}
	return n
}

// names returns the names in the first k records, adapted to the table's width.
func (r *reading) names(rows []record, k int) []string {
	out := joinNames(rows[:k])
	if name := strings.TrimSpace(strings.TrimPrefix(out[0], "#")); name != "" && r.headerBehind("#") {
		out[0] = name
	}
	switch surplus := len(out) - r.n; {
	case k == 1 && surplus < 0:
		if surplus == -1 && r.rowNames(rows[0], rows[1:]) {
			return append([]string{""}, out...)
		}
		return append(out, make([]string, -surplus)...)
	case k == 1 && surplus > 0 && r.header == 0:
		if named := slices.DeleteFunc(slices.Clone(out), func(s string) bool { return s == "" }); len(named) == r.n {
			return named
		}
	}
	return out
}

// rowNames reports whether the header lacks a name for the first column because
// that has row names, as R writes them, and not for the last column.
func (r *reading) rowNames(head record, rows []record) bool {
	if strings.EqualFold(string(head.cells[0].text), "id") || agrees(head.cells, rows, 0, r.n) > agrees(head.cells, rows, 1, r.n) {
		return false
	}
	seen := map[string]bool{}
	filled := false
	for i, rec := range rows {
		if len(rec.cells) != r.n {
			continue
		}
		first := rec.cells[0]
		k := string(first.text)
		if k == "" || seen[k] || first.quoted && !head.cells[0].quoted {
			return false
		}
		if !first.quoted && infer.LookAt([]byte(k)) != infer.LooksText && k != strconv.Itoa(i+1) && k != strconv.Itoa(i) {
			return false
		}
		seen[k] = true
		filled = filled || len(rec.cells[r.n-1].text) > 0
	}
	return filled && len(seen) > 0
}

// preamble sets the lines before the table.
func (r *Result) preamble(sample []byte, directive int) {
	const most = 50 // lines to keep
	lines := linesBefore(sample, r.Line, directive)
	r.Before, r.Preamble = len(lines), lines[:min(len(lines), most)]
}

// linesBefore returns the lines that are not blank between the directive and the table.
func linesBefore(sample []byte, line int64, from int) []string {
	var out []string
	for n := int64(1); n < line && len(sample) > 0; n++ {
		i := bytes.IndexAny(sample, "\r\n")
		if i < 0 {
			break
		}
		text := string(sample[:i])
		if sample[i] == '\r' && i+1 < len(sample) && sample[i+1] == '\n' {
			i++
		}
		sample = sample[i+1:]
		if n > int64(from) && strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
	}
	return out
}

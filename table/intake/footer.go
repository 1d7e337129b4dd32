package intake

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/infer"
)

// What can follow a table without belonging to it.
const (
	maxPending = 20       // records
	maxRemark  = 64 << 10 // bytes of each
)

// maxHeads is how many lines below the title of another table its header begins.
const maxHeads = 3

// pendingRow is a batch with one record that may be a remark after the table, a
// total, or just another record.
type pendingRow struct {
	batch *delimited.Batch
	gap   bool // a blank line precedes it, or it has only empty fields
}

func pend(b *delimited.Batch, i int, gap bool) pendingRow {
	out := &delimited.Batch{}
	out.ResetAt(b.First+int64(i), b.Line(i))
	for _, f := range b.Record(i) {
		out.Append(b.Bytes(f), f.Quoted())
	}
	out.EndRecord(b.Line(i))
	return pendingRow{out, gap}
}

// texts returns the fields of the record.
func (p pendingRow) texts() []string { return p.batch.Strings(0) }

// notBehind forgets the repeated headers behind a line.
func (p *Problems) notBehind(line int64, repeats []int64) {
	for _, at := range repeats {
		if at > line {
			p.Repeats--
		}
	}
	p.Places = slices.DeleteFunc(p.Places, func(at Problem) bool { return at.Kind == Repeat && at.Line > line })
}

// filled returns the fields of the record that are not empty.
func (p pendingRow) filled() []string {
	return slices.DeleteFunc(p.texts(), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// flush takes the pending records for data after all.
func (e *evidence) flush() {
	if e.another = e.begun(); e.another != nil {
		e.pending = nil
		return
	}
	for _, p := range e.pending {
		e.take(p.batch, 0)
	}
	e.pending = e.pending[:0]
}

// begun returns where the pending records begin another table; nil if they do not.
func (e *evidence) begun() *Problem {
	if e.another != nil || len(e.pending) == 0 || !e.pending[0].gap || e.whole {
		return e.another
	}
	title := e.pending[0].batch.Line(0)
	if slices.ContainsFunc(e.repeats, func(line int64) bool { return line > title && line <= title+maxHeads }) &&
		len(e.pending[0].filled()) == 1 {
		e.problems.notBehind(title, e.repeats)
		return &Problem{Line: title + 1, Text: strings.Join(e.pending[0].filled(), "")}
	}
	var rows [][]string
	for _, p := range e.pending {
		rows = append(rows, p.texts())
	}
	valued := make([]bool, len(e.cols))
	for j, c := range e.cols {
		valued[j] = !c.HoldsText()
	}
	names, ok := dialect.Another(rows, e.start, valued)
	if !ok {
		return nil
	}
	return &Problem{Line: e.pending[names].batch.Line(0), Text: strings.TrimSpace(strings.Join(rows[0], " "))}
}

// finish decides about the pending records and returns the remarks among them.
func (e *evidence) finish() (footer []string) {
	if e.another = e.begun(); e.another == nil && len(e.pending) > 0 && e.remarks() {
		for _, p := range e.pending {
			text := strings.Trim(strings.Join(p.texts(), " "), " ")
			if text != "" {
				footer = append(footer, text)
			}
		}
		e.pending = nil
	}
	e.flush()
	e.sums = e.totals.told()
	return footer
}

// remarks reports whether the pending records, if they are the last ones of the
// file, are not part of the table: a single sentence; or, after a blank line,
// lines of text in one field, lines of odd lengths, or totals.
func (e *evidence) remarks() bool {
	first := e.pending[0]
	if e.n > 2 && slices.ContainsFunc(e.pending, e.fits) {
		return false
	}
	if cells := first.texts(); len(cells) == 1 && len(e.pending) == 1 && cells[0] != "" && strings.Trim(cells[0], "\x00") == "" {
		return true // a block that a crash left unwritten
	}
	if cells := first.texts(); len(cells) == 1 && infer.LookAt([]byte(cells[0])) == infer.LooksText {
		return first.gap || !e.sheet && e.n > 2 && remark(cells[0])
	}
	if !first.gap {
		return false
	}
	var widths []int
	lone, words, sparse, filled := true, true, e.first > 0, 0
	var head string
	for _, p := range e.pending {
		cells := p.texts()
		n := 0
		for _, c := range cells {
			if strings.TrimSpace(c) == "" {
				continue
			}
			if n++; n > 1 {
				continue
			}
			if filled == 0 {
				head = c
			}
			words = words && infer.LookAt([]byte(c)) == infer.LooksText
		}
		if n == 0 {
			continue
		}
		filled++
		sparse = sparse && n*2 < e.n
		widths = append(widths, len(cells))
		lone = lone && n == 1 && infer.LookAt([]byte(cells[0])) == infer.LooksText
	}
	switch {
	case filled == 0:
		return false
	case lone && e.n > 2, words && sparse && strings.Contains(head, " "): // aligned with the columns by chance
		return true
	}
	return words && remark(head) && e.oddLengths(widths) || filled <= 3 && isSum(head)
}

// fits reports whether a record is one of the table: it has a value in every column,
// and the table has columns that are not text, which have no text in the record.
func (e *evidence) fits(p pendingRow) bool {
	cells := p.texts()
	if len(cells) != e.n || isSum(cells[0]) {
		return false
	}
	typed := 0
	for j, c := range cells {
		look := infer.LookAt([]byte(c))
		if look == infer.LooksEmpty || look == infer.LooksText && !e.cols[j].HoldsText() {
			return false
		}
		if look != infer.LooksText && !e.cols[j].HoldsText() {
			typed++
		}
	}
	return typed > 0
}

// oddLengths reports whether lines with these numbers of fields are prose that
// contains delimiters: none is as wide as the table, and no two consecutive ones
// are the same, as in another table.
func (e *evidence) oddLengths(widths []int) bool {
	for i, w := range widths {
		if w == e.n || i > 0 && w > 1 && w == widths[i-1] {
			return false
		}
	}
	return true
}

// isSum reports whether a record starts with a word for a sum and nothing else.
func isSum(s string) bool {
	_, exact := sumWord([]byte(s))
	return exact
}

func isBlankOrColon(r rune) bool { return unicode.IsSpace(r) || r == ':' }

// sumWords are what people and spreadsheets call a row of sums.
var sumWords = []string{
	"total", "totals", "grand total", "sum", "subtotal", "sub-total", "σ",
	"summe", "gesamt", "insgesamt", "zwischensumme", "gesamtsumme", "endsumme", "gesamtergebnis", "ergebnis", "teilergebnis",
	"somme", "sous-total", "totale", "totaal", "totalt", "totaux", "totali", "totales", "subtotaal",
	"celkem", "součet", "mezisoučet", "celkový součet", "spolu", "súčet", "suma", "razem", "ogółem", "összesen", "végösszeg",
	"zusammen", "ensemble", "yhteensä", "итого", "всего", "合计", "総計", "合計", "計", "총계",
}

// remark reports whether a lone field is a sentence rather than a value.
func remark(s string) bool {
	if infer.LookAt([]byte(s)) != infer.LooksText {
		return false
	}
	return strings.ContainsAny(strings.TrimSpace(s), " :") || strings.Trim(s, "-=*_") == ""
}

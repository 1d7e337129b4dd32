package receipt

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/numerals"
)

const months = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`

// figure matches dates, times of day and numbers in a text: each is one figure.
// Numbers are digits, optionally in groups, optionally with a fraction.
var figure = lazyregexp.New(`[0-9]{4}-[0-9]{2}(?:-[0-9]{2}\b)?\b|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}\b` +
	`|[0-9]{1,2} ` + months + `(?: [0-9]{4}\b)?|` + months + ` [0-9]{1,2},? [0-9]{4}\b|` + months + ` [0-9]{1,4}\b` +
	`|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b` +
	`|[0-9]+[.,][0-9]{4,}` + // no groups
	`|[0-9]{1,3}(?:[.,\x{00a0}\x{202f} '][0-9]{3})+(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)?`)

// silent matches what states no figure: Markdown's blocks and spans of code, which
// hold statements and names; addresses; the numbers of items of lists, headings and
// rows. A block of code that is not closed goes to the end.
var silent = lazyregexp.New("(?s)(?m:^) *```.*?(?:\n *```|\\z)|`[^`\n]+`|https?://[^\\s)]+|(?m:^)[ \t>#*|]*[0-9]{1,3}(?:[.)](?:[ \t*]|$)| *\\|)")

// dateForms are the forms of dates in answers, beside those in which ISO 8601
// writes a day and a month.
var dateForms = []struct{ in, out string }{
	{"2.1.2006", time.DateOnly}, {"2 January 2006", time.DateOnly}, {"January 2, 2006", time.DateOnly}, {"January 2 2006", time.DateOnly},
	{"January 2006", "2006-01"}, {"2 January", "-01-02"}, {"January 2", "-01-02"},
}

// maxFigures bounds the figures of a receipt.
const maxFigures = 200

// figuresIn returns the figures that a text states, and whether each is a
// percentage or stands before a word such as million.
func figuresIn(text string) (found []stated) {
	whole := splitMoments(text)
	text = silent().ReplaceAllStringFunc(whole, func(s string) string { return strings.Repeat(" ", len(s)) })
	for _, at := range figure().FindAllStringIndex(text, -1) {
		if s := text[at[0]:at[1]]; len(found) < maxFigures && !partOfName(text[:at[0]], text[at[1]:]) {
			line, _, _ := strings.Cut(whole[at[0]:], "\n")
			line = whole[strings.LastIndexByte(whole[:at[0]], '\n')+1:at[0]] + line
			found = append(found, stated{s, text[at[1]:], strings.Count(text[:at[0]], "\n"), line, around(whole, at[0])})
		}
	}
	return found
}

// partOfName reports whether a figure between two texts belongs to a name, as in
// col_1, UTF-8, 3rd or 2014.csv.
func partOfName(before, behind string) bool {
	last, n := utf8.DecodeLastRuneInString(before)
	if last == '-' {
		last, _ = utf8.DecodeLastRuneInString(before[:len(before)-n])
	}
	if last == '_' || last == '@' || unicode.IsLetter(last) {
		return true
	}
	for _, end := range []string{"st", "nd", "rd", "th", "_"} {
		if strings.HasPrefix(behind, end) {
			return true
		}
	}
	return len(behind) > 1 && behind[0] == '.' && behind[1] >= 'a' && behind[1] <= 'z'
}

// around returns the lines without an empty one between them that a place is in: a table
// with its head, a list with what it is of.
func around(text string, at int) string {
	behind, _, _ := strings.Cut(text[at:], "\n\n")
	return text[strings.LastIndex(text[:at], "\n\n")+1:at] + behind
}

// stated is a figure that an answer states, in a line counted from 0, which says that
// text.
type stated struct {
	text, behind string
	line         int
	said, around string
}

// holds reports whether a result contains the figure, to the precision at which it
// is written.
func (s stated) holds(e *evidence) bool {
	if date := s.date(); date != "" {
		return slices.ContainsFunc(e.dates, func(d string) bool {
			return strings.HasPrefix(d, date) || date[0] == '-' && strings.HasSuffix(d, date)
		})
	}
	if !s.isNumber() {
		return slices.ContainsFunc(e.times, func(t string) bool { return strings.HasPrefix(t, s.text) })
	}
	return slices.ContainsFunc(e.numbers, func(n number) bool { return n.proves(s) })
}

// Cell is a place in the rows that a call has answered. Row and Column count from 0.
type Cell struct {
	Call   string `json:"call"`
	Row    int    `json:"row"`
	Column int    `json:"column"`
}

// cell finds the figure in the rows of the result of a call: the first place where it
// stands, or nil.
func (s stated) cell(call string, e *evidence) *Cell {
	for row, v := range e.rows {
		values, _ := v.([]any)
		for column, value := range values {
			one := &evidence{}
			if one.addAll(value, e.place(e.rows, row, e.columns, column)); s.holds(one) {
				return &Cell{call, row, column}
			}
		}
	}
	return nil
}

// follows returns a sum, difference or quotient of two other figures of the same line
// that gives this figure; "" if none does. Only figures that are in results count: given
// says which of all are.
func (s stated) follows(all []stated, given []bool) string {
	for i, a := range all {
		for j, b := range all {
			if i == j || a.line != s.line || b.line != s.line || !given[i] || !given[j] || a.text == b.text {
				continue
			}
			x, isX := a.value()
			y, isY := b.value()
			if !isX || !isY {
				continue
			}
			switch percent := slices.Contains(numerals.Factors(s.behind), 0.01); {
			case percent && y != 0 && s.comesTo(100*x/y, 2):
				return a.text + " / " + b.text
			case percent:
			case x > y && s.comesTo(x-y, 3):
				return a.text + " - " + b.text
			case i < j && s.comesTo(x+y, 3):
				return a.text + " + " + b.text
			}
		}
	}
	return ""
}

// value is the number that the figure means. A mark that can separate groups of digits
// is taken to do so: 9,430 is nine thousand.
func (s stated) value() (x float64, ok bool) {
	readings := numerals.Readings(s.text)
	if !s.isNumber() || len(readings) == 0 {
		return 0, false
	}
	return readings[len(readings)-1].Value, true
}

func (s stated) isNumber() bool { return s.date() == "" && !strings.Contains(s.text, ":") }

// comesTo reports whether the figure is x: exactly, or rounded to at least so many
// digits, as too much rounds to fewer.
func (s stated) comesTo(x float64, least int) bool {
	return slices.ContainsFunc(numerals.Readings(s.text), func(r numerals.Reading) bool {
		return r.Holds(x, 1) && (digits(s.text) >= least || math.Abs(r.Value-x) < 1e-9*math.Abs(x))
	})
}

// date is the figure as ISO 8601 writes a day or a month; -01-02 is a day of any
// year. It is empty if the figure is no date.
func (s stated) date() string {
	if len(s.text) >= 7 && s.text[4] == '-' {
		return s.text
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form.in, s.text); err == nil {
			return t.Format(form.out)
		}
	}
	return ""
}

// Package textwidth measures and cuts text by the columns that it takes on a
// terminal. It changes nothing about what the text says: making it harmless is
// internal/words/printable's part, and comes first.
package textwidth

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// Of is how many columns of a terminal s takes: two for East Asian
// wide characters and most emoji, none for combining ones.
func Of(s string) int { return displaywidth.String(s) }

// Clip cuts s to at most width columns, ending it with mark if it was cut.
// Characters that belong together are kept or dropped together.
func Clip(s string, width int, mark string) (text string, cut bool) {
	if Of(s) <= width {
		return s, false
	}
	head, _ := Split(s, max(width-Of(mark), 0))
	return head + mark, true
}

// Split splits s after the last character that ends within width columns.
func Split(s string, width int) (head, rest string) {
	used, end := 0, 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if used += g.Width(); used > width {
			break
		}
		end += len(g.Value())
	}
	return s[:end], s[end:]
}

// Wrap splits s into lines of at most width columns, at least one character
// each, and at most most lines; the last one is cut with mark if there is more.
func Wrap(s string, width, most int, mark string) (lines []string, cut bool) {
	for len(lines) < most-1 && Of(s) > width {
		head, rest := Split(s, width)
		if head == "" { // one character wider than the line
			break
		}
		lines, s = append(lines, head), rest
	}
	last, cut := Clip(s, width, mark)
	return append(lines, last), cut
}

// Fold breaks the lines of text that are wider than width, at blanks only. What
// follows a break is indented as its line, and by indent more. A word that is
// wider than the line stays whole, so that it can be copied. width 0 means no
// limit.
func Fold(text string, width int, indent string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		begin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		used := len(begin)
		b.WriteString(begin)
		for i, word := range strings.Split(line[len(begin):], " ") {
			wide := Of(strings.TrimSuffix(word, "\n"))
			switch {
			case i == 0:
			case width > 0 && used+1+wide > width && used > len(begin):
				b.WriteString("\n" + begin + indent)
				used = len(begin) + len(indent)
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += wide
		}
	}
	return b.String()
}

// Isolate keeps a terminal that orders text by direction from pulling the
// separators and cells around right-to-left text into it: a left-to-right mark,
// which takes no space, ends the run.
func Isolate(s string) string {
	if strings.ContainsFunc(s, rightToLeft) {
		return s + "\u200e"
	}
	return s
}

func rightToLeft(r rune) bool {
	return r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
		unicode.Samaritan, unicode.Mandaic, unicode.Adlam)
}

// Package markdown draws the Markdown of models on terminals while it is written:
// headings, bold, code, lists, tables. What it does not know stays as it is.
package markdown

import (
	"io"
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/textwidth"
)

// Writer draws one text. Words appear as soon as they are whole; tables at their end.
type Writer struct {
	out   io.Writer
	width int
	color bool
	err   error

	word   string   // what has come and is not drawn
	begun  bool     // the line has words that are drawn
	col    int      // where the next word begins
	indent int      // of the lines that a long one is broken into
	blank  bool     // the last line was empty
	fenced bool     // within lines of code
	table  []string // lines of a table that goes on
	bold   bool
	code   bool
}

// New returns a Writer for a terminal of that many columns; 0 is no limit.
func New(out io.Writer, width int, color bool) *Writer {
	return &Writer{out: out, width: width, color: color, blank: true}
}

// Write draws a piece of the text.
func (w *Writer) Write(piece string) {
	for _, r := range piece {
		switch {
		case r == '\n':
			w.endLine()
		case r == ' ' && !w.drawnAtEnd():
			w.draw()
			w.word = " "
		default:
			w.word += string(r)
		}
	}
}

// Close draws what is left, and ends the last line. It returns the first error.
func (w *Writer) Close() error {
	if w.begun || w.word != "" {
		w.endLine()
	}
	w.endTable()
	return w.err
}

// drawnAtEnd reports whether the line is drawn at its end only, which its first word tells.
func (w *Writer) drawnAtEnd() bool {
	first := strings.TrimLeft(w.word, " ")
	return !w.begun && (first == "" || w.fenced || first[0] == '|' || strings.HasPrefix(first, "```") || heading().MatchString(first))
}

func (w *Writer) endLine() {
	line := w.word
	first := strings.TrimSpace(line)
	switch {
	case w.begun:
		w.draw()
		w.print("\n")
	case strings.HasPrefix(first, "```"):
		w.endTable()
		w.fenced = !w.fenced
	case w.fenced:
		w.print("    " + printable.Text(line) + "\n")
	case strings.HasPrefix(first, "|"):
		w.table = append(w.table, first)
	case heading().MatchString(first):
		w.endTable()
		if !w.blank {
			w.print("\n")
		}
		w.print(w.styled("\x1b[1m", printable.Text(strings.Trim(first, "# "))) + "\n")
	case first != "":
		w.draw()
		w.print("\n")
	default:
		w.endTable()
		w.print("\n")
	}
	w.blank = first == "" && !w.begun
	w.word, w.begun, w.col, w.indent, w.bold, w.code = "", false, 0, 0, false, false
}

// draw draws a word of a line, on the next line if it does not fit.
func (w *Writer) draw() {
	text := w.inline(w.word)
	size := textwidth.Of(bare(text))
	switch bare := strings.TrimLeft(text, " "); {
	case !w.begun:
		w.endTable()
		w.indent = len(text) - len(bare)
		if marker().MatchString(bare) {
			w.indent += len(bare) + 1
		}
	case w.width > 0 && w.col+size > w.width:
		w.print("\n" + strings.Repeat(" ", w.indent))
		w.col, size, text = w.indent, size-(len(text)-len(bare)), bare
	}
	w.print(text)
	w.begun, w.col = true, w.col+size
}

// inline styles bold text and code of a word, which may have begun in one before it.
func (w *Writer) inline(word string) string {
	if strings.TrimSpace(word) == "`" {
		return word
	}
	var b strings.Builder
	for i, part := range strings.Split(printable.Text(word), "`") {
		if i > 0 {
			w.code = !w.code
		}
		if w.code {
			b.WriteString(w.styled("\x1b[36m", part))
		} else {
			b.WriteString(w.bolded(part))
		}
	}
	return b.String()
}

// bolded replaces ** by escape sequences. A text of ** alone stays as it is.
func (w *Writer) bolded(text string) string {
	if strings.TrimSpace(text) == "**" {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "**") {
		if i > 0 {
			w.bold = !w.bold
		}
		if w.bold {
			part = w.styled("\x1b[1m", part)
		}
		b.WriteString(part)
	}
	return b.String()
}

func (w *Writer) styled(style, text string) string {
	if !w.color || text == "" {
		return text
	}
	return style + text + "\x1b[0m"
}

func (w *Writer) print(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, text)
	}
}

// endTable draws the table that has ended, its columns below each other.
func (w *Writer) endTable() {
	var rows [][]string
	var widths []int
	for _, line := range w.table {
		if rule().MatchString(line) {
			continue
		}
		var cells []string
		for i, cell := range strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00"), "|") {
			w.bold, w.code = false, false
			cell = w.inline(strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], textwidth.Of(bare(cell)))
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	for i, cells := range rows {
		var b strings.Builder
		for j, cell := range cells {
			fill := strings.Repeat(" ", widths[j]-textwidth.Of(bare(cell)))
			if number().MatchString(bare(cell)) {
				cell, fill = fill+cell, ""
			}
			if i == 0 {
				cell = w.styled("\x1b[1m", cell)
			}
			b.WriteString(cell + fill + "  ")
		}
		w.print(strings.TrimRight(b.String(), " ") + "\n")
	}
	w.table, w.bold = nil, false
}

// bare is a text without styles.
func bare(text string) string { return style().ReplaceAllString(text, "") }

var (
	heading = lazyregexp.New(`^#{1,6}( |$)`)
	marker  = lazyregexp.New(`^([-*+]|\d+[.)])$`)
	rule    = lazyregexp.New(`^[|: -]+$`)
	number  = lazyregexp.New(`^[-+]?[0-9][0-9.,]*( ?%)?$`)
	style   = lazyregexp.New("\x1b\\[[0-9]*m")
)

package output

import (
	"strings"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// style is how a table is drawn.
type style struct {
	left, gap, right    string // around and between the cells of a row
	top, middle, bottom [4]string
	ruled               bool // whether the horizontal lines are drawn
	line, bar, ellipsis string
}

// boxed is the style of results.
func boxed(ascii bool) style {
	if ascii {
		edge := [4]string{"+", "-", "+", "+"}
		return style{left: "| ", gap: " | ", right: " |", top: edge, middle: edge, bottom: edge, ruled: true,
			line: "-", bar: "|", ellipsis: "..."}
	}
	return style{left: "│ ", gap: " │ ", right: " │", ruled: true,
		top: [4]string{"┌", "─", "┬", "┐"}, middle: [4]string{"├", "─", "┼", "┤"}, bottom: [4]string{"└", "─", "┴", "┘"},
		line: "─", bar: "│", ellipsis: "…"}
}

// plain is the style of lists: only aligned columns.
func plain(ascii bool) style {
	s := boxed(ascii)
	s.left, s.gap, s.right, s.ruled = "", "  ", "", false
	return s
}

// width returns the total width of a table with these column widths.
func (s style) width(columns []int) int {
	total := textwidth.Of(s.left) + textwidth.Of(s.right) + textwidth.Of(s.gap)*(len(columns)-1)
	for _, c := range columns {
		total += c
	}
	return total
}

// rule draws a horizontal line: left end, filling, crossing, right end.
func (s style) rule(b *strings.Builder, ends [4]string, widths []int) {
	if !s.ruled {
		return
	}
	b.WriteString(ends[0])
	for j, w := range widths {
		if j > 0 {
			b.WriteString(ends[2])
		}
		b.WriteString(strings.Repeat(ends[1], w+2))
	}
	b.WriteString(ends[3])
	b.WriteByte('\n')
}

// painter adds escape sequences for terminals.
type painter struct{ color, isolate bool }

func (p painter) bold(s string) string { return p.paint("\x1b[1m", s) }
func (p painter) dim(s string) string  { return p.paint("\x1b[2m", s) }

func (p painter) paint(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return code + s + "\x1b[0m"
}

// alignment is the position of a cell's text in its column.
type alignment uint8

const (
	toLeft alignment = iota
	toRight
	ragged // to the left without padding: it is the last cell of its line
)

// cell pads and paints a value.
func (p painter) cell(c cell, width int, a alignment) string {
	pad, text := strings.Repeat(" ", max(width-textwidth.Of(c.text), 0)), c.text
	if p.isolate {
		text = textwidth.Isolate(text)
	}
	if c.null {
		text = p.dim(text)
	}
	switch a {
	case toRight:
		return pad + text
	case ragged:
		return text
	}
	return text + pad
}

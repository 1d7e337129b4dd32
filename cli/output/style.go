package output

import (
	"github.com/olekukonko/tablewriter/tw"

	"github.com/agnes-data/da/internal/words/textwidth"
)

// style is how a table is drawn.
type style struct {
	symbols             tw.Symbols
	padding             tw.Padding
	ruled               bool // whether lines are drawn
	line, bar, ellipsis string
}

// boxed is the style of results.
func boxed(ascii bool) style {
	padding := tw.Padding{Left: " ", Right: " "}
	if ascii {
		return style{symbols: tw.NewSymbols(tw.StyleASCII), padding: padding, ruled: true, line: "-", bar: "|", ellipsis: "..."}
	}
	return style{symbols: tw.NewSymbols(tw.StyleLight), padding: padding, ruled: true, line: "─", bar: "│", ellipsis: "…"}
}

// plain is the style of lists: only aligned columns.
func plain(ascii bool) style {
	s := boxed(ascii)
	s.padding, s.ruled = tw.Padding{Right: "  ", Overwrite: true}, false
	return s
}

// width returns the total width of a table with these column widths.
func (s style) width(columns []int) int {
	total := len(s.padding.Left+s.padding.Right) * len(columns)
	if s.ruled {
		total += len(columns) + 1
	} else {
		total -= len(s.padding.Right)
	}
	for _, c := range columns {
		total += c
	}
	return total
}

func (s style) rendition() tw.Rendition {
	shown := tw.On
	if !s.ruled {
		shown = tw.Off
	}
	return tw.Rendition{
		Symbols: s.symbols,
		Borders: tw.Border{Left: shown, Right: shown, Top: shown, Bottom: shown, Overwrite: true},
		Settings: tw.Settings{
			Separators: tw.Separators{ShowHeader: shown, ShowFooter: tw.Off, BetweenRows: tw.Off, BetweenColumns: shown},
			Lines:      tw.Lines{ShowTop: shown, ShowBottom: shown, ShowHeaderLine: shown, ShowFooterLine: tw.Off},
		},
	}
}

// unpainted ends bold and dim text.
const unpainted = "\x1b[0m"

// painter adds escape sequences for terminals.
type painter struct{ color, isolate bool }

func (p painter) bold(s string) string { return p.paint("\x1b[1m", s) }
func (p painter) dim(s string) string  { return p.paint("\x1b[2m", s) }

func (p painter) paint(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return code + s + unpainted
}

// isolated keeps letters that are read from right to left from moving what is
// beside them.
func (p painter) isolated(text string) string {
	if p.isolate {
		return textwidth.Isolate(text)
	}
	return text
}

// value returns the text of a cell, or a line of it.
func (p painter) value(c cell, text string) string {
	if c.null {
		return p.dim(p.isolated(text))
	}
	return p.isolated(text)
}

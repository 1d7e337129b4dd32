package ooxml

import "strings"

// MarkdownTable returns rows as a Markdown table with the first row as its
// header, or "" if there are no cells.
func MarkdownTable(rows [][]string) string {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if width == 0 {
		return ""
	}
	var b strings.Builder
	for i, row := range rows {
		for c := range width {
			text := ""
			if c < len(row) {
				text = strings.NewReplacer("|", `\|`, "\n", "<br>", "\r", "", "\t", " ").Replace(row[c])
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", width) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

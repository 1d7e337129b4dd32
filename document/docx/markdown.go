package docx

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// Read returns a section and its subsections as Markdown; the whole document if
// name is empty. name is the section's heading or index. Text is not escaped,
// except for lines that would look like a heading, and bars in tables.
func (d *Document) Read(name string) (string, error) {
	all := d.sections()
	from, to := 0, len(all)
	if name != "" {
		var err error
		if from, to, err = pick(all, name); err != nil {
			return "", err
		}
	}
	w := writer{d: d, counts: map[string]int{}}
	for _, s := range all[from:to] {
		if s.head != nil {
			w.block(strings.Repeat("#", min(s.level, 6)) + " " + strings.ReplaceAll(s.heading, "\n", " "))
		}
		for _, n := range s.blocks {
			w.write(n)
		}
	}
	if err := w.footnotes(); err != nil {
		return "", err
	}
	return w.b.String(), nil
}

// writer writes Markdown.
type writer struct {
	d      *Document
	b      strings.Builder
	inList bool
	plain  bool           // without formats, as in cells of a table
	counts map[string]int // by list and level
	notes  []note         // that have been referred to
}

// note is a footnote or endnote.
type note struct{ kind, id string }

func (n note) label() string {
	if n.kind == "endnotes" {
		return "e" + n.id
	}
	return n.id
}

// block writes a piece, separated from others by empty lines.
func (w *writer) block(text string) {
	if w.b.Len() > 0 {
		w.b.WriteString("\n")
	}
	w.inList = false
	w.b.WriteString(text + "\n")
}

func (w *writer) write(n *ooxml.Node) {
	if n.Name == "w:tbl" {
		w.table(n)
		return
	}
	text := strings.TrimRight(w.inline(n), " ")
	numID, level := w.d.list(n)
	switch format := w.d.numbers.format(numID, level); {
	case strings.TrimSpace(text) == "":
	case format == "" || format == "none":
		if strings.HasPrefix(text, "#") {
			text = `\` + text
		}
		w.block(text)
	default:
		w.item(w.label(numID, level, format), level, text)
	}
	for e := range n.All(func(n *ooxml.Node) bool { return n.Name == "w:txbxContent" || n.Name == "mc:Fallback" }) {
		if e.Name == "w:txbxContent" {
			for _, inner := range blocks(e) {
				w.write(inner)
			}
		}
	}
}

// label returns the text in front of a list item.
func (w *writer) label(numID string, level int, format string) string {
	if format == "bullet" {
		return "-"
	}
	key := numID + "/"
	w.counts[key+fmt.Sprint(level)]++
	for deeper := level + 1; deeper < 9; deeper++ {
		delete(w.counts, key+fmt.Sprint(deeper))
	}
	return fmt.Sprintf("%d.", w.counts[key+fmt.Sprint(level)])
}

func (w *writer) item(label string, level int, text string) {
	if w.b.Len() > 0 && !w.inList {
		w.b.WriteString("\n")
	}
	indent := strings.Repeat("   ", level)
	w.b.WriteString(indent + label + " " + strings.ReplaceAll(text, "\n", "\n"+indent+"   ") + "\n")
	w.inList = true
}

// cells returns the texts of a table's cells, row by row. A merged cell has its
// text once; the cells merged into it are empty.
func (d *Document) cells(tbl *ooxml.Node) [][]string {
	w := writer{d: d, counts: map[string]int{}}
	return w.cells(tbl)
}

func (w *writer) cells(tbl *ooxml.Node) [][]string {
	var rows [][]string
	for r := range tbl.All(func(n *ooxml.Node) bool { return n.Name == "w:tr" || n.Name == "w:del" }) {
		if r.Name != "w:tr" {
			continue
		}
		var row []string
		for c := range r.All(func(n *ooxml.Node) bool { return n.Name == "w:tc" }) {
			if c.Name != "w:tc" {
				continue
			}
			text := w.cell(c)
			if merge := c.Find("w:tcPr", "w:vMerge"); merge != nil && merge.Attr("w:val") != "restart" {
				text = ""
			}
			row = append(row, text)
			for span := c.Find("w:tcPr", "w:gridSpan").Int("w:val", 1); span > 1 && len(row) < 1000; span-- {
				row = append(row, "")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// cell returns the text of a cell as one line; cells of nested tables are joined
// by ; and /.
func (w *writer) cell(c *ooxml.Node) string {
	defer func(was bool) { w.plain = was }(w.plain)
	w.plain = true
	var lines []string
	for _, n := range blocks(c) {
		var text string
		if n.Name == "w:p" {
			text = strings.TrimSpace(w.inline(n))
		} else {
			var rows []string
			for _, row := range w.cells(n) {
				rows = append(rows, strings.Join(row, "; "))
			}
			text = strings.Join(rows, " / ")
		}
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func (w *writer) table(n *ooxml.Node) {
	if text := ooxml.MarkdownTable(w.cells(n)); text != "" {
		w.block(text)
	}
}

// footnotes writes the notes that the text refers to.
func (w *writer) footnotes() error {
	for at := 0; at < len(w.notes); at++ { // notes can refer to other notes
		ref := w.notes[at]
		_, tree, err := w.d.related(ref.kind)
		if err != nil || tree == nil {
			return err
		}
		for n := range tree.Root.Elements() {
			if n.Attr("w:id") == ref.id {
				w.block("[^" + ref.label() + "]: " + strings.ReplaceAll(w.cell(n), "\n", " "))
			}
		}
	}
	return nil
}

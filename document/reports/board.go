package reports

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/internal/words/printable"
)

// Board is a dashboard whose statements have been answered.
type Board struct {
	Title, About string
	Tiles        []Tile
}

// Tile is a part of a Board: words, or what a statement gave.
type Tile struct {
	Title, Words, Statement string
	Wide                    bool
	Size                    string // how many rows there are
	Caveats                 []api.Caveat
	Rows                    *Rows // nil if the tile has words or a drawing
	Drawing                 *Drawing
}

// MostOnBoard is how many rows a tile has in a file of a format; 0: no board is written in it.
func MostOnBoard(format string) int {
	return map[string]int{".html": 1000, ".docx": 200, ".pptx": 8}[format]
}

// Write writes the board with the receipt of its figures. format is one that
// MostOnBoard knows.
func (b Board) Write(ctx context.Context, format string, w io.Writer, at time.Time) error {
	write := map[string]func(Board, io.Writer, string) error{".html": Board.html, ".docx": Board.document, ".pptx": Board.slides}[format]
	b.Title, b.About = printable.Line(b.Title), printable.Text(b.About)
	receipt, marked := figures.Receipt{Format: figures.Format, At: at.UTC()}, b
	marked.Tiles = nil
	for i, t := range b.Tiles {
		t.Title, t.Words = printable.Line(t.Title), printable.Text(t.Words)
		b.Tiles[i] = t
		switch {
		case t.Rows != nil:
			receipt.Note(t.Rows.Noted(t.Statement), t.Rows.Values)
			t.Rows = t.Rows.Marked(len(receipt.Answers) - 1)
		case t.Drawing != nil:
			receipt.Note(t.Drawing.Noted(t.Statement), nil)
		}
		marked.Tiles = append(marked.Tiles, t)
	}
	var filled bytes.Buffer
	if err := write(marked, &filled, ""); err != nil {
		return err
	}
	blocks, err := figures.Blocks(ctx, format, bytes.NewReader(filled.Bytes()), int64(filled.Len()))
	if err != nil {
		return err
	}
	receipt.Text = figures.Where(blocks)
	text, err := figures.Encode([]figures.Receipt{receipt})
	if err != nil {
		return err
	}
	return write(b, w, text)
}

// known are the caveats of a tile as sentences.
func (t Tile) known() (all []string) {
	for _, c := range t.Caveats {
		all = append(all, printable.Line(c.Text))
	}
	return all
}

// source is the size and the statement of a tile.
func (t Tile) source() string { return t.Size + "\n" + printable.Text(t.Statement) }

const boardStyle = `body{font:15px/1.5 system-ui,sans-serif;color:#191c1b;max-width:1200px;margin:32px auto;padding:0 20px}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr));gap:28px}section{min-width:0}
.wide{grid-column:1/-1}.rows{overflow:auto;max-height:480px}table{border-collapse:collapse;font-size:13px}img{max-width:100%}
th,td{border-bottom:1px solid #dfe3e0;padding:4px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
[align=right]{text-align:right}.soft,summary{color:#59605d}h2{margin:0 0 8px;font-size:18px}.words{white-space:pre-wrap}
.warn{background:#fdf3dd;color:#7a4d00;padding:8px 12px;border-radius:8px}dl{display:flex;flex-wrap:wrap;gap:8px 36px;margin:0}
dd{margin:0;font-size:30px}pre{background:#eef0ee;padding:12px;white-space:pre-wrap;overflow-wrap:anywhere}
@media print{section,img{break-inside:avoid}.rows{max-height:none}}`

// mostFigures are the columns of one row that are shown large.
const mostFigures = 6

// html writes one page, in which nothing runs or loads.
func (b Board) html(w io.Writer, receipt string) error {
	var out strings.Builder
	e := html.EscapeString
	out.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" ` +
		`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"><meta name="viewport" content="width=device-width"><title>` +
		e(b.Title) + "</title><style>" + boardStyle + "</style></head>\n<body><h1>" + e(b.Title) + "</h1>\n<p class=\"soft\">" + e(b.About) +
		"</p>\n<main>\n")
	for _, t := range b.Tiles {
		class := map[bool]string{true: ` class="wide"`}[t.Wide || t.Words != ""]
		fmt.Fprintf(&out, "<section%s>\n", class)
		if t.Title != "" {
			out.WriteString("<h2>" + e(t.Title) + "</h2>\n")
		}
		if t.Words != "" {
			out.WriteString(`<p class="words">` + e(t.Words) + "</p>\n")
		}
		for _, text := range t.known() {
			out.WriteString(`<p class="warn">` + e(text) + "</p>\n")
		}
		switch {
		case t.Drawing != nil:
			out.WriteString(`<img alt="` + e(t.Title) + `" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(t.Drawing.PNG) + `">`)
		case t.Rows != nil && len(t.Rows.Values) == 1 && len(t.Rows.Columns) <= mostFigures:
			out.WriteString("<dl>")
			for i, name := range t.Rows.Columns {
				out.WriteString("<div><dt>" + e(name) + "</dt><dd>" + e(text(t.Rows.Values[0][i])) + "</dd></div>")
			}
			out.WriteString("</dl>")
		case t.Rows != nil:
			out.WriteString(`<div class="rows" tabindex="0">` + t.Rows.html() + "</div>")
		}
		if t.Statement != "" {
			out.WriteString("\n<details><summary>" + e(t.Size) + "</summary><pre>" + e(t.Statement) + "</pre></details>")
		}
		out.WriteString("\n</section>\n")
	}
	out.WriteString("</main></body></html>\n")
	page, err := figures.ReadPage(strings.NewReader(out.String()), int64(out.Len()))
	if err != nil {
		return err
	}
	return figures.WritePage(w, page.Pieces(), receipt)
}

// document writes the board as a Word document, which can be printed as PDF.
func (b Board) document(w io.Writer, receipt string) error {
	ops := []docx.Operation{{Op: docx.AppendHeading, Text: b.Title}, {Op: docx.AppendParagraph, Text: b.About}}
	var drawn pictures
	paragraph := func(text string) {
		ops = append(ops, docx.Operation{Op: docx.AppendParagraph, Text: text})
	}
	for i, t := range b.Tiles {
		if t.Title != "" {
			ops = append(ops, docx.Operation{Op: docx.AppendHeading, Level: 2, Text: t.Title})
		}
		for _, line := range append(strings.Split(t.Words, "\n"), t.known()...) {
			if line != "" {
				paragraph(line)
			}
		}
		if t.Drawing != nil {
			ops = append(ops, docx.Operation{Op: docx.AppendPicture, Picture: drawn.add(i, t.Drawing.PNG), Alt: t.Title})
		} else if t.Rows != nil {
			ops = append(ops, docx.Operation{Op: docx.AppendTable, Rows: t.Rows.Table()})
		}
		if t.Statement != "" {
			paragraph(t.source())
		}
	}
	blank, err := docx.Blank()
	if err == nil {
		_, err = docx.Edit(bytes.NewReader(blank), int64(len(blank)), w, ops, docx.Options{Picture: drawn.of, Receipt: receipt})
	}
	return err
}

// slides writes a slide for each tile, whose notes have its statement.
func (b Board) slides(w io.Writer, receipt string) error {
	ops := []pptx.Operation{{Op: pptx.AddSlide, Title: &b.Title, Text: &b.About}}
	var drawn pictures
	for i, t := range b.Tiles {
		at := i + 1
		slide := pptx.Operation{Op: pptx.AddSlide, Title: new(cmp.Or(t.Title, b.Title))}
		if t.Words != "" {
			slide.Text = &t.Words
		}
		ops = append(ops, slide)
		if t.Drawing != nil {
			ops = append(ops, pptx.Operation{Op: pptx.AddPicture, Index: &at, Picture: drawn.add(i, t.Drawing.PNG), Alt: t.Title})
		} else if t.Rows != nil {
			ops = append(ops, pptx.Operation{Op: pptx.AddTable, Index: &at, Rows: t.Rows.Table()})
		}
		if known := t.known(); len(known) > 0 {
			ops = append(ops, pptx.Operation{Op: pptx.AddTable, Index: &at, Header: new(false), LeftCM: 1.7, TopCM: 17.5,
				Rows: [][]any{{strings.Join(known, "; ")}}})
		}
		if t.Statement != "" {
			ops = append(ops, pptx.Operation{Op: pptx.SetNotes, Index: &at, Text: new(t.source())})
		}
	}
	blank, err := pptx.Blank()
	if err == nil {
		_, err = pptx.Edit(bytes.NewReader(blank), int64(len(blank)), w, ops, pptx.Options{Picture: drawn.of, Receipt: receipt})
	}
	return err
}

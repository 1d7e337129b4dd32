package docx

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
)

// build returns what an operation adds, as elements of the body.
func (d *Document) build(o *Operation, options Options) (string, error) {
	switch o.Op {
	case AppendParagraph, InsertParagraph:
		id, err := d.styleOf(o.Style)
		return paragraph(style(id), o.Text, ""), err
	case AppendHeading, InsertHeading:
		id, err := d.heading(max(o.Level, 1))
		return paragraph(style(id), o.Text, ""), err
	case AppendBullets, InsertBullets:
		return d.listOf("bullet", o)
	case AppendNumbered, InsertNumbered:
		return d.listOf("decimal", o)
	case AppendTable, InsertTable:
		return d.tableOf(o)
	case AppendPicture, InsertPicture:
		return d.pictureOf(o, options)
	case AppendChart, InsertChart:
		return d.chartOf(o)
	case AppendBreak, InsertBreak:
		return `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, nil
	}
	return "", ooxml.UnknownOperation(o.Op, Operations())
}

// styleOf finds the paragraph style that an operation names.
func (d *Document) styleOf(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	id, ok := d.styles.paragraph(name)
	if !ok {
		return "", ooxml.Invalid("The document has "+strings.Join(d.styles.names(), ", ")+".", "the document has no paragraph style %q", name)
	}
	return id, nil
}

func style(id string) string {
	if id == "" {
		return ""
	}
	return `<w:pStyle w:val="` + ooxml.Escape(id) + `"/>`
}

// paragraph is one of a single run.
func paragraph(props, text, runProps string) string {
	if props != "" {
		props = "<w:pPr>" + props + "</w:pPr>"
	}
	return "<w:p>" + props + "<w:r>" + runProps + textElements(text) + "</w:r></w:p>"
}

// listOf creates the items of a list with its own numbering.
func (d *Document) listOf(format string, o *Operation) (string, error) {
	numID, err := d.newList(format)
	if err != nil {
		return "", err
	}
	id, err := d.styleOf(o.Style)
	if err != nil {
		return "", err
	}
	if id == "" {
		id, _ = d.styles.paragraph("List Paragraph")
		if d.styles.byID[id] == nil {
			id = ""
		}
	}
	var b strings.Builder
	for _, item := range o.Items {
		text := strings.TrimLeft(item, "\t")
		level := min(len(item)-len(text), listLevels-1)
		b.WriteString(paragraph(fmt.Sprintf(`%s<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%s"/></w:numPr>`, style(id), level, numID), text, ""))
	}
	return b.String(), nil
}

const (
	maxRows    = 5_000
	maxColumns = 63 // more than word processors take
)

// tableOf makes a table with lines around its cells.
func (d *Document) tableOf(o *Operation) (string, error) {
	rows, width, err := ooxml.Texts(o.Rows, maxRows, maxColumns)
	if err != nil {
		return "", err
	}
	look := `<w:tblBorders>`
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		look += `<w:` + side + ` w:val="single" w:sz="4" w:space="0" w:color="auto"/>`
	}
	look += `</w:tblBorders>`
	if id, ok := d.styles.find("table", "Table Grid"); ok {
		look = `<w:tblStyle w:val="` + ooxml.Escape(id) + `"/>`
	}
	cell := d.textWidth() / 635 / max(width, 1) // twentieths of a point
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblPr>` + tableProps(look) + `</w:tblPr><w:tblGrid>` + strings.Repeat(fmt.Sprintf(`<w:gridCol w:w="%d"/>`, cell),
		width) + `</w:tblGrid>`)
	for i, row := range rows {
		head := i == 0 && (o.Header == nil || *o.Header)
		b.WriteString(`<w:tr>`)
		bold := ""
		if head {
			b.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
			bold = `<w:rPr><w:b/></w:rPr>`
		}
		for c := range width {
			text := ""
			if c < len(row) {
				text = row[c]
			}
			fmt.Fprintf(&b, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/></w:tcPr>%s</w:tc>`, cell, paragraph("", text, bold))
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>`)
	return b.String() + "<w:p/>", nil // tables that touch would become one
}

// tableProps puts the properties of a table in the standard's order.
func tableProps(look string) string {
	width := `<w:tblW w:w="0" w:type="auto"/>`
	if strings.HasPrefix(look, "<w:tblStyle") {
		return look + width
	}
	return width + look
}

// textWidth returns the width of the text on the last pages, in EMU.
func (d *Document) textWidth() int {
	const perTwip = 635
	page := d.body.Find("w:sectPr")
	width := page.Find("w:pgSz").Int("w:w", 11906)
	margins := page.Find("w:pgMar")
	width -= margins.Int("w:left", 1417) + margins.Int("w:right", 1417)
	return max(width, 1440) * perTwip
}

// pictureOf makes a paragraph with a picture.
func (d *Document) pictureOf(o *Operation, options Options) (string, error) {
	data, err := options.picture(o.Picture)
	if err != nil {
		return "", err
	}
	pic, err := d.pkg.AddPicture(partBeside(d.main, "media"), data)
	if err != nil {
		return "", err
	}
	id, err := d.pkg.Relate(d.main, "image", pic.Part)
	if err != nil {
		return "", err
	}
	width := min(pic.Width*ooxml.EMUPerPixel, d.textWidth())
	if o.WidthCM > 0 {
		width = int(o.WidthCM * ooxml.EMUPerCM)
	}
	return d.inlined("Picture", o.Alt, width, max(width*pic.Height/max(pic.Width, 1), 1), "picture", func(name, extent string) string {
		return `<pic:pic><pic:nvPicPr><pic:cNvPr ` + name + `/><pic:cNvPicPr/></pic:nvPicPr>` +
			`<pic:blipFill><a:blip r:embed="` + id + `"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>` +
			`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ` + extent +
			`/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>`
	}), nil
}

// chartOf makes a paragraph with a chart.
func (d *Document) chartOf(o *Operation) (string, error) {
	part, err := d.pkg.AddChart(d.main, &ooxml.Chart{Kind: o.Type, Title: o.Title, XTitle: o.XTitle, YTitle: o.YTitle}, o.Rows)
	if err != nil {
		return "", err
	}
	id, err := d.pkg.Relate(d.main, "chart", part)
	if err != nil {
		return "", err
	}
	width := min(16*ooxml.EMUPerCM, d.textWidth())
	if o.WidthCM > 0 {
		width = int(o.WidthCM * ooxml.EMUPerCM)
	}
	return d.inlined("Chart", o.Title, width, width*9/16, "chart", func(_, _ string) string { return `<c:chart r:id="` + id + `"/>` }), nil
}

// inlined makes a paragraph with a drawing; kind is that of what it shows.
func (d *Document) inlined(name, text string, width, height int, kind string, object func(name, extent string) string) string {
	number := 1
	for n := range d.body.All(nil) {
		if n.Name == "wp:docPr" {
			number = max(number, n.Int("id", 0)+1)
		}
	}
	extent := fmt.Sprintf(`cx="%d" cy="%d"`, width, height)
	name = fmt.Sprintf(`id="%d" name="%s %d" descr="%s"`, number, name, number, ooxml.Escape(text))
	return `<w:p><w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent ` + extent + `/><wp:docPr ` + name + `/>` +
		`<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/` + kind + `">` + object(name, extent) +
		`</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

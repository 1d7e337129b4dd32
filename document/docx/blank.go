package docx

import "github.com/agnes-data/da/document/ooxml"

// Blank returns an empty document on A4 pages, with the styles that the
// operations use.
func Blank() ([]byte, error) {
	const space = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	styles := `<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Calibri" w:cs="Calibri"/><w:sz w:val="22"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="259" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/>` +
		`<w:pPr><w:spacing w:after="240"/></w:pPr><w:rPr><w:sz w:val="52"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/><w:basedOn w:val="Normal"/><w:qFormat/><w:pPr><w:spacing w:after="40"/><w:ind w:left="720"/></w:pPr></w:style>`
	return ooxml.New("word/document.xml", wordType+"document.main+xml",
		`<w:document`+space+`><w:body><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1417" w:right="1417" w:bottom="1417" w:left="1417" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>`,
		ooxml.NewPart{Kind: "styles", Name: "word/styles.xml", Type: wordType + "styles+xml",
			Text: `<w:styles` + space + `>` + styles + `</w:styles>`})
}

package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

const (
	spreadsheet   = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packaged      = "http://schemas.openxmlformats.org/package/2006/"
	contentType   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	prolog        = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// write adds every part but the sheets to the archive.
func (f *frame) write(z *zip.Writer) error {
	for _, part := range []struct{ name, text string }{
		{"xl/styles.xml", f.styles()},
		{"xl/workbook.xml", f.workbook()},
		{"xl/_rels/workbook.xml.rels", f.relations()},
		{"_rels/.rels", relationsOf(relationTo("rId1", "officeDocument", "xl/workbook.xml"))},
		{"[Content_Types].xml", f.contentTypes()},
	} {
		w, err := z.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, prolog+part.text); err != nil {
			return err
		}
	}
	return nil
}

// styles declares the styles of cells. Programs expect the first two fills as
// they are here, whether or not a cell has them.
func (f *frame) styles() string {
	const firstOwn = 164 // lower numbers are formats that every program knows
	var formats, cells strings.Builder
	for i, code := range f.formats {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, firstOwn+i, code)
		fmt.Fprintf(&cells, `<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`, firstOwn+i)
	}
	declared := ""
	if n := len(f.formats); n > 0 {
		declared = fmt.Sprintf(`<numFmts count="%d">%s</numFmts>`, n, &formats)
	}
	return `<styleSheet xmlns="` + spreadsheet + `">` + declared +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>` +
		`<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
		`<fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/></patternFill></fill></fills>` +
		`<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>` +
		`<border><left/><right/><top/><bottom style="thin"><color rgb="FF8096B0"/></bottom><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		fmt.Sprintf(`<cellXfs count="%d">`, firstFormat+len(f.formats)) +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1"/>` +
		cells.String() + `</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

// workbook lists the sheets and their filters.
func (f *frame) workbook() string {
	var sheets, names strings.Builder
	for i, s := range f.sheets {
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escaped(s.name), i+1, i+1)
		if s.filter != "" {
			fmt.Fprintf(&names, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">%s</definedName>`, i, escaped(s.filter))
		}
	}
	declared := ""
	if names.Len() > 0 {
		declared = "<definedNames>" + names.String() + "</definedNames>"
	}
	return `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + relationships + `"><bookViews><workbookView/></bookViews>` +
		`<sheets>` + sheets.String() + `</sheets>` + declared + `</workbook>`
}

// relations lists the paths of the workbook's parts.
func (f *frame) relations() string {
	var all strings.Builder
	for i := range f.sheets {
		all.WriteString(relationTo(fmt.Sprintf("rId%d", i+1), "worksheet", sheetPart(i+1)))
	}
	all.WriteString(relationTo("styles", "styles", "styles.xml"))
	return relationsOf(all.String())
}

func relationTo(id, kind, target string) string {
	return fmt.Sprintf(`<Relationship Id="%s" Type="%s/%s" Target="%s"/>`, id, relationships, kind, target)
}

func relationsOf(all string) string {
	return `<Relationships xmlns="` + packaged + `relationships">` + all + `</Relationships>`
}

// contentTypes lists the type of each part.
func (f *frame) contentTypes() string {
	override := func(part, kind string) string {
		return fmt.Sprintf(`<Override PartName="/xl/%s" ContentType="%s%s+xml"/>`, part, contentType, kind)
	}
	var all strings.Builder
	all.WriteString(override("workbook.xml", "sheet.main") + override("styles.xml", "styles"))
	for i := range f.sheets {
		all.WriteString(override(sheetPart(i+1), "worksheet"))
	}
	return `<Types xmlns="` + packaged + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` + all.String() + `</Types>`
}

// escaped escapes s for a text or an attribute in XML.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder cannot fail
	return b.String()
}

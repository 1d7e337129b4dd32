package xlsx

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
)

// A property of a document holds 255 characters in some programs, so the caveats
// are divided among several, whose names end with numbers from 1.
const (
	toldPart   = 240 // characters of one
	customPart = "docProps/custom.xml"
)

// tell writes the caveats into the workbook's properties: for programs, and for
// people as its comment.
func (b *Book) tell() error {
	known := api.Arranged(b.caveats)
	text := api.EncodeCaveats(known)
	if text == "" {
		return nil
	}
	if err := b.Keep(api.CaveatsKey, text); err != nil {
		return err
	}
	return b.file.SetDocProps(&excelize.DocProperties{Description: api.Clip(strings.Join(api.Texts(known), "\n"), 10_000)})
}

// propertiesHead begins the part with a workbook's own properties.
const propertiesHead = xml.Header + `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" ` +
	`xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">`

// Keep stores a text in the workbook's properties. It is called after Add.
func (b *Book) Keep(name, text string) error {
	n := 0
	for part := range slices.Chunk([]rune(text), toldPart) {
		n++
		b.properties++
		fmt.Fprintf(&b.kept, `<property fmtid="%s" pid="%d" name="%s.%d"><vt:lpwstr>`, excelize.EXtURICustomPropertyFmtID, b.properties+1, name, n)
		if err := xml.EscapeText(&b.kept, []byte(string(part))); err != nil {
			return err
		}
		b.kept.WriteString("</vt:lpwstr></property>")
	}
	// For each property the library writes all of them anew: minutes for a long text. It
	// makes the part with one, and all of them are put in its place.
	if err := b.file.SetCustomProps(excelize.CustomProperty{Name: name, Value: ""}); err != nil {
		return err
	}
	b.file.Pkg.Store(customPart, []byte(propertiesHead+b.kept.String()+"</Properties>"))
	return nil
}

// Told returns what the workbook's writer knew of the rows in a sheet.
func (w *Workbook) Told(sheet string) (out []api.Caveat) {
	if w.parts[strings.ToLower(customPart)] == nil {
		return nil
	}
	parts, name := map[string]string{}, ""
	if w.walk(customPart, func(s *scanner) error {
		switch {
		case s.is(tokenStart, "property"):
			name = string(appendUnescaped(nil, s.attr("name")))
		case s.kind == tokenText && strings.HasPrefix(name, api.CaveatsKey+"."):
			parts[name] += string(s.appendText(nil))
		}
		return nil
	}) != nil {
		return nil // properties of others that are damaged are none of the rows'
	}
	var text strings.Builder
	for n := 1; n <= len(parts); n++ {
		text.WriteString(parts[api.CaveatsKey+"."+strconv.Itoa(n)])
	}
	for _, c := range api.DecodeCaveats(text.String()) {
		if c.About.Sheet == "" || c.About.Sheet == sheet {
			out = append(out, c)
		}
	}
	return out
}

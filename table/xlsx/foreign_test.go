package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

// archive makes a workbook of parts as other programs write them.
func archive(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	mainNS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relNS  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	rels   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
)

// foreign is a workbook whose parts lie where nobody expects them; edit
// changes them.
func foreign(edit func(parts map[string]string)) map[string]string {
	parts := map[string]string{
		"_rels/.rels":     rels + `<Relationship Id="a" Type="` + relNS + `/officeDocument" Target="/book/main.xml"/></Relationships>`,
		"book/main.xml":   `<workbook xmlns="` + mainNS + `" xmlns:rel="` + relNS + `"><workbookPr date1904="1"/><sheets><sheet name="S" sheetId="1" rel:id="x"/></sheets></workbook>`,
		"book/one.xml":    `<worksheet xmlns="` + mainNS + `"><sheetData><row r="1"><c r="A1" s="1"><v>40000</v></c></row></sheetData></worksheet>`,
		"book/styles.xml": `<styleSheet xmlns="` + mainNS + `"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"book/_rels/main.xml.rels": rels + `<Relationship Id="x" Type="` + relNS + `/worksheet" Target="one.xml"/>` +
			`<Relationship Id="y" Type="` + relNS + `/styles" Target="styles.xml"/><Relationship Id="z" Type="` + relNS + `/sharedStrings" Target="strings.xml"/></Relationships>`,
	}
	edit(parts)
	return parts
}

// TestForeignWorkbooks reads what the standard allows and some programs write.
func TestForeignWorkbooks(t *testing.T) {
	replace := func(part string, pairs ...string) func(map[string]string) {
		return func(parts map[string]string) { parts[part] = strings.NewReplacer(pairs...).Replace(parts[part]) }
	}
	for _, c := range []struct {
		name, want string
		edit       func(map[string]string)
	}{
		{"parts in another folder, no shared strings", "1: A=2013-07-07\n", func(map[string]string) {}},
		{"an extension with elements of the same names", "1: A=2013-07-07\n", replace("book/main.xml", "</workbook>",
			`<extLst><ext xmlns:x14="urn:x14"><x14:workbookPr date1904="0"/><x14:sheet name="no" rel:id="x"/></ext></extLst></workbook>`)},
		{"a prefix before every element", "1: A=2013-07-07\n", replace("book/main.xml", "xmlns=", "xmlns:m=", "<workbook", "<m:workbook", "<sheet", "<m:sheet", "</", "</m:")},
		{"a prefix before the first element only", "1: A=2013-07-07\n", replace("book/main.xml", "<workbook ", `<m:workbook xmlns:m="`+mainNS+`" `, "</workbook", "</m:workbook")},
		{"no styles", "1: A=40000\n", func(parts map[string]string) { delete(parts, "book/styles.xml") }},
	} {
		if got, err := readAll(archive(t, foreign(c.edit)), 0); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for name, edit := range map[string]func(map[string]string){
		"a text":         replace("book/main.xml", "<workbook", "<document", "</workbook", "</document"),
		"no main part":   func(parts map[string]string) { delete(parts, "book/main.xml") },
		"a binary sheet": func(parts map[string]string) { parts["book/main.xml"] = "\x83\x01\x00" },
	} {
		if _, err := readAll(archive(t, foreign(edit)), 0); !errors.Is(err, ErrNoWorkbook) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

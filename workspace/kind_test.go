package workspace

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

func archive(t *testing.T, comment string, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Extra: []byte{1, 0, 0, 0}, Comment: "a remark"})
		if err == nil {
			_, err = w.Write([]byte(strings.Repeat(name, 500)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.SetComment(comment); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// openDocument is a spreadsheet whose type is not its first part.
func openDocument(t *testing.T, method uint16) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range []struct{ name, text string }{{"content.xml", "<x/>"}, {"mimetype", "application/vnd.oasis.opendocument.spreadsheet"}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: method})
		if err == nil {
			_, err = w.Write([]byte(part.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOfficeFilesAreKnownWhateverTheyBeginWith has archives that begin with parts
// of no office program's own, as those of python-docx do.
func TestOfficeFilesAreKnownWhateverTheyBeginWith(t *testing.T) {
	w := open(t, Options{})
	const types = "[Content_Types].xml"
	doc, book, slides := folders["word"], folders["xl"], folders["ppt"]
	for _, c := range []struct{ content, mime string }{
		{archive(t, "", types, "xl/workbook.xml", "xl/vbaProject.bin"), special["xl/vbaproject.bin"]},
		{archive(t, "", types, "_rels/.rels", "xl/workbook.bin", "xl/vbaProject.bin"), special["xl/workbook.bin"]},
		{archive(t, "", types, "word/document.xml", "word/vbaProject.bin"), special["word/vbaproject.bin"]},
		{openDocument(t, zip.Store), "application/vnd.oasis.opendocument.spreadsheet"},
		{openDocument(t, zip.Deflate), "application/vnd.oasis.opendocument.spreadsheet"},
		{archive(t, "", "customXml/item1.xml", "docProps/app.xml", types, "word/document.xml"), doc},
		{archive(t, strings.Repeat("x", 60_000), "customXml/item1.xml", "WORD\\document.xml", types), doc},
		{archive(t, "", "thumbnail.jpeg", types, "xl/workbook.xml"), book},
		{archive(t, "", "thumbnail.jpeg", "ppt/presentation.xml", "ppt/embeddings/xl/book.xlsx", types), slides},
		{archive(t, "", "notes.txt", "word/document.xml"), "application/zip"}, // a folder of that name
		{archive(t, "", "notes.txt", types), "application/zip"},
		{archive(t, "", "customXml/item1.xml", types, "word/document.xml")[:2500], "application/zip"},
	} {
		if f := put(t, w, "a.docx", c.content); f.MIMEType != c.mime {
			t.Errorf("%s, want %s", f.MIMEType, c.mime)
		}
	}
}

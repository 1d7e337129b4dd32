package intake

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/compoundtest"
)

// TestDocumentsOfOldPrograms are named by what they hold, whatever their name says.
func TestDocumentsOfOldPrograms(t *testing.T) {
	for _, c := range []struct {
		file, what, next string
		entries          []string
	}{
		{"a.doc", "a.doc is a document of a word processor", "Save it as .docx", []string{"1Table", "WordDocument"}},
		{"a.xls", "a.xls is a document of a word processor", "Save it as .docx", []string{"WordDocument"}},
		{"a.ppt", "a.ppt is a presentation", "Save it as .pptx", []string{"Current User", "PowerPoint Document"}},
		{"a.msg", "a.msg is a message of electronic mail", "save the file that is attached", []string{"__properties_version1.0"}},
		{"a.xls", "a.xls is a workbook of the kind before .xlsx", "Save it as .xlsx", []string{"Workbook"}},
		{"a.xls", "a.xls is a workbook of the kind before .xlsx", "Save it as .xlsx", []string{"Book"}},
		{"a.xlsx", "a.xlsx is encrypted with a password", "save it without a password", []string{"EncryptionInfo", "EncryptedPackage"}},
		{"a.msi", "a.msi is a document of an old program, but no workbook", "save the table in it as .xlsx or CSV", []string{"another"}},
	} {
		_, err := Open(write(t, c.file, compoundtest.File(c.entries)))
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeReadFailed || !strings.HasPrefix(e.Message, c.what) || !strings.Contains(e.Hint, c.next) {
			t.Errorf("%s: %v", c.file, err)
		}
	}
	if _, err := Open(write(t, "a.xls", compoundtest.File([]string{"Workbook"})[:700])); !strings.Contains(err.Error(), "damaged or incomplete") {
		t.Errorf("cut: %v", err)
	}
}

// TestDocumentsForTheWorkspace are refused with the step that has them read, by
// what they hold.
func TestDocumentsForTheWorkspace(t *testing.T) {
	document := archive(t, "[Content_Types].xml", "word/document.xml")
	for _, c := range []struct {
		file, what, put string
		data            []byte
	}{
		{"my letter.csv", "is a PDF document", "my letter.csv", []byte("%PDF-1.7\n")},
		{"a.csv.gz", "is a PDF document", "a.csv", gzipped(t, []byte("%PDF-1.7\n"))},
		{"a.doc", "is a document of a word processor", "a.docx", compoundtest.File([]string{"WordDocument"})},
		{"a", "is a presentation", "a.pptx", compoundtest.File([]string{"PowerPoint Document"})},
		{"a.rtf", "is a document in RTF", "a.docx", []byte(`{\rtf1 a}`)},
		{"a.docx", "is a document, but", "a.docx", document},
		{"a.dat", "is a document, but", "a.dat", document},
		{"a.dat", "is a document, but", "a.dat", archive(t, "[Content_Types].xml", `ppt\presentation.xml`)},
		{"a.docx", "is an archive, but no workbook", "", archive(t, "word/document.xml")},
		{"a.odt", "is an OpenDocument text", "a.docx", archive(t, "mimetype=application/vnd.oasis.opendocument.text")},
		{"a.odp", "is an OpenDocument presentation", "a.pptx", archive(t, "mimetype=application/vnd.oasis.opendocument.presentation")},
		{"a.ods", "is a workbook of another kind", "", archive(t, "content.xml", "mimetype=application/vnd.oasis.opendocument.spreadsheet")},
		{"a.dat", "is a workbook of another kind", "", archive(t, "mimetype=application/vnd.oasis.opendocument.spreadsheet")},
	} {
		path := write(t, c.file, c.data)
		_, err := Open(path)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.what) {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		put := ""
		for _, step := range e.Next {
			if step.Action == api.ActionPutFile {
				put = step.Text("path")
			}
		}
		if c.put != "" {
			c.put = filepath.Join(filepath.Dir(path), c.put)
		}
		if put != c.put || (put != "") != strings.Contains(e.Hint, "workspace") {
			t.Errorf("%s: put %q: %s", c.file, put, e.Hint)
		}
	}
}

// archive is a zip archive of parts, written as name=content and not compressed.
func archive(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range parts {
		name, content, _ := strings.Cut(part, "=")
		head := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(content)), UncompressedSize64: uint64(len(content)), CompressedSize64: uint64(len(content))}
		w, err := z.CreateRaw(head)
		if err == nil {
			_, err = io.WriteString(w, content)
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

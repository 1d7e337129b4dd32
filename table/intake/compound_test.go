package intake

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/compound/compoundtest"
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

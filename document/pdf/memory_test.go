package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestTheLibraryGrowsInPlace: what the library needs for a crafted page, which is
// small in the file, is not copied over and over on the heap.
func TestTheLibraryGrowsInPlace(t *testing.T) {
	var content bytes.Buffer
	z := zlib.NewWriter(&content)
	if _, err := io.WriteString(z, strings.Repeat("BT /F1 12 Tf 1 0 0 1 0 0 Tm (a) Tj ET ", 300_000)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n")
	fmt.Fprintf(&file, "4 0 obj<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF", content.Len(), content.Bytes())
	d, err := open(t, file.Bytes(), "")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := d.ExtractText("1", 0)
	runtime.ReadMemStats(&after)
	if err != nil || !strings.Contains(text.Pages[0].Text, "a") {
		t.Fatalf("%v", err)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 100 {
		t.Errorf("%d MB on the heap", used)
	}
}

// TestAFormThatDrawsItself takes a bounded memory, and ends as a damaged file.
func TestAFormThatDrawsItself(t *testing.T) {
	form := "q /F Do Q\nq /F Do Q"
	d, err := open(t, []byte("%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</F 4 0 R>>>>>>endobj\n"+
		fmt.Sprintf("4 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F 4 0 R>>>>/Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF", len(form), form)), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.ExtractText("1", 0); !api.CodeReadFailed.Is(err) {
		t.Errorf("%v", err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not tell of its memory")
	}
	var most int
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &most); err != nil || most > 800<<10 {
		t.Errorf("%d KB, %v", most, err)
	}
}

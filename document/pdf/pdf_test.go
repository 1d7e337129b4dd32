package pdf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// compiled is where the tests keep the compiled library.
func compiled(t testing.TB) pdf.Options {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return pdf.Options{CacheDir: t.TempDir()}
	}
	return pdf.Options{CacheDir: filepath.Join(dir, "da-tests", "pdf")}
}

// file is a picture: half of it red, half transparent.
func file(string) ([]byte, error) {
	m := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	for x := range 20 {
		for y := range 20 {
			m.Set(x, y, color.NRGBA{255, 0, 0, 255})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	return b.Bytes(), err
}

// jpegFile is a picture of noise.
func jpegFile(t testing.TB) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func operations(t testing.TB, text string) []pdf.Operation {
	t.Helper()
	var ops []pdf.Operation
	if err := json.Unmarshal([]byte(text), &ops); err != nil {
		t.Fatal(err)
	}
	return ops
}

func create(t testing.TB, ops string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := pdf.Create(t.Context(), &out, operations(t, ops), pdf.EditOptions{Options: compiled(t), File: file}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tryEdit(t testing.TB, data []byte, ops string) ([]byte, *pdf.Report, error) {
	t.Helper()
	var out bytes.Buffer
	report, err := pdf.Edit(t.Context(), bytes.NewReader(data), int64(len(data)), &out, operations(t, ops), pdf.EditOptions{Options: compiled(t), File: file})
	return out.Bytes(), report, err
}

func open(t testing.TB, data []byte, password string) (*pdf.Document, error) {
	t.Helper()
	o := compiled(t)
	o.Password = password
	d, err := pdf.Open(t.Context(), bytes.NewReader(data), int64(len(data)), o)
	if err == nil {
		t.Cleanup(d.Close)
	}
	return d, err
}

func mustOpen(t testing.TB, data []byte) *pdf.Document {
	t.Helper()
	d, err := open(t, data, "")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// texts are those of all pages, divided by bars.
func texts(t testing.TB, data []byte) string {
	t.Helper()
	text, err := mustOpen(t, data).ExtractText("", 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range text.Pages {
		out = append(out, p.Text)
	}
	return strings.Join(out, "|")
}

// check has another program say whether the file is right.
func check(t testing.TB, data []byte) {
	t.Helper()
	testneed.Program(t, "qpdf")
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), "qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v\n%s", err, said)
	}
}

func three(t testing.TB) []byte {
	t.Helper()
	return create(t, `[{"op": "add_page"}, {"op": "add_text", "page": 1, "text": "One & <1>\nsecond line", "position": {"x": 72, "y": 700}},
		{"op": "add_page", "size": "Letter", "orientation": "landscape"}, {"op": "add_text", "page": 2, "text": "Žluťoučký кот Ω", "position": {"x": 72, "y": 300}, "style": {"size": 20, "color": "#336699", "bold": true}},
		{"op": "add_page"}, {"op": "add_image", "page": 3, "image": "x.png", "position": {"x": 72, "y": 72}, "width": 200}]`)
}

func TestAFileIsMadeAndRead(t *testing.T) {
	data := three(t)
	check(t, data)
	if got := texts(t, data); got != "One & <1>\nsecond line|Žluťoučký кот Ω|" {
		t.Errorf("read %q", got)
	}
	d := mustOpen(t, data)
	info, err := d.Info()
	if err != nil || info.Pages != 3 || len(info.Sizes) != 3 || info.Sizes[1] != (pdf.Size{Pages: "2", Width: 792, Height: 612}) || info.Form || info.Scanned {
		t.Errorf("%+v, %v", info, err)
	}
	text, err := d.ExtractText("3,1", 0)
	if err != nil || len(text.Pages) != 2 || !text.Pages[0].Pictures || len(text.Caveats) != 1 {
		t.Errorf("%+v, %v", text, err)
	}
	if text, err = d.ExtractText("", 5); err != nil || !text.Truncated || text.Next != 2 {
		t.Errorf("%+v, %v", text, err)
	}
	found, err := d.Search("(?i)SECOND|кот", 10)
	if err != nil || len(found.Matches) != 2 || found.Matches[0] != (pdf.Match{Page: 1, Line: 2, Text: "second line"}) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestALongFile reads, changes and divides a file of 500 pages.
func TestALongFile(t *testing.T) {
	var ops []string
	for n := range 500 {
		ops = append(ops, `{"op": "add_page"}`)
		if n%250 == 0 || n%250 == 249 {
			ops = append(ops, fmt.Sprintf(`{"op": "add_text", "page": %d, "text": "This is page %d.", "position": {"x": 72, "y": 700}}`, n+1, n+1))
		}
	}
	data := create(t, "["+strings.Join(ops, ",")+"]")
	check(t, data)
	out, _, err := tryEdit(t, data, `[{"op": "delete_page", "page": 250}, {"op": "add_text", "page": 499, "text": "the end", "position": {"x": 72, "y": 600}}]`)
	if err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, out)
	if info, err := d.Info(); err != nil || info.Pages != 499 {
		t.Errorf("%+v, %v", info, err)
	}
	if found, err := d.Search("page (1|250|251|500)\\.|the end", 10); err != nil || len(found.Matches) != 4 || found.Matches[1].Page != 250 || found.Matches[3] != (pdf.Match{Page: 499, Line: 2, Text: "the end"}) {
		t.Errorf("%+v, %v", found, err)
	}
	text, err := d.ExtractText("", 20)
	if err != nil || !text.Truncated || text.Pages[0].Text != "This is page 1." || text.Next != len(text.Pages)+1 {
		t.Errorf("%+v, %v", text, err)
	}
	if text, err = d.ExtractText("249-250,499", 0); err != nil || len(text.Pages) != 3 || text.Pages[1].Text != "This is page 251." {
		t.Errorf("%+v, %v", text, err)
	}
	names := map[string]bool{}
	if _, err := d.Split("1-249,250-499", &pdf.Report{}, func(name string) (io.WriteCloser, error) { names[name] = true; return &target{}, nil }); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}

func TestPagesAreJoinedAndDivided(t *testing.T) {
	data := three(t)
	var merged bytes.Buffer
	source := pdf.Source{R: bytes.NewReader(data), Size: int64(len(data))}
	report, err := pdf.Merge(t.Context(), &merged, []pdf.Source{source, source}, compiled(t))
	if err != nil || report.Pages != 6 || len(report.Caveats) > 0 {
		t.Fatal(report, err)
	}
	check(t, merged.Bytes())
	once := texts(t, data)
	if got := texts(t, merged.Bytes()); got != once+"|"+once {
		t.Errorf("merged: %q", got)
	}
	files := map[string]*target{}
	n, err := mustOpen(t, merged.Bytes()).Split("2-4,6-,1", &pdf.Report{}, func(pages string) (io.WriteCloser, error) {
		files[pages] = &target{}
		return files[pages], nil
	})
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	for pages, want := range map[string]string{"2-4": "Žluťoučký кот Ω||One & <1>\nsecond line", "6": "", "1": "One & <1>\nsecond line"} {
		check(t, files[pages].Bytes())
		if got := texts(t, files[pages].Bytes()); got != want {
			t.Errorf("pages %s: %q", pages, got)
		}
	}
	out, report, err := tryEdit(t, data, `[{"op": "delete_page", "page": 1}, {"op": "add_page", "page": 1}, {"op": "add_text", "page": 1, "text": "first", "position": {"x": 50, "y": 50}}]`)
	if err != nil || report.Pages != 3 {
		t.Fatal(report, err)
	}
	check(t, out)
	if got := texts(t, out); got != "first|Žluťoučký кот Ω|" {
		t.Errorf("edited: %q", got)
	}
}

type target struct{ bytes.Buffer }

func (*target) Close() error { return nil }

func TestMistakesAreNamed(t *testing.T) {
	data := three(t)
	for op, want := range map[string]string{
		`{"op": "delete_page", "page": 4}`:                                       "operation 1 (delete_page): there is no page 4: the file has 3",
		`{"op": "add_page", "size": "B7"}`:                                       `operation 1 (add_page): there is no page size "B7"`,
		`{"op": "add_text", "page": 1, "text": "日本"}`:                            "operation 1 (add_text): the font has no characters '日' (U+65E5), '本' (U+672C)",
		`{"op": "add_text", "page": 1, "text": "x", "style": {"color": "red"}}`:  `operation 1 (add_text): "red" is not a colour`,
		`{"op": "add_text", "page": 1, "text": "x", "style": {"font": "f.ttf"}}`: "operation 1 (add_text): the font cannot be read: sfnt: invalid font",
		`{"op": "fill_form", "fields": {"a": "b"}}`:                              "operation 1 (fill_form): the file has no fields to fill in",
		`{"op": "sign"}`: `operation 1 (sign): there is no operation "sign"`,
	} {
		out, _, err := tryEdit(t, data, "["+op+"]")
		if e, ok := err.(*api.Error); !ok || e.Message != want || e.Code != api.CodeValidation || len(out) > 0 {
			t.Errorf("%s: %v", op, err)
		}
	}
	for _, ranges := range []string{"0", "4", "2-1", "x", "1-9", "-3", "1,,2"} {
		if _, err := mustOpen(t, data).ExtractText(ranges, 0); err == nil {
			t.Errorf("pages %q are taken", ranges)
		}
	}
}

func TestFilesThatCannotBeReadAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"text":    {[]byte("hello"), api.KindWrongFormat},
		"empty":   {nil, api.KindWrongFormat},
		"damaged": {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), 5000)...), api.KindDamaged},
	} {
		_, err := open(t, c.data, "")
		if e, ok := err.(*api.Error); !ok || e.Code != api.CodeReadFailed || e.Kind != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestADamagedPageLeavesTheOthers: what can be read of a file is read, and what
// cannot is said.
func TestADamagedPageLeavesTheOthers(t *testing.T) {
	data := bytes.Replace(form(), []byte("/Kids[3 0 R]/Count 1"), []byte("/Kids[3 0 R 99 0 R]/Count 2"), 1)
	text, err := mustOpen(t, data).ExtractText("", 0)
	if err != nil || len(text.Pages) != 1 || len(text.Caveats) != 1 || !strings.HasSuffix(text.Caveats[0].Text, "cannot be read: 2") {
		t.Errorf("%+v, %v", text, err)
	}
}

// TestTheEndOfTheContextEndsIt: nothing runs on behind a call that was given up.
func TestTheEndOfTheContextEndsIt(t *testing.T) {
	data := three(t)
	ctx, cancel := context.WithCancel(t.Context())
	d, err := pdf.Open(ctx, bytes.NewReader(data), int64(len(data)), compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	cancel()
	if _, err := d.ExtractText("", 0); err == nil {
		t.Error("it goes on")
	}
}

// form is a file with fields: a text, a box, two buttons and a list.
func form() []byte {
	objects := []string{
		`<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 5 0 R 6 0 R 9 0 R]/DR<</Font<</Helv 10 0 R>>>>/DA(/Helv 12 Tf 0 g)>>>>`,
		`<</Type/Pages/Kids[3 0 R]/Count 1>>`,
		`<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Annots[4 0 R 5 0 R 7 0 R 8 0 R 9 0 R]>>`,
		`<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[50 350 250 370]/F 4/DA(/Helv 12 Tf 0 g)/P 3 0 R>>`,
		`<</Type/Annot/Subtype/Widget/FT/Btn/T(agree)/Rect[50 300 70 320]/F 4/V/Off/AS/Off/AP<</N<</Yes 11 0 R/Off 11 0 R>>>>/P 3 0 R>>`,
		`<</FT/Btn/Ff 49152/T(size)/V/Off/Kids[7 0 R 8 0 R]>>`,
		`<</Type/Annot/Subtype/Widget/Parent 6 0 R/Rect[50 250 70 270]/F 4/AS/Off/AP<</N<</S 11 0 R/Off 11 0 R>>>>/P 3 0 R>>`,
		`<</Type/Annot/Subtype/Widget/Parent 6 0 R/Rect[90 250 110 270]/F 4/AS/Off/AP<</N<</L 11 0 R/Off 11 0 R>>>>/P 3 0 R>>`,
		`<</Type/Annot/Subtype/Widget/FT/Ch/Ff 131072/T(color)/Opt[(red)(green)]/Rect[50 200 250 220]/F 4/DA(/Helv 12 Tf 0 g)/P 3 0 R>>`,
		`<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>`,
		"<</Type/XObject/Subtype/Form/BBox[0 0 20 20]/Length 0>>stream\n\nendstream",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func TestFormsAreFilledIn(t *testing.T) {
	out, report, err := tryEdit(t, form(), `[{"op": "fill_form", "fields": {"name": "Größe Ł", "agree": true, "size": "L", "color": "green"}}]`)
	if err != nil || len(report.Caveats) > 0 {
		t.Fatal(report, err)
	}
	check(t, out)
	fields, err := mustOpen(t, out).FormFields()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, f := range fields {
		got[f.Name+" "+f.Type] = f.Value
	}
	for name, want := range map[string]any{"name text": "Größe Ł", "agree checkbox": true, "size radio": "L", "color combo": "green"} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v; all: %+v", name, got[name], want, fields)
		}
	}
	if info, err := mustOpen(t, out).Info(); err != nil || !info.Form {
		t.Errorf("%+v, %v", info, err)
	}
	if _, report, err = tryEdit(t, form(), `[{"op": "fill_form", "fields": {"name": "Ms. 山田"}}]`); err != nil || len(report.Caveats) != 1 || !strings.Contains(report.Caveats[0].Text, "'山' (U+5C71), '田' (U+7530)") {
		t.Error(report, err)
	}
	for op, want := range map[string]string{
		`{"nobody": "x"}`: `operation 1 (fill_form): there is no field "nobody"`,
		`{"agree": "x"}`:  `operation 1 (fill_form): the field "agree" is a box: its value is true or false`,
		`{"color": "x"}`:  `operation 1 (fill_form): x is not an option of the field "color"`,
	} {
		if _, _, err := tryEdit(t, form(), `[{"op": "fill_form", "fields": `+op+`}]`); err == nil || err.Error() != want {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestFewPagesAreRecognized: a book of pictures does not take hours, whether pages have a
// text or not, and what was not looked at is told.
func TestFewPagesAreRecognized(t *testing.T) {
	const pages = 13
	ops := make([]string, 0, 2*pages)
	for n := 1; n <= pages; n++ {
		ops = append(ops, `{"op": "add_page"}`, fmt.Sprintf(`{"op": "add_image", "page": %d, "image": "x.png", "position": {"x": 72, "y": 72}, "width": 200}`, n))
	}
	data := create(t, "["+strings.Join(ops, ",")+"]")
	for text, kinds := range map[string][]api.CaveatKind{"": {api.CaveatUnread}, "a text": {api.CaveatUnread, api.CaveatGuessed}} {
		d, calls := mustOpen(t, data), 0
		d.Recognize = func(context.Context, []byte, int) (string, error) { calls++; return text, nil }
		out, err := d.ExtractText("", 0)
		if err != nil {
			t.Fatal(err)
		}
		var told []api.CaveatKind
		for _, c := range out.Caveats {
			told = append(told, c.Kind)
		}
		if calls < 1 || calls > 10 || !slices.Equal(told, kinds) {
			t.Errorf("%q: %d pages were recognized, told %v", text, calls, told)
		}
	}
}

// TestAHugePictureStaysAScan: drawing it would take the time that all pages have.
func TestAHugePictureStaysAScan(t *testing.T) {
	for side, recognized := range map[int]bool{35_000: false, 300: true} {
		picture := fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %[1]d/ColorSpace/DeviceGray/BitsPerComponent 1"+
			"/Length 1>>stream\n0\nendstream", side)
		d := mustOpen(t, []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n"+
			"4 0 obj<</Length 24>>stream\nq 600 0 0 600 0 0 cm /I Do Q\nendstream endobj\n5 0 obj"+picture+" endobj\ntrailer<</Root 1 0 R>>\n"))
		d.Recognize = func(context.Context, []byte, int) (string, error) { return "a text", nil }
		out, err := d.ExtractText("", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Pages[0]; !got.Pictures || got.Recognized != recognized || len(out.Caveats) != 1 {
			t.Errorf("side %d: %+v", side, out)
		}
	}
}

// foreign lists the files that PDFium's own tests are made of, and those in the
// folder that the variable DA_DOCUMENTS names.
func foreign(t testing.TB) []string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, folder := range []string{filepath.Join(strings.TrimSpace(string(dir)), "shared_tests", "testdata"), os.Getenv("DA_DOCUMENTS")} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, paths...)
	}
	if len(all) < 100 {
		t.Fatalf("there are only %d files", len(all))
	}
	if os.Getenv("DA_DOCUMENTS") != "" {
		return all
	}
	var some []string // all of them take a minute
	for i := 0; i < len(all); i += 6 {
		some = append(some, all[i])
	}
	return some
}

// TestForeignFiles reads files that were made to be hard to read, and compares the
// words with those that another program reads; each is changed and checked.
func TestForeignFiles(t *testing.T) {
	testneed.Program(t, "pdftotext")
	var ours, theirs []string
	for _, path := range foreign(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		d, err := open(t, data, "")
		if err != nil {
			if e, ok := err.(*api.Error); !ok || e.Code != api.CodeReadFailed {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		text, err := d.ExtractText("", 0)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		var damaged *api.Error
		if _, err := d.Info(); err != nil && !(errors.As(err, &damaged) && damaged.Code == api.CodeReadFailed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := d.FormFields(); err != nil && !strings.HasPrefix(err.Error(), "the form on page ") {
			t.Errorf("%s: %v", name, err)
		}
		if sound(t, path) {
			changed(t, name, data, d.Pages())
		}
		said, err := exec.CommandContext(t.Context(), "pdftotext", path, "-").Output()
		if err != nil {
			continue
		}
		var words []string
		for _, p := range text.Pages {
			words = append(words, strings.Fields(p.Text)...)
		}
		other := strings.Fields(string(said))
		ours, theirs = append(ours, words...), append(theirs, other...)
		d.Close()
	}
	recall, precision := shared(ours, theirs), shared(theirs, ours)
	t.Logf("%.3f of the words that pdftotext reads are found, and %.3f of those found are its own, of %d", recall, precision, len(theirs))
	if recall < 0.8 || precision < 0.8 { // some are turned, and only we read those as words
		t.Error("another program reads other words")
	}
}

// sound reports whether another program finds nothing wrong with a file.
func sound(t testing.TB, path string) bool {
	t.Helper()
	testneed.Program(t, "qpdf")
	return exec.CommandContext(t.Context(), "qpdf", "--check", path).Run() == nil
}

// changed adds a page to a file and has another program check the result.
func changed(t testing.TB, name string, data []byte, pages int) {
	t.Helper()
	out, report, err := tryEdit(t, data, fmt.Sprintf(`[{"op": "add_page"}, {"op": "add_text", "page": %d, "text": "added", "position": {"x": 70, "y": 700}}]`, pages+1))
	if err != nil || report.Pages != pages+1 {
		t.Errorf("%s: %+v, %v", name, report, err)
		return
	}
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	if !sound(t, path) {
		t.Errorf("%s: qpdf finds faults after the change that were not there before", name)
	}
	joined(t, name, data)
}

// joined joins a file with itself and has another program check the result.
func joined(t testing.TB, name string, data []byte) {
	t.Helper()
	var out bytes.Buffer
	source := pdf.Source{R: bytes.NewReader(data), Size: int64(len(data))}
	if _, err := pdf.Merge(t.Context(), &out, []pdf.Source{source, source}, compiled(t)); err != nil {
		if e, ok := err.(*api.Error); !ok || e.Kind != api.KindRestricted {
			t.Errorf("%s: join: %v", name, err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if !sound(t, path) {
		t.Errorf("%s: qpdf finds faults after joining that were not there before", name)
	}
	before, after := mustOpen(t, data), mustOpen(t, out.Bytes())
	was, err := before.FormFields()
	now, failed := after.FormFields()
	shared := name == "annotiter.pdf" || name == "links_highlights_annots.pdf" // their pages have the same fields
	if err == nil && !shared && (failed != nil || len(now) != 2*len(was)) {
		t.Errorf("%s: of %d fields there are %d: %v", name, len(was), len(now), failed)
	}
	if a, b := len(before.Bookmarks()), len(after.Bookmarks()); b != 2*a {
		t.Errorf("%s: of %d bookmarks there are %d", name, a, b)
	}
	if a, b := texts(t, data), texts(t, out.Bytes()); b != a+"|"+a {
		t.Errorf("%s: the texts differ", name)
	}
}

// shared is which part of the words b is in a.
func shared(a, b []string) float64 {
	if len(b) == 0 {
		return 1
	}
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	hits := 0
	for _, w := range b {
		if count[w]--; count[w] >= 0 {
			hits++
		}
	}
	return float64(hits) / float64(len(b))
}

// TestFilesThatAreDrawnInAnotherOrder reads whole files from the top down.
func TestFilesThatAreDrawnInAnotherOrder(t *testing.T) {
	for name, want := range map[string]string{
		"pdf_drawn_bottom_up.pdf":   "Region Qty Price\nNorth 10 1.50\nSouth 20 2.50\nWest 30 3.50",
		"pdf_total_drawn_first.pdf": "Item Amount\nService A 110.00\nService B 220.00\nTotal 330.00",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := mustOpen(t, data).ExtractText("", 0)
		if err != nil || len(got.Pages) != 1 || got.Pages[0].Text != want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// TestCopiesOfPagesKeepTheirForm joins a form with itself and takes its first page: the
// fields go along, those of the second copy under other names, and can be filled in.
func TestCopiesOfPagesKeepTheirForm(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "form.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	source := pdf.Source{R: bytes.NewReader(data), Size: int64(len(data))}
	report, err := pdf.Merge(t.Context(), &out, []pdf.Source{source, source}, compiled(t))
	if err != nil || !strings.Contains(strings.Join(api.Texts(report.Caveats), "; "), "file 2: 5 fields are named with _2 behind") {
		t.Errorf("%+v %v", report, err)
	}
	check(t, out.Bytes())
	filled, _, err := tryEdit(t, out.Bytes(), `[{"op": "fill_form", "fields": {"name.voll": "eins", "name_2.voll": "zwei", "ok_2": true}}]`)
	if err != nil {
		t.Fatal(err)
	}
	check(t, filled)
	values := map[string]any{}
	fields, err := mustOpen(t, filled).FormFields()
	for _, f := range fields {
		values[f.Name] = f.Value
	}
	if err != nil || len(fields) != 10 || values["name.voll"] != "eins" || values["name_2.voll"] != "zwei" || values["ok"] != false || values["ok_2"] != true {
		t.Errorf("%v %v", values, err)
	}
	first := target{}
	if _, err := mustOpen(t, data).Split("1", &pdf.Report{}, func(string) (io.WriteCloser, error) { return &first, nil }); err != nil {
		t.Fatal(err)
	}
	if fields, err := mustOpen(t, first.Bytes()).FormFields(); err != nil || len(fields) != 5 {
		t.Errorf("the first page has the fields %v, %v", fields, err)
	}
}

// outlined has two pages, a bookmark with one below it, a link by name from each page to
// the other, a title and a signature, as programs that write PDF make them.
const outlined = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/PageMode/UseOutlines/Names<</Dests<</Names[(one)[3 0 R/Fit](two)<</D[4 0 R/Fit]>>]>>>>/AcroForm<</Fields[10 0 R]/SigFlags 3>>>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 200 100]>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/Annots[8 0 R 10 0 R]>> endobj
4 0 obj <</Type/Page/Parent 2 0 R/Annots[9 0 R]>> endobj
5 0 obj <</Type/Outlines/First 6 0 R/Last 6 0 R/Count 2>> endobj
6 0 obj <</Title(First \(1\))/Parent 5 0 R/A<</S/GoTo/D(one)>>/First 7 0 R/Last 7 0 R/Count 1>> endobj
7 0 obj <</Title<FEFF005A007700650069>/Parent 6 0 R/Dest(two)>> endobj
8 0 obj <</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest(two)>> endobj
9 0 obj <</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D(one)>>>> endobj
10 0 obj <</Type/Annot/Subtype/Widget/FT/Sig/T(seal)/Rect[9 9 20 20]/V<</Type/Sig/Contents<00>>>>> endobj
11 0 obj <</Title(May \(draft\))/Author(Ann)>> endobj
`

// tabled is a file of objects with the table of where they stand.
func tabled(objects string) []byte {
	lines := strings.SplitAfter(objects, "\n")
	at, table := len(lines[0]), ""
	for _, line := range lines[1 : len(lines)-1] {
		table += fmt.Sprintf("%010d 00000 n \n", at)
		at += len(line)
	}
	return fmt.Appendf(nil, "%sxref\n0 %d\n0000000000 65535 f \n%strailer <</Root 1 0 R/Info 11 0 R/Size %[2]d>>\nstartxref\n%[4]d\n%%%%EOF\n",
		objects, len(lines)-1, table, at)
}

// TestCopiesOfPagesKeepBookmarksAndProperties joins and divides a file with bookmarks,
// links by name and a title. What leads to a page that does not go along is told.
func TestCopiesOfPagesKeepBookmarksAndProperties(t *testing.T) {
	data := tabled(outlined)
	source := pdf.Source{R: bytes.NewReader(data), Size: int64(len(data))}
	var out bytes.Buffer
	report, err := pdf.Merge(t.Context(), &out, []pdf.Source{source, source}, compiled(t))
	if got := strings.Join(api.Texts(report.Caveats), "; "); err != nil || !strings.Contains(got, "signatures are not kept") || !strings.Contains(got, "of the first file") {
		t.Errorf("%s %v", got, err)
	}
	check(t, out.Bytes())
	d := mustOpen(t, out.Bytes())
	if info, err := d.Info(); err != nil || info.Title != "May (draft)" || info.Author != "Ann" {
		t.Errorf("%+v %v", info, err)
	}
	if got, want := fmt.Sprint(d.Bookmarks()), "[First (1) Zwei First (1) Zwei]"; got != want || strings.Count(out.String(), "/Dest [") != 6 {
		t.Errorf("joined: %s", got)
	}
	last := target{}
	report = &pdf.Report{}
	if _, err := mustOpen(t, data).Split("2", report, func(string) (io.WriteCloser, error) { return &last, nil }); err != nil {
		t.Fatal(err)
	}
	check(t, last.Bytes())
	if got, want := fmt.Sprint(mustOpen(t, last.Bytes()).Bookmarks()), "[First (1) Zwei]"; got != want || strings.Count(last.String(), "/Dest [") != 1 {
		t.Errorf("the second page: %s", got)
	}
	if got := strings.Join(api.Texts(report.Caveats), "; "); !strings.Contains(got, "1 link leads to pages that are not in the new file") {
		t.Errorf("the second page: %s", got)
	}
	if bytes.Contains(last.Bytes(), []byte("seal")) {
		t.Error("a field of another page goes along")
	}
}

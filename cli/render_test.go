package cli

import (
	"encoding/json"
	"image"
	_ "image/png" // decoded
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestFilesAreDrawn draws pages, sheets and slides with the LibreOffice of this
// machine, and looks for ink.
func TestFilesAreDrawn(t *testing.T) {
	testneed.Program(t, "soffice")
	t.Parallel()
	p := newPlace(t)
	for name, operations := range map[string]string{
		"b.xlsx": `[{"op":"ensure_sheet","sheet":"May"},{"op":"set_range","sheet":"May","start":"B2","values":[["in May"]]},{"op":"ensure_sheet","sheet":"Long"},{"op":"set_range","sheet":"Long","start":"A600","values":[["far below"]]}]`,
		"m.docx": `[{"op":"append_heading","text":"A memo"},{"op":"append_paragraph","text":"about sales"}]`,
		"t.pptx": `[{"op":"add_slide","title":"One"},{"op":"add_slide","title":"Two"}]`,
	} {
		if out := p.run("files", "edit", name, "--create", "--operations", operations); out.code != 0 {
			t.Fatal(out)
		}
	}
	for args, want := range map[string]struct {
		file  string
		pages int
	}{
		"b.xlsx --sheet May": {"b-May.png", 0}, "b.xlsx --page 1": {"b-1.png", 0}, "m.docx": {"m-1.png", 1}, "t.pptx --slide 2 --side 400": {"t-2.png", 2}, "t.pptx --out t.pdf": {"t.pdf", 2},
	} {
		out := p.run(append([]string{"files", "render", "--json"}, strings.Fields(args)...)...)
		var said struct {
			Path                 string
			Pages, Width, Height int
		}
		if err := json.Unmarshal([]byte(out.stdout), &said); err != nil || out.code != 0 {
			t.Fatal(args, out)
		}
		if filepath.Base(said.Path) != want.file || want.pages != 0 && said.Pages != want.pages {
			t.Errorf("%s: %+v", args, said)
		}
		data, err := os.ReadFile(said.Path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(want.file, ".pdf") {
			if !strings.HasPrefix(string(data), "%PDF-") {
				t.Errorf("%s: it is no PDF", args)
			}
			continue
		}
		picture, _, err := image.Decode(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(args, err)
		}
		if size := picture.Bounds().Size(); size.X != said.Width || size.Y != said.Height || !hasInk(picture) {
			t.Errorf("%s: a picture of %v, with ink: %t; said are %d × %d", args, size, hasInk(picture), said.Width, said.Height)
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, "locked.xlsx"), []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"+strings.Repeat("\x00", 1024)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.ok("files", "put", "locked.xlsx")
	for args, message := range map[string]string{
		"locked.xlsx":         "It has a password",
		"b.xlsx --sheet Long": "too many for one picture", "b.xlsx --sheet June": `there is no sheet "June"`, "m.docx --page 9": "page 9", "m.docx --sheet May": "of a workbook", "t.pptx --out t.gif": ".png or .pdf",
	} {
		if out := p.run(append([]string{"files", "render"}, strings.Fields(args)...)...); out.code == 0 || !strings.Contains(out.stderr, message) {
			t.Errorf("%s: %v", args, out)
		}
	}
}

// hasInk reports whether something dark is on a picture.
func hasInk(m image.Image) bool {
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); r+g+b < 3*0x4000 {
				return true
			}
		}
	}
	return false
}

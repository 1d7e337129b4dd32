package cli

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
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

// TestDrawnFilesReachNothing draws a document that links to a picture here and to one on the
// network: neither is read, and the one that lies in the file is drawn.
func TestDrawnFilesReachNothing(t *testing.T) {
	testneed.Program(t, "soffice")
	t.Parallel()
	var hits atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	t.Cleanup(canary.Close)
	p := newPlace(t)
	p.ok("files", "edit", "t.pptx", "--create", "--operations", `[{"op":"add_slide","title":"One"}]`)
	p.ok("files", "render", "t.pptx", "--out", "ink.png")
	p.ok("files", "put", "ink.png")
	p.ok("files", "edit", "a.docx", "--create", "--operations", `[{"op":"append_picture","picture":"ink.png"}]`)
	p.ok("files", "get", "a.docx", "--out", "a.docx")
	for name, target := range map[string]string{"own.docx": "", "here.docx": "file://" + filepath.Join(p.dir, "ink.png"), "web.docx": canary.URL + "/ink.png"} {
		linked(t, filepath.Join(p.dir, "a.docx"), filepath.Join(p.dir, name), target)
		p.ok("files", "put", name)
		p.ok("files", "render", name, "--out", name+".png")
		data, err := os.ReadFile(filepath.Join(p.dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil || hasInk(picture) != (target == "") {
			t.Errorf("%s: ink %t, %v", name, err == nil && hasInk(picture), err)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the network was reached %d times", hits.Load())
	}
}

// linked copies a document whose picture becomes a link, if there is a target.
func linked(t *testing.T, from, to, target string) {
	t.Helper()
	old, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range old.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if target != "" {
			data = bytes.ReplaceAll(data, []byte("r:embed="), []byte("r:link="))
			data = regexp.MustCompile(`Target="[^"]*media/[^"]*"`).ReplaceAll(data, []byte(`Target="`+target+`" TargetMode="External"`))
		}
		w, createErr := out.Create(f.Name)
		if createErr == nil {
			_, createErr = w.Write(data)
		}
		if err = errors.Join(err, createErr); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), os.WriteFile(to, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
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

// TestModelsSeeFiles has models look at a page, in each protocol: the picture goes with
// the requests of its turn, and not with those of the next. One that refuses pictures
// goes on without.
func TestModelsSeeFiles(t *testing.T) {
	t.Parallel()
	for _, kind := range append(slices.Clone(provider.Kinds), "blind") {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			var seen []int // pictures, by requests
			steps := modelSteps(func([]provider.Result) string { return "It looks well." },
				[]provider.Call{providertest.Call("a", "render_file", map[string]any{"path": "a.pdf"})},
				[]provider.Call{providertest.Call("b", "list_files", map[string]any{})})
			blind := kind == "blind"
			model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
				n := 0
				for _, m := range r.Messages {
					for _, b := range m.Blocks {
						if b.Result == nil || b.Result.Picture == nil {
							continue
						}
						n++
						if m, err := png.Decode(bytes.NewReader(b.Result.Picture.PNG)); err != nil || m.Bounds().Dx() != 1000 {
							t.Errorf("the picture: %v", err)
						}
					}
				}
				if seen = append(seen, n); n > 0 && blind {
					return providertest.Reply{Status: 400, Error: "image_url is not supported"}
				}
				return steps(r)
			})
			if blind {
				kind = provider.Compatible
			}
			p := newPlace(t).withModel(model, kind)
			p.ok("files", "pdf", "add-page", "a.pdf", "--create-if-missing", "--orientation", "landscape")
			out := p.run("ask", "How does it look?")
			want := []int{0, 1, 1}
			if blind {
				want = []int{0, 1, 0, 0}
			}
			if out.code != 0 || !slices.Equal(seen, want) || blind != strings.Contains(out.stderr, "takes no pictures") {
				t.Fatalf("pictures by requests: %v\n%v", seen, out)
			}
			if out := p.run("ask", "--continue", "And now?"); out.code != 0 || seen[len(want)] != 0 {
				t.Errorf("in the next turn: %v\n%v", seen, out)
			}
		})
	}
}

// TestScansAreRecognized reads a page that is a picture, and says so; without tesseract
// the page is named.
func TestScansAreRecognized(t *testing.T) {
	testneed.Program(t, "tesseract")
	t.Parallel()
	p := newPlace(t)
	p.ok("files", "edit", "t.pdf", "--create", "--operations", `[{"op":"add_page"},{"op":"add_text","page":1,"text":"Bicycles sold in May: 4,213","position":{"x":72,"y":600},"style":{"size":20}}]`)
	p.ok("files", "render", "t.pdf", "--page", "1", "--side", "1600", "--out", "p.png")
	p.ok("files", "put", "p.png")
	p.ok("files", "edit", "scan.pdf", "--create", "--operations", `[{"op":"add_page"},{"op":"add_image","page":1,"image":"p.png","position":{"x":0,"y":0},"width":595}]`)
	for _, c := range []struct {
		p            *place
		text, reason string
	}{{p, "Bicycles sold in May: 4,213", `"kind":"guessed"`}, {p.with("PATH=" + t.TempDir()), `"text":""`, `"reason":"scan"`}} {
		if got := c.p.ok("files", "read", "scan.pdf", "--json"); !strings.Contains(got, c.text) || !strings.Contains(got, c.reason) {
			t.Errorf("want %q and %s: %s", c.text, c.reason, got)
		}
	}
}

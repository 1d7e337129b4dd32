package pptx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/internal/testing/doctest"
)

// picture is a PNG of 40 by 20 pixels, whatever its name.
func picture(string) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 20)))
	return b.Bytes(), err
}

func tryEdit(t testing.TB, data []byte, ops string) ([]byte, *pptx.Report, error) {
	t.Helper()
	var all []pptx.Operation
	if err := json.Unmarshal([]byte(ops), &all); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := pptx.Edit(bytes.NewReader(data), int64(len(data)), &out, all, pptx.Options{Picture: picture})
	return out.Bytes(), report, err
}

func edit(t testing.TB, data []byte, ops string) []byte {
	t.Helper()
	out, _, err := tryEdit(t, data, ops)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t testing.TB, data []byte) *pptx.Presentation {
	t.Helper()
	p, err := pptx.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t testing.TB, data []byte) string {
	t.Helper()
	text, err := open(t, data).ReadAll(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func deck(t testing.TB) []byte {
	t.Helper()
	blank, err := pptx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	return edit(t, blank, `[
		{"op": "add_slide", "layout": "title slide", "title": "Delays", "text": "March"},
		{"op": "add_slide", "title": "Why", "items": ["weather", "\twind", "crew"]},
		{"op": "append_bullets", "index": 1, "items": ["late & <early>"]},
		{"op": "add_slide", "title": "Figures"},
		{"op": "add_table", "index": 2, "rows": [["carrier", "flights"], ["AA", 12]]},
		{"op": "add_slide", "layout": "Title Only", "title": "Picture"},
		{"op": "add_picture", "slide_index": 3, "picture": "x.png", "alt": "a chart"},
		{"op": "set_notes", "index": 1, "text": "Speak\nslowly"},
		{"op": "move_slide", "index": 3, "to": 1},
		{"op": "replace_text", "find": "weather", "replace": "storms"}
	]`)
}

const deckText = `## Slide 0: Delays

March

## Slide 1: Picture

![a chart](ppt/media/image1.png)

## Slide 2: Why

- storms
   - wind
- crew
- late & <early>

> Notes: Speak
> slowly

## Slide 3: Figures

| carrier | flights |
| --- | --- |
| AA | 12 |
`

func TestAPresentationIsWrittenAndRead(t *testing.T) {
	data := deck(t)
	if got := read(t, data); got != deckText {
		t.Errorf("read:\n%s", got)
	}
	o, err := open(t, data).Outline()
	if err != nil || len(o.Slides) != 4 || o.Slides[1].Pictures != 1 || o.Slides[3].Tables != 1 || !o.Slides[2].Notes || o.Slides[2].Layout != "Title and Content" || len(o.Layouts) != 4 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestDeletedSlidesTakeAlongWhatIsTheirs: no picture and no notes stay behind, and
// nothing of the others goes.
func TestDeletedSlidesTakeAlongWhatIsTheirs(t *testing.T) {
	before := deck(t)
	after := edit(t, before, `[{"op": "delete_slide", "index": 2}, {"op": "delete_slide", "index": 1}]`)
	if got := read(t, after); strings.Contains(got, "Why") || !strings.Contains(got, "Figures") || !strings.Contains(got, "Delays") {
		t.Errorf("read:\n%s", got)
	}
	gone := doctest.Differing(t, before, after)
	for _, part := range []string{"[Content_Types].xml", "ppt/_rels/presentation.xml.rels", "ppt/media/image1.png"} {
		if !slices.Contains(gone, part) {
			t.Errorf("%s did not change: %v", part, gone)
		}
	}
	if bytes.Contains(after, []byte("image1.png")) || bytes.Contains(after, []byte("notesSlide1")) {
		t.Error("parts of deleted slides are still there")
	}
}

// TestForeignPresentations reads and changes what other programs made; LibreOffice
// shows the result.
func TestForeignPresentations(t *testing.T) {
	results, originals := map[string][]byte{"deck.pptx": deck(t)}, map[string][]byte{}
	for i, path := range doctest.Foreign(t, ".pptx", ".pptm") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pptx.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if !doctest.Refused(t, path, err) {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		o, err := p.Outline()
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		before, last := read(t, data), len(o.Slides)
		out := edit(t, data, fmt.Sprintf(`[{"op": "add_slide"}, {"op": "add_table", "index": %d, "rows": [["added", "cell"], [1, 2]]},
			{"op": "add_picture", "index": %[1]d, "picture": "x", "top_cm": 10}, {"op": "set_notes", "index": %[1]d, "text": "added notes"}]`, last))
		if after := read(t, out); !strings.HasPrefix(after, before) || !strings.Contains(after, "| added | cell |") || !strings.Contains(after, "> Notes: added notes") {
			t.Errorf("%s: after the change it reads\n%s", path, after)
		}
		for _, part := range doctest.Touched(t, data, out) {
			switch name := filepath.Base(part); {
			case strings.HasPrefix(name, "notes"), strings.HasPrefix(name, "theme"), strings.HasPrefix(name, "image"), name == fmt.Sprintf("slide%d.xml", last+1):
			default:
				t.Errorf("%s: the change touched %s", path, part)
			}
		}
		for gone := last; gone > 0; gone-- {
			out = edit(t, out, `[{"op": "delete_slide", "index": 0}]`)
		}
		name := fmt.Sprintf("%03d-%s", i, filepath.Base(path))
		results[name], originals[name] = out, data
	}
	t.Logf("%d presentations are changed", len(results))
	for name, pdf := range doctest.ConvertChanged(t, results, originals, "pdf") {
		if len(pdf) == 0 {
			t.Errorf("%s: LibreOffice makes nothing of it", name)
		}
	}
}

// TestMistakesAreNamed: an error says which operation cannot be carried out, and why.
func TestMistakesAreNamed(t *testing.T) {
	data := deck(t)
	for op, want := range map[string]string{
		`{"op": "replace_text", "search": "none"}`:           `"none" does not occur`,
		`{"op": "set_slide_text", "index": 9, "title": "x"}`: "there is no slide 9: the last is 3",
		`{"op": "set_slide_text", "index": 0}`:               "set_slide_text needs title, text or items",
		`{"op": "set_slide_text", "index": 1, "text": "x"}`:  "the slide has no body, and neither has its layout",
		`{"op": "add_slide", "layout": "Fancy"}`:             `there is no layout "Fancy"`,
		`{"op": "move_slide", "index": 0, "to": 4}`:          "a slide can be moved to 0 to 3, not to 4",
		`{"op": "append_bullets", "items": ["x"]}`:           "append_bullets needs index",
		`{"op": "set_notes", "index": 0, "text": "x\u0000"}`: "the text has the control character U+0000 at byte 1, which an office document cannot hold",
		`{"op": "add_table", "index": 0, "rows": [[]]}`:      "a table has from 1 to 50 columns, not 0",
	} {
		_, _, err := tryEdit(t, data, `[`+op+`]`)
		if e, ok := err.(*api.Error); !ok || !strings.HasSuffix(e.Message, "): "+want) || e.Code != api.CodeValidation {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestTitlesOfChartsAreReplaced holds that a text is replaced in charts, too, and
// that hidden slides are read as such.
func TestTitlesOfChartsAreReplaced(t *testing.T) {
	blank, err := pptx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	data := edit(t, blank, `[{"op": "add_slide", "title": "Sales"}]`)
	pkg, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pkg.Parts(), func(part string) bool {
		return strings.HasPrefix(part, "ppt/slides/slide") && strings.HasSuffix(part, ".xml")
	})
	slide, chart := pkg.Parts()[i], "ppt/charts/chart1.xml"
	pkg.Set(chart, []byte(`<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">`+
		`<c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Sales of ACME</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>`))
	if err := pkg.SetType(chart, "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"); err != nil {
		t.Fatal(err)
	}
	if _, err := pkg.Relate(slide, "chart", chart); err != nil {
		t.Fatal(err)
	}
	tree, err := pkg.Tree(slide)
	if err != nil {
		t.Fatal(err)
	}
	tree.Root.Set("show", "0")
	pkg.Touch(slide)
	var with bytes.Buffer
	if err := pkg.Write(&with); err != nil {
		t.Fatal(err)
	}
	if text := read(t, with.Bytes()); !strings.Contains(text, "Sales (hidden)") {
		t.Errorf("a hidden slide: %s", text)
	}
	out := edit(t, with.Bytes(), `[{"op": "replace_text", "search": "ACME", "replace": "BETA"}]`)
	after, err := ooxml.Open(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := after.Read(chart); err != nil || !strings.Contains(string(text), "Sales of BETA") {
		t.Errorf("the chart: %s %v", text, err)
	}
}

// TestASlideThatIsListedTwice is changed once, and read no further than asked for.
func TestASlideThatIsListedTwice(t *testing.T) {
	blank, err := pptx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	data := edit(t, blank, `[{"op": "add_slide", "title": "Sales"}]`)
	pkg, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	main, err := pkg.Read("ppt/presentation.xml")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(main), "<p:sldIdLst>")
	list, _, _ = strings.Cut(list, "</p:sldIdLst>")
	pkg.Set("ppt/presentation.xml", bytes.Replace(main, []byte(list), []byte(strings.Repeat(list, 3)), 1))
	var with bytes.Buffer
	if err := pkg.Write(&with); err != nil {
		t.Fatal(err)
	}
	out, report, err := tryEdit(t, with.Bytes(), `[{"op": "replace_text", "search": "Sales", "replace": "Sales, Sales"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, out); strings.Count(text, ": Sales, Sales\n") != 3 || report.Results[0].Replaced != 1 {
		t.Errorf("%d replaced: %s", report.Results[0].Replaced, text)
	}
	if text, err := open(t, out).ReadAll(10); err != nil || strings.Count(text, "Slide") != 1 {
		t.Errorf("%v: %s", err, text)
	}
}

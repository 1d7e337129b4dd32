package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/goregular"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/pdf"
)

// TestCharactersWithoutAFontAreNamed: nothing becomes a box without a word.
func TestCharactersWithoutAFontAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"Total: المجموع": "'ا' (U+0627), 'ل' (U+0644)",
		"कुल बिक्री":     "'क' (U+0915)",
		"合计":             "'合' (U+5408), '计' (U+8BA1)",
		"up 🚀":           "character '🚀' (U+1F680)",
		"一二三四五六七八九十百千":   "'十' (U+5341) and 2 more",
	} {
		out, _, err := tryEdit(t, three(t), `[{"op": "add_text", "page": 1, "text": "`+text+`", "position": {"x": 9, "y": 9}}]`)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) || !strings.Contains(e.Hint, "style.font") || len(out) > 0 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAccentsAreComposed: a text whose accents are characters of their own, as the
// names of files have on some systems, is written with the letters that fonts have.
func TestAccentsAreComposed(t *testing.T) {
	out, report, err := tryEdit(t, three(t), `[{"op": "add_text", "page": 1, "text": "re\u0301sume\u0301 z\u030cebr\u030cik", "position": {"x": 9, "y": 9}}]`)
	if err != nil || len(report.Caveats) > 0 {
		t.Fatalf("%v, %+v", err, report)
	}
	d, err := open(t, out, "")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.ExtractText("1", 0); err != nil || !strings.Contains(text.Pages[0].Text, "résumé žebřik") {
		t.Errorf("%+v, %v", text, err)
	}
}

// TestScriptsThatNeedShapingAreNamed, in whichever font they are written.
func TestScriptsThatNeedShapingAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"Größe Ωμέγα Ёж 東京 かな 한국어 ₿": "",
		"مرحبا":           "Arabic",
		"ߒߞߏ":             "Nko",
		"ଓଡ଼ିଆ ภาษา":      "Oriya and Thai",
		"ދިވެހި":          "Thaana",
		"a שלום हिन्दी b": "Devanagari and Hebrew",
	} {
		if got := strings.Join(pdf.Unshaped(text), " and "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestBrokenFontsAndPictures: a font or a picture that is not what it says it is ends
// in an error or in a file, within the memory and the time that the library has.
func TestBrokenFontsAndPictures(t *testing.T) {
	picture, err := file("")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ops := map[string][]byte{
		`[{"op": "add_page"}, {"op": "add_text", "page": 1, "text": "Žluťoučký", "position": {"x": 9, "y": 9}, "style": {"font": "f.ttf"}}]`: goregular.TTF,
		`[{"op": "add_page"}, {"op": "add_image", "page": 1, "image": "x", "width": 50}]`:                                                    picture,
		`[{"op": "add_page"},  {"op": "add_image", "page": 1, "image": "x", "width": 50}]`:                                                   jpegFile(t),
	}
	taken := 0
	for op, whole := range ops {
		for seed := range uint64(6) {
			broken := bytes.Clone(whole)
			r := rand.New(rand.NewPCG(seed, 18))
			for range 1 + r.IntN(30) {
				broken[r.IntN(len(broken))] = byte(r.IntN(256))
			}
			if r.IntN(4) == 0 {
				broken = broken[:r.IntN(len(broken))]
			}
			var out bytes.Buffer
			_, err := pdf.Create(ctx, &out, operations(t, op), pdf.EditOptions{Options: compiled(t), File: func(string) ([]byte, error) { return broken, nil }})
			var e *api.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("seed %d of %s: %v", seed, op, err)
			}
			if err == nil {
				taken++
				check(t, out.Bytes())
			}
		}
	}
	if taken == 0 || ctx.Err() != nil {
		t.Errorf("%d were taken, %v", taken, ctx.Err())
	}
}

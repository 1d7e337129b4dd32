package pptx_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/internal/testing/doctest"
)

// TestBrokenPresentations: whatever is wrong with a part, the answer is an error of
// the vocabulary or a presentation.
func TestBrokenPresentations(t *testing.T) {
	data := deck(t)
	for seed := range uint64(400) {
		broken := doctest.Broken(t, data, rand.New(rand.NewPCG(seed, 4)))
		_, _, err := tryEdit(t, broken, `[{"op": "replace_text", "search": "e", "replace": "\n"}, {"op": "add_slide", "title": "t", "text": "x"}, {"op": "append_bullets", "index": 2, "items": ["x"]},
			{"op": "set_notes", "index": 0, "text": "n"}, {"op": "add_table", "index": 3, "rows": [[1]]}, {"op": "move_slide", "index": 0, "to": 1}, {"op": "delete_slide", "index": 2}]`)
		if e, ok := err.(*api.Error); err != nil && (!ok || e.Code != api.CodeReadFailed && e.Code != api.CodeValidation) {
			t.Errorf("seed %d: %v", seed, err)
		}
		if p, err := pptx.Open(bytes.NewReader(broken), int64(len(broken))); err == nil {
			_, _ = p.Outline()
			_, _ = p.ReadAll(1 << 20)
		}
	}
}

// TestEndlessListsOfSlides: a list that names one slide over and over is refused before
// the slides are read.
func TestEndlessListsOfSlides(t *testing.T) {
	const part, most = "ppt/presentation.xml", 10_000
	for _, count := range []int{most, most + 1} {
		p, err := ooxml.Open(bytes.NewReader(deck(t)), int64(len(deck(t))))
		if err != nil {
			t.Fatal(err)
		}
		main, err := p.Read(part)
		if err != nil {
			t.Fatal(err)
		}
		text := string(main)
		from, to := strings.Index(text, "<p:sldId "), strings.Index(text, "</p:sldIdLst>")
		entry := text[from:][:strings.Index(text[from:], "/>")+2]
		p.Set(part, []byte(text[:from]+strings.Repeat(entry, count)+text[to:]))
		var out bytes.Buffer
		if err := p.Write(&out); err != nil {
			t.Fatal(err)
		}
		var e *api.Error
		_, err = pptx.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if refused := errors.As(err, &e) && e.Kind == api.KindTooLarge && e.Details["part"] == part; refused != (count > most) {
			t.Errorf("%d slides: %v", count, err)
		}
	}
}

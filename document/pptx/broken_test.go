package pptx_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/doctest"
	"github.com/agnes-data/da/document/pptx"
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
			_, _ = p.ReadAll()
		}
	}
}

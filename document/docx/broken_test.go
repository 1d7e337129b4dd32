package docx_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/internal/testing/doctest"
)

// TestBrokenDocuments: whatever is wrong with a part, the answer is an error of the
// vocabulary or a document.
func TestBrokenDocuments(t *testing.T) {
	blank, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	data, _ := edit(t, blank, memo)
	var ops []docx.Operation
	if err := json.Unmarshal([]byte(`[{"op": "replace_text", "search": "e", "replace": "\n"}, {"op": "append_numbered", "items": ["x"]}, {"op": "append_table", "section": "1", "rows": [[1]]}, {"op": "append_heading", "text": "h", "level": 3}]`), &ops); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(500) {
		broken := doctest.Broken(t, data, rand.New(rand.NewPCG(seed, 3)))
		var out bytes.Buffer
		_, err := docx.Edit(bytes.NewReader(broken), int64(len(broken)), &out, ops, docx.Options{})
		if e, ok := err.(*api.Error); err != nil && (!ok || e.Code != api.CodeReadFailed && e.Code != api.CodeValidation) {
			t.Errorf("seed %d: %v", seed, err)
		}
		if d, err := docx.Open(bytes.NewReader(broken), int64(len(broken))); err == nil {
			_, _ = d.Outline()
			_, _ = d.Read("")
		}
	}
}

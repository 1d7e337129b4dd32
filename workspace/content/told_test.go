package content

import (
	"bytes"
	"encoding/json"
	picture "image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// TestADraftTellsWhatItsStepsTold: what each step has told its caller is told again to
// who looks at the draft and to who applies it, as long as its content is there.
func TestADraftTellsWhatItsStepsTold(t *testing.T) {
	w, ctx := open(t), t.Context()
	draft, err := w.Draft("d")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cut := Result{Rows: may, Caveats: []api.Caveat{api.NewCaveat(api.CaveatCut, "only the first 2 rows are here")}}
	digits := func(file string) {
		t.Helper()
		_, err := Xlsx(ctx, draft, Target{File: file, Create: true}, []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{{Cell: "Z9", Value: json.Number("12345678901234567")}}}})
		must(err)
	}
	digits("book.xlsx")
	_, err = Xlsx(ctx, draft, Target{File: "book.xlsx"}, []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{{Cell: "A9", Formula: "NOSUCH(1)"}, {Cell: "B9", Formula: "WEBSERVICE(A1)"}}}})
	must(err)
	_, err = Xlsx(ctx, draft, Target{File: "book.xlsx"}, []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{{Cell: "A9", Value: 1}, {Cell: "B9", Value: 1}}}})
	must(err)
	for _, file := range []string{"memo.docx", "deck.pptx", "sums.xlsx"} {
		_, err = AddResult(ctx, draft, Target{File: file, Create: true}, Place{}, cut)
		must(err)
	}
	_, err = Docx(ctx, draft, Target{File: "memo.docx"}, []docx.Operation{{Op: docx.AppendParagraph, Text: "behind it"}})
	must(err)
	_, err = draft.Rename(ctx, "memo.docx", "renamed.docx", 0)
	must(err)
	_, err = draft.Copy(ctx, "deck.pptx", "copy.pptx")
	must(err)
	var clear bytes.Buffer
	must(png.Encode(&clear, picture.NewNRGBA(picture.Rect(0, 0, 4, 4))))
	_, err = draft.Put(ctx, workspace.PutRequest{Name: "clear.png"}, &clear)
	must(err)
	_, err = Picture(ctx, draft, Target{File: "clear.png"}, "white.jpg", []image.Operation{{Op: image.Convert, Format: "jpeg"}})
	must(err)
	digits("replaced.xlsx")
	_, err = draft.Put(ctx, workspace.PutRequest{Name: "replaced.xlsx"}, strings.NewReader("a,b\n1,2\n"))
	must(err)

	want := []string{"book.xlsx: narrowed", "copy.pptx: cut", "deck.pptx: cut", "renamed.docx: cut", "sums.xlsx: cut", "white.jpg: narrowed"}
	for _, door := range []struct {
		name    string
		caveats func() []api.Caveat
	}{
		{"diff", func() []api.Caveat {
			all, err := Changes(ctx, draft)
			must(err)
			return Caveats(all)
		}},
		{"apply", func() []api.Caveat {
			_, caveats, err := Apply(ctx, draft)
			must(err)
			return caveats
		}},
	} {
		var got []string
		for _, c := range door.caveats() {
			got = append(got, c.About.File+": "+string(c.Kind))
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s tells %q, not %q", door.name, got, want)
		}
	}
	// What was applied is known: the next draft begins anew.
	next, err := w.Draft("next")
	must(err)
	_, err = next.Rename(ctx, "sums.xlsx", "totals.xlsx", 0)
	must(err)
	if all, err := Changes(ctx, next); err != nil || len(Caveats(all)) > 0 {
		t.Errorf("%v, %v", Caveats(all), err)
	}
}

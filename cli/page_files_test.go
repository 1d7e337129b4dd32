package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestFilesInABrowser drops a file that would run a script if anything let it, and
// looks at it, changes it in a draft, applies that and deletes it.
func TestFilesInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/files")
	b.sees("No files yet")
	b.check("no-files")
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('svg')"><script>alert('script')</script></svg>`
	file := b.takes(t)
	b.sendsAndStops()
	drop := func(name, text string) {
		t.Helper()
		js[bool](b, fmt.Sprintf(`{ const data = new DataTransfer(); data.items.add(new File([%q], %q));
			document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); true }`, text, name))
	}
	drop("<img src=x onerror=alert('name')>.svg", svg)
	b.sees("<img src=x onerror=alert('name')>.svg")
	drop("orders.csv", "id,name\n1,one\n2,two\n")
	b.sees("orders.csv")
	b.until(`!document.querySelector(".sending")`)

	// What the page has is what da has, and what others do is told to the page.
	if text := p.ok("files", "list"); !strings.Contains(text, "orders.csv") {
		t.Errorf("da files list: %s", text)
	}
	notes := filepath.Join(p.dir, "notes.md")
	if err := os.WriteFile(notes, []byte("# Notes\n\nfirst\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.ok("files", "put", notes)
	b.sees("notes.md")

	if err := os.WriteFile(notes, []byte("# Notes\n\n<script>alert('diff')</script>\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.ok("files", "put", notes, "--draft", "better")
	b.visit("/#/files")
	b.sees("<script>alert('diff')</script>")
	b.until(`document.querySelector(".diff .plus") && document.querySelector(".diff .minus").innerText.includes("first")`)
	b.check("files-draft")
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Apply").click(), true`)
	b.until(`!document.querySelector(".draft")`)
	b.sees("version 2")

	js[bool](b, `[...document.querySelectorAll(".file")].find(f => f.innerText.includes("notes.md")).querySelector("[aria-expanded]").click(), true`)
	b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Restore")`)
	b.check("files")
	b.walk("files")
	p.ok("files", "put", notes, "--draft", "worse")
	b.visit("/#/files")
	b.until(`document.querySelector(".draft")`)
	b.until(`(() => { // it asks whether one is sure, and anew where the list has come again meanwhile
		[...document.querySelectorAll(".draft button")].find(b => b.innerText === "Discard" && !b.disabled)?.click();
		return !document.querySelector(".draft");
	})()`)
	b.until(`[...document.querySelectorAll(".file")].some(f => f.innerText.includes("orders.csv"))`)
	js[bool](b, `[...[...document.querySelectorAll(".file")].find(f => f.innerText.includes("orders.csv")).querySelectorAll("button")].find(b => b.innerText === "Download").click(), true`)
	if got := file("orders.csv"); got != "id,name\n1,one\n2,two\n" {
		t.Errorf("the downloaded file: %q", got)
	}
	// "Save to" writes where the user chooses, here in the place of the test.
	js[bool](b, `window.showSaveFilePicker = async o => { window.chosen = await (await navigator.storage.getDirectory()).getFileHandle(o.suggestedName, {create: true}); return chosen; },
		[...[...document.querySelectorAll(".file")].find(f => f.innerText.includes("orders.csv")).querySelectorAll("button")].find(b => b.innerText === "Save to…").click(), true`)
	b.until(`window.chosen && chosen.getFile().then(f => f.text()).then(text => text === "id,name\n1,one\n2,two\n")`)
	js[bool](b, `[...document.querySelectorAll(".file")].find(f => f.innerText.includes("notes.md")).querySelector("[aria-expanded]").click(), true`)
	b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Restore")`)
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Restore").click(), true`)
	b.sees("version 3")
	js[bool](b, `[...[...document.querySelectorAll(".file")].find(f => f.innerText.includes("orders.csv")).querySelectorAll("button")].find(b => b.innerText === "Rename").click(), true`)
	b.until(`document.querySelector(".file form input")`)
	b.focused("orders.csv")
	b.do(chromedp.KeyEvent("sales.csv"), chromedp.KeyEvent(kb.Enter))
	b.sees("sales.csv")
	// The file that is a page of its own opens for nobody: an address has no key.
	if status := js[int](b, `fetch("/api/files").then(r => r.status)`); status != 401 {
		t.Errorf("the files without the key: %d", status)
	}
	for range 2 { // it asks whether one is sure
		js[bool](b, `[...[...document.querySelectorAll(".file")].find(f => f.innerText.includes("sales.csv")).querySelectorAll("button")].find(b => b.innerText === "Delete").click(), true`)
	}
	b.until(`![...document.querySelectorAll(".file")].some(f => f.innerText.includes("sales.csv"))`)
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}
	// The audit names files as people do.
	b.visit("/#/check/audit")
	b.until(`[...document.querySelectorAll("[aria-label=Audit] summary")].some(s => s.innerText === "delete sales.csv")`)
	b.check("check-audit-files")
	// The panel of questions has them too; without a model it says so.
	b.visit("/#/ask")
	b.sees("No model is configured")
}

// sendsAndStops drops what is too large, a file whose line is slow, and one whose
// progress is seen.
func (b *tab) sendsAndStops() {
	b.t.Helper()
	drop := func(name string, megabytes int) {
		b.t.Helper()
		js[bool](b, fmt.Sprintf(`{ const data = new DataTransfer(); data.items.add(new File([new Uint8Array(%d << 20)], %q));
			document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); true }`, megabytes, name))
	}
	drop("large.bin", 51)
	b.sees("a file may have")
	b.press("Close")
	b.line(network.Conditions{UploadThroughput: 200_000, DownloadThroughput: -1})
	drop("slow.bin", 20)
	b.until(`document.querySelector(".sending progress")?.value > 0`)
	b.press("Stop")
	b.sees("Stopped: nothing of it is shown or kept")
	b.press("Close")
	b.until(`!document.querySelector(".sending")`)
	b.line(network.Conditions{UploadThroughput: -1, DownloadThroughput: -1})
	b.sees("No files yet")
}

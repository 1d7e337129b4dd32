package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// presses sends a key to what has the focus.
func (b *tab) presses(key, with string) {
	b.t.Helper()
	js[bool](b, fmt.Sprintf(`(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", {key: %q, ctrlKey: %t, bubbles: true, composed: true, cancelable: true})), true`, key, with == "ctrl"))
}

// TestPaletteInABrowser goes to a table with the keyboard alone, lists the keys, takes back
// what was removed, and hears of another version of the page.
func TestPaletteInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.presses("k", "ctrl")
	b.until(`document.activeElement?.getAttribute("role") === "combobox"`)
	b.do(chromedp.KeyEvent("flig"))
	b.until(`document.querySelector(".palette [role=option]")?.innerText.startsWith("flights")`)
	b.check("palette")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.hash === "#/tables/flights" && !document.querySelector(".palette")`)
	b.presses("?", "")
	b.sees("Keys of this page")
	b.check("keys")
	b.press("Close")
	b.until(`!document.querySelector(".palette")`)

	b.draft("SELECT 1 AS one FROM airports LIMIT 1")
	b.opensSQL()
	// It runs what the page can do, too.
	does := func(words, option string) {
		t.Helper()
		b.presses("k", "ctrl")
		b.until(`document.activeElement?.getAttribute("role") === "combobox"`)
		b.do(chromedp.KeyEvent(words))
		b.until(fmt.Sprintf(`document.querySelector(".palette [role=option]")?.innerText.startsWith(%q)`, option))
	}
	does("run", "Run")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("1 row")
	does("csv", "Export the rows shown as CSV")
	b.check("palette-do")
	b.do(chromedp.KeyEvent(kb.Escape))
	does("new sheet", "New sheet")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll(".sheet").length === 2`)
	js[bool](b, `document.querySelector(".sheet button").click(), true`)
	b.until(`document.querySelector(".result")`)
	b.press("Add a cell")
	b.until(`document.querySelectorAll(".cell").length === 2`)
	js[bool](b, `document.querySelector("[aria-label='Remove cell1']").click(), true`)
	b.sees("cell1 is removed")
	b.until(`document.querySelectorAll(".cell").length === 1`)
	b.check("undo")
	b.press("Undo")
	b.until(`document.querySelectorAll(".cell").length === 2 && !document.querySelector(".undo")`)

	// The server has another page: the one that is open says so, when somebody comes back to it.
	js[bool](b, `(() => { const old = fetch, now = Date.now; Date.now = () => now() + 600_000; window.fetch = async (path, o) => path === "/api/page" ? new Response(JSON.stringify({sign_in: "link", version: "2", page: "another"})) : old(path, o); dispatchEvent(new Event("focus")); return true; })()`)
	b.sees("A new version of this page is there")
	b.check("upgraded")
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, "undefined") {
		t.Error(text)
	}
}

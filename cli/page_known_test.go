package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestWhatBelongsToATableInABrowser draws the joins of a table, writes a note, takes it
// away and brings it back, keeps a statement as a question, and finds all with the palette.
func TestWhatBelongsToATableInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/tables/flights/related")
	b.until(`document.querySelectorAll(".er .line").length > 0 && [...document.querySelectorAll(".er .name")].map(n => n.textContent).join() === "flights,airports"`)
	b.sees("flights.origin")
	b.sees("many-to-one")

	b.until(`(() => { const s = document.querySelector("form[aria-label='Add a note'] select"); if (!s) return false; s.value = "delay"; return s.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	js[bool](b, `document.querySelector("form[aria-label='Add a note'] input").focus(), true`)
	b.do(chromedp.KeyEvent("Minutes, <b>negative</b> if early"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("[aria-label='Remove the note on flights.delay']")`)
	b.check("related")
	b.walk("related")
	js[bool](b, `document.querySelector("[aria-label='Remove the note on flights.delay']").click(), true`)
	b.until(`(() => { const o = document.querySelector("button.danger"); o?.click(); return o; })()`)
	b.sees("The note is removed")
	b.until(`!document.querySelector("[aria-label='Remove the note on flights.delay']")`)
	b.press("Undo")
	b.until(`document.querySelector("[aria-label='Remove the note on flights.delay']")`)
	if got := p.ok("note", "list", "--json"); !strings.Contains(got, `"column":"delay"`) {
		t.Errorf("the notes: %s", got)
	}
	b.visit("/#/tables/flights")
	b.sees("Minutes, <b>negative</b> if early")

	b.draft("SELECT count(*) AS n FROM flights WHERE origin = $from")
	b.opensSQL()
	js[bool](b, `(() => { const i = document.querySelector(".parameters input"); i.value = "SEA"; return i.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	js[bool](b, `document.querySelector(".cell summary").click(), true`)
	b.press("Save as question")
	b.focused("")
	b.do(chromedp.KeyEvent("How many flights leave?"))
	b.until(`document.querySelectorAll("form[aria-label='Save as question'] input")[1].value === "how_many_flights_leave"`)
	b.check("save-question")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("Saved as how_many_flights_leave.")
	if got := p.ok("saved", "run", "how_many_flights_leave", "-o", "csv", "--quiet"); !strings.HasPrefix(got, "n\n") || strings.HasPrefix(got, "n\n0") {
		t.Errorf("the saved question gives %q", got)
	}
	b.visit("/#/known")
	b.sees("How many flights leave?")
	js[bool](b, `document.querySelector("[aria-label='Approve how_many_flights_leave']").click(), true`)
	b.until(`(() => { const o = document.querySelector("button.danger"); o?.click(); return o; })()`)
	b.sees("by local")
	b.check("known")
	b.walk("known")

	for words, kind := range map[string]string{"leave": "question", "negative": "note"} {
		b.presses("k", "ctrl")
		b.until(`document.activeElement?.getAttribute("role") === "combobox"`)
		b.do(chromedp.KeyEvent(words))
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".palette [role=option]")].some(o => o.innerText.endsWith(%q))`, kind))
		b.do(chromedp.KeyEvent(kb.Escape))
		b.until(`!document.querySelector(".palette")`)
	}
	js[bool](b, `[...document.querySelectorAll(".list a")].find(a => a.innerText === "How many flights leave?").click(), true`)
	b.until(`document.querySelector(".parameters input")?.value === "SEA"`)
}

// TestFiguresOfATableInABrowser asks for figures without a statement, by the keyboard,
// and takes the statement that was made to the editor.
func TestFiguresOfATableInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/tables/flights/part?where=delay+%3E+20")
	b.until(`document.querySelector(".grid [role=gridcell]")`) // a link shows the rows, as they cost nothing
	js[bool](b, `location.hash = "#/tables/flights/part?where=delay+%3E+10", true`)
	b.until(`document.querySelector(".part textarea")?.value === "delay > 10"`)
	b.until(`document.querySelector(".grid") && !document.querySelector(".before")`) // another one, too
	b.visit("/#/tables/flights/part?where=delay+%3E+10")                             // its condition goes along
	b.until(`(() => { const to = [...document.querySelectorAll("a")].find(a => a.innerText === "Figures of these"); to?.click(); return to; })()`)
	b.until(`[...document.querySelectorAll(".part input")].some(i => i.value === "delay > 10")`)
	b.visit("/#/tables/flights/figures")
	pick := func(label, value string) {
		t.Helper()
		b.until(fmt.Sprintf(`(() => { const s = [...document.querySelectorAll(".part label")].find(l => l.innerText.startsWith(%q))?.querySelector("select");
			if (!s || ![...s.options].some(o => o.value === %[2]q)) return false; s.value = %[2]q; return s.dispatchEvent(new Event("input", {bubbles: true})); })()`, label, value))
	}
	pick("of", "delay")
	pick("Show", "mean")
	pick("Group by", "origin")
	b.until(`document.querySelector("[aria-label='Do not group by origin']")`)
	b.press("Show")
	b.until(`document.querySelector(".canvas canvas")`)
	b.check("figures")
	// On a phone each figure is one line, with what removes it, and the condition can be read.
	b.press("Add a figure")
	b.do(chromedp.EmulateViewport(400, 900))
	b.until(`document.querySelectorAll("[aria-label^='Figure '] button").length === 2 && [...document.querySelectorAll("[aria-label^='Figure ']")].every(f => f.clientHeight < 60)`)
	b.until(`document.querySelector(".part .wide input").clientWidth > 250`)
	js[bool](b, `document.querySelector("[aria-label='Remove figure 2']").click(), true`)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.walk("figures")
	at := js[string](b, "location.hash")
	b.press("Rows")
	b.until(`[...document.querySelectorAll(".grid [role=columnheader]")].map(c => c.innerText.trim()).join() === "origin,mean_delay"`)
	b.visit("/" + at) // the address has it all
	b.until(`document.querySelector("[aria-label='Do not group by origin']")`)
	// A bar leads to its rows in the table.
	b.press("Show")
	b.clicksChart(".canvas", 90, `document.querySelector(".chips a")?.innerText === "The rows of the table"`)
	b.check("figures-bar")
	js[bool](b, `document.querySelector(".chips a").click(), true`)
	b.until(`/^origin = '[A-Z]{3}'$/.test(document.querySelector(".part textarea")?.value) && document.querySelector(".grid-row")`)
	b.visit("/" + at)
	b.until(`document.querySelector("[aria-label='Do not group by origin']")`)
	js[bool](b, `[...document.querySelectorAll(".part a")].find(a => a.innerText === "Open in SQL").click(), true`)
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")`)
	b.until(inEditor(0) + `.startsWith("SELECT origin, avg(delay) AS mean_delay")`)
}

package cli

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// writes types into the editor of a cell, at its end.
func (b *tab) writes(cell int, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[...document.querySelectorAll(".editor")][%d]?.shadowRoot?.querySelector(".cm-content") && !document.querySelectorAll(".editor")[%d].hidden`, cell, cell))
	js[bool](b, fmt.Sprintf(`document.querySelectorAll(".editor")[%d].shadowRoot.querySelector(".cm-content").focus(), true`, cell))
	b.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Escape))
}

// inEditor is what a cell holds.
func inEditor(cell int) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".editor")[%d].shadowRoot.querySelectorAll(".cm-line")].map(l => l.textContent).join("\n")`, cell)
}

// proposes waits until the editor of a cell proposes these, and leaves.
func (b *tab) proposes(cell int, all ...string) {
	b.t.Helper()
	for _, label := range all {
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".editor")[%d].shadowRoot.querySelectorAll(".cm-completionLabel")].some(l => l.textContent === %q)`, cell, label))
	}
}

// TestSheetsInABrowser works in a sheet as an analyst does: names come from beside the
// editor, a mistake is mended by a click, a cell reads another, and all is there afterwards.
func TestSheetsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	p.write(t, "sales.csv", "id\n1\n")
	p.ok("files", "put", "sales.csv")
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.opensSQL()
	// Names come from beside the editor.
	b.writes(0, "SELECT nme FROM ")
	b.press("airports")
	b.until(inEditor(0) + `.trim() === "SELECT nme FROM airports"`)
	js[bool](b, `document.querySelector("[aria-label='Columns of airports']").click(), true`)
	b.until(`[...document.querySelectorAll(".schema-columns button")].some(c => c.innerText.startsWith("iata"))`)
	b.check("sheet-schema")

	// A mistake is told in place of a price, underlined, and mended by a click on what was meant.
	b.sees("No price: ")
	b.until(`document.querySelector(".editor").shadowRoot.querySelector(".cm-mistake")?.textContent === "nme"`)
	b.press("Run")
	b.until(`document.querySelector(".notice.bad") && !/No price|Reads at/.test(document.querySelector(".cell .bar").innerText)`)
	// What is typed over a selection keeps no look of what was there, which the page's policy forbids.
	js[bool](b, `document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus(), true`)
	b.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent("x"))
	b.until(inEditor(0) + ` === "x"`)
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(inEditor(0) + `.trim() === "SELECT nme FROM airports"`)
	b.check("sheet-mistake")
	b.press("name")
	b.until(inEditor(0) + `.trim() === "SELECT name FROM airports"`)
	b.press("Run")
	b.until(`document.querySelector(".grid")`)

	// The next cell reads the rows of this one, and has a parameter.
	b.press("Add a cell")
	b.writes(1, "SELECT c.")
	b.writes(1, " FROM @cell1 c WHERE c.name > $least")
	b.until(`document.querySelector(".parameters input")`)
	// Without a value nothing runs: the page says which, underlines it, and leads to its field.
	js[bool](b, `[...document.querySelectorAll("button")].filter(b => b.innerText === "Run")[1].click(), true`)
	b.sees("'$least' has no value")
	b.until(`document.activeElement.name === "$least" && document.activeElement.placeholder === "value"`)
	b.until(`document.querySelectorAll(".editor")[1].shadowRoot.querySelector(".cm-mistake")?.textContent === "$least"`)
	b.check("sheet-no-value")
	b.do(chromedp.KeyEvent("A"))
	b.until(`!/has no value|Below is what/.test(document.body.innerText)`) // now it has one
	js[bool](b, `(() => { const e = document.querySelectorAll(".editor")[1]; e.shadowRoot.querySelector(".cm-content").focus(); return true; })()`)
	b.do(chromedp.KeyEvent(kb.Home))
	for range len("SELECT c.") {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.do(chromedp.KeyEvent("n"))
	b.proposes(1, "name") // of the alias, and nothing else
	if n := js[int](b, `document.querySelectorAll(".editor")[1].shadowRoot.querySelectorAll(".cm-completionLabel").length`); n != 1 {
		t.Errorf("%d columns of the alias are proposed", n)
	}
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("ame"))
	b.until(inEditor(1) + `.trim() === "SELECT c.name FROM @cell1 c WHERE c.name > $least"`)
	b.press("Run all")
	b.until(`document.querySelectorAll(".result").length === 2`)
	b.check("sheet-cells")
	b.toolbars()
	// After a change of the value, the rows of the old value stay until Enter runs the new one.
	b.do(chromedp.Focus(".parameters input"), chromedp.KeyEvent("z"))
	b.sees("Below is what other values gave")
	b.check("sheet-other-values")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`!/Below is what/.test(document.body.innerText) && document.querySelectorAll(".result").length === 2`)
	if got := b.copies("Copy link"); !strings.Contains(got, "sheet=") || !strings.Contains(got, "%24least") {
		t.Errorf("the link: %s", got)
	}

	// Another sheet, and back: results are there. After a new load statements are.
	js[bool](b, `document.querySelector("[aria-label='New sheet']").click(), true`)
	b.until(`document.querySelectorAll(".cell").length === 1 && !document.querySelector(".result")`)
	js[bool](b, `document.querySelector(".sheet button").click(), true`)
	b.until(`document.querySelectorAll(".result").length === 2`)
	b.opensSQL()
	b.until(`document.querySelectorAll(".cell").length === 2 && /^zA$|^Az$/.test(document.querySelector(".parameters input").value)`)

	// A closed sheet is not lost.
	js[bool](b, `document.querySelector(".sheet.here [aria-label^=Close]").click(), true`)
	b.until(`document.querySelectorAll(".cell").length === 1`)
	b.press("Statements")
	b.sees("Closed sheets")
	js[bool](b, `document.querySelector("[title='Open it again']").click(), true`)
	b.until(`document.querySelectorAll(".cell").length === 2`)

	js[bool](b, `document.querySelector("[aria-label='New sheet']").click(), true`)
	b.until(`document.querySelectorAll(".cell").length === 1`)
	b.press("Tables")
	// A metric becomes a statement, in an empty cell and then in a new one; a file leads to SQL over it.
	for cell := range 2 {
		b.press("on_time_rate")
		b.until(fmt.Sprintf(`document.querySelectorAll(".editor")[%d]?.shadowRoot?.querySelector(".cm-content") && `, cell) + inEditor(cell) + `.includes('AS "on_time_rate"')`)
	}
	b.press("Files")
	b.until(`[...document.querySelectorAll(".schema a")].some(a => a.innerText === "sales.csv" && a.href.endsWith("/table?show=sql"))`)
	b.check("sheet-metrics")
}

// toolbars holds that a cell has one line of tools on a desktop, and that a phone shows
// the statement without scrolling; what is wanted seldom opens and closes.
func (b *tab) toolbars() {
	b.t.Helper()
	for width, most := range map[int64]int{1280: 44, 375: 84} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".cell > .bar")].every(b => b.clientHeight <= %d)`, most))
	}
	b.press("Tables") // whatever is open above the editor closes
	b.until(`document.querySelector(".editor").getBoundingClientRect().top < 400`)
	js[bool](b, `document.querySelector(".cell summary").click(), true`)
	b.until(`document.querySelector(".cell details[open] .folded")?.getBoundingClientRect().left >= 0`)
	b.accessible("the menu of a cell")
	js[bool](b, `document.querySelector(".cell details[open] button:not(:disabled)").focus(), true`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`!document.querySelector("details[open]") && document.activeElement.matches(".cell summary")`)
	b.press("Tables")
	b.do(chromedp.EmulateViewport(1280, 900))
}

// TestCompletionInABrowser holds that values of a column with few are proposed, and what a
// join may compare.
func TestCompletionInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.opensSQL()
	b.sees("Find a table or column")
	b.until(`document.querySelectorAll(".schema-row").length > 1`)
	b.writes(0, "SELECT * FROM airports WHERE iata = ")
	b.do(chromedp.KeyEvent("'"))
	b.proposes(0, "SFO")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.check("sheet-values")

	// A join by columns whose values repeat on both sides says so.
	b.visit("/#/sql?q=" + url.QueryEscape("SELECT * FROM flights f JOIN flights g ON"))
	b.writes(0, "") // the editor is there
	b.do(chromedp.KeyEvent(" "))
	b.proposes(0, "f.origin = g.origin")
	b.until(`[...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-completionDetail")].some(d => d.textContent.includes("repeats rows of both"))`)
	b.do(chromedp.KeyEvent(kb.Escape))

	// A table's page leads here, with a statement to begin with; what was typed stays.
	b.visit("/#/tables/flights")
	b.until(`(() => { const to = [...document.querySelectorAll("a")].find(a => a.innerText === "Open in SQL"); to?.click(); return to; })()`)
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")?.innerText.includes("flights")`)
	b.until(`document.querySelectorAll(".sheet").length === 3`)
}

// TestParametersInABrowser fills the field of a list, is led to what cannot be read in it,
// and finds an earlier run again with its values.
func TestParametersInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	address, code, _ := openPage(t, newPlace(t))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.draft("SELECT iata FROM airports WHERE iata IN ($codes)")
	b.opensSQL()
	b.until(`document.querySelector(".parameters input")?.placeholder === "text, …"`)
	field := func(text string) {
		t.Helper()
		b.do(chromedp.Focus(".parameters input"))
		js[bool](b, `document.querySelector(".parameters input").select(), true`)
		b.do(chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Enter))
	}
	field("SFO, 'JFK")
	b.sees("'$codes' cannot be read at character 6: the quote has no end.")
	b.until(`(f => document.activeElement === f && f.value.slice(f.selectionStart, f.selectionEnd) === "'JFK")(document.querySelector(".parameters input"))`)
	b.check("sheet-list")
	field("SFO, 'JFK'")
	b.until(`!/cannot be read/.test(document.body.innerText) && document.querySelectorAll(".grid [role=gridcell]").length === 2`)
	field("JFK")
	b.until(`document.querySelectorAll(".grid [role=gridcell]").length === 1`)

	b.press("Statements")
	b.until(`document.querySelectorAll(".sql-side .kept").length === 2`) // what could not be read did not run
	b.sees("$codes = SFO, 'JFK'")
	b.check("sheet-history")
	// In a new sheet, another statement takes its place before its editor has come.
	js[bool](b, `(() => {
		const sheet = new MutationObserver(() => {
			if (document.querySelector(".parameters") || !document.querySelector("textarea.code:not([hidden])")) return;
			sheet.disconnect();
			[...document.querySelectorAll(".sql-side li")].find(l => l.innerText.includes("'JFK'")).querySelector(".kept").click();
		});
		sheet.observe(document.body, {childList: true, subtree: true});
		document.querySelector("[aria-label='New sheet']").click();
		return true;
	})()`)
	b.until(`document.querySelector(".parameters input")?.value === "SFO, 'JFK'"`)
	b.press("Run")
	b.until(`document.querySelectorAll(".grid [role=gridcell]").length === 2`)
	b.until(`document.querySelectorAll(".sql-side .kept").length === 2`)
}

// TestAMistakeIsToldBeforeARunInABrowser: where a price would stand. What runs a sheet is one
// line on a small screen, and an address whose tab is unknown shows the first.
func TestAMistakeIsToldBeforeARunInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.visit("/#code=" + code)
	b.sees("airports")
	b.draft("SELECT name FROM airport")
	b.opensSQL()
	b.sees("No price: Unknown table 'airport'")
	b.writes(0, "s")
	b.sees("at the source; billed:")
	b.press("Add a cell")
	b.writes(1, "SELECT count(*) AS n FROM @cell1")
	b.until(`document.querySelector(".sql-main > .bar").offsetHeight < 50`)
	js[bool](b, `document.querySelectorAll(".cell")[1].querySelector(".more-of > summary").click(), true`)
	b.press("Run from here")
	b.until(`((one, two) => two.querySelector(".grid") && !one.querySelector(".grid"))(...document.querySelectorAll(".cell"))`)
	b.check("sheet-two")
	b.visit("/#/tables/airports/columns-of-old")
	b.until(`document.querySelector(".tabs [aria-current]")?.innerText.startsWith("Columns") && document.querySelector("[aria-label=Columns]")`)
}

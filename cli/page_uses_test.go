package cli

import (
	"fmt"
	"image/color"
	"image/png"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// opensSQL goes to the part for statements, and waits for its editor.
func (b *tab) opensSQL() {
	b.t.Helper()
	b.visit("/#/sql")
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content") && !document.querySelector(".editor").hidden`)
}

// draft leaves a sheet with one statement, at the source, as the only one; a visit shows it.
func (b *tab) draft(sql string) {
	b.t.Helper()
	js[bool](b, fmt.Sprintf(`(() => {
		for (const k of Object.keys(localStorage)) if (k.startsWith("da.sheet.")) localStorage.removeItem(k);
		localStorage.setItem("da.sheet.s1", JSON.stringify({id: "s1", changed: 1, cells: [{id: "c1", name: "cell1", sql: %q}]}));
		return true;
	})()`, sql))
}

// copies presses a button that copies, and returns what the page gives to the clipboard. The
// browser's own refuses it at times in a window without a screen.
func (b *tab) copies(label string) string {
	b.t.Helper()
	js[bool](b, `window.copied = undefined, navigator.clipboard.writeText = async text => { window.copied = text; }, true`)
	b.press(label)
	b.until(`window.copied !== undefined`)
	return js[string](b, "window.copied")
}

// usesRows sorts, filters, copies, saves and draws the rows of hostile.csv, which the page
// shows as a result of this name.
func (b *tab) usesRows(name string, file func(string) string) {
	b.t.Helper()
	cell := `document.querySelector(".grid [role=gridcell]").innerText`
	js[bool](b, `document.querySelector(".grid [role=columnheader] button").focus(), true`)
	order := func(want string) {
		b.t.Helper()
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until(fmt.Sprintf(`document.querySelector(".grid [role=columnheader]").getAttribute("aria-sort") === %q`, want))
	}
	order("ascending") // by the first column, with the keyboard
	order("descending")
	b.until(cell + ` === "2"`)
	order("none")
	b.until(cell + ` === "1"`)

	const formula = `=HYPERLINK("http://evil.example")`
	if got, want := b.copies("Copy rows"), "n\tnote\n1\t'"+formula+"\n2\tjavascript:alert('link')\n"; got != want {
		b.t.Errorf("copied: %q, want %q", got, want)
	}
	js[bool](b, `document.querySelector(".result .find input").focus(), true`)
	b.do(chromedp.KeyEvent("EVIL"))
	b.sees("1 of 2 rows")
	b.press("CSV")
	if got, want := file(name+"-filtered.csv"), "n,note\n1,\"'"+strings.ReplaceAll(formula, `"`, `""`)+"\"\n"; got != want {
		b.t.Errorf("the CSV file: %q, want %q", got, want)
	}
	b.press("JSON")
	if got := file(name + "-filtered.json"); !strings.Contains(got, `"note": "=HYPERLINK(\"http://evil.example\")"`) || strings.Contains(got, "javascript") {
		b.t.Errorf("the JSON file: %s", got)
	}
	b.do(chromedp.KeyEvent("-nothing"))
	b.sees("0 of 2 rows")
	js[bool](b, `document.querySelector(".result .find input").select(), true`)
	b.do(chromedp.KeyEvent(kb.Delete))
	b.sees("2 rows")
}

// usesChart changes a chart of the same rows by keyboard, and saves it.
func (b *tab) usesChart(name string, file func(string) string) {
	b.t.Helper()
	b.until(`document.querySelector(".canvas canvas")`)
	b.press("PNG")
	picture, err := png.Decode(strings.NewReader(file(name + ".png")))
	if err != nil {
		b.t.Fatal(err)
	}
	if got := color.NRGBAModel.Convert(picture.At(0, 0)); got != (color.NRGBA{0xff, 0xff, 0xff, 0xff}) {
		b.t.Errorf("the ground of the picture is %v, not white", got)
	}
	b.press("SVG")
	svg := file(name + ".svg")
	js[bool](b, fmt.Sprintf(`window.drawn = new DOMParser().parseFromString(%q, "image/svg+xml"), true`, svg))
	if bad := js[int](b, `drawn.querySelectorAll("script, foreignObject, a, parsererror, [onload]").length`); bad != 0 || !strings.Contains(svg, "HYPERLINK") {
		b.t.Errorf("%d elements that a chart does not have: %.2000s", bad, svg)
	}
	b.press("Data")
	if got := file(name + ".csv"); !strings.HasPrefix(got, "n,note\n1,") {
		b.t.Errorf("the data of the chart: %q", got)
	}
	js[bool](b, `document.querySelector(".chart select").focus(), true`)
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.querySelector(".canvas").getAttribute("aria-label").startsWith("line chart") && document.querySelector(".canvas canvas")`)
}

// stopsStatement runs a statement that would not end for long, and stops it.
func (b *tab) stopsStatement() {
	b.t.Helper()
	b.draft(neverEnds("hostile", "note"))
	b.opensSQL()
	b.press("Run")
	b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Stop")`)
	for _, width := range []int64{400, 1000, 1600} { // its button stands beside what it ends
		b.do(chromedp.EmulateViewport(width, 900))
		b.until(`(w => Math.abs(w.lastChild.getBoundingClientRect().top + w.lastChild.clientHeight / 2 - w.firstChild.getBoundingClientRect().top - w.firstChild.offsetHeight / 2) < 4)(document.querySelector(".waits"))`)
	}
	js[bool](b, `document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus(), true`)
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))) // again: the first run is stopped
	b.press("Stop")
	b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Run" && !b.disabled)`)
	b.visit("/#/check/running")
	b.sees("Nothing runs at this moment")
}

// usesKept puts a statement that was kept into the editor, takes it as a command, and
// forgets it.
func (b *tab) usesKept(sql string) {
	b.t.Helper()
	b.draft("")
	b.opensSQL()
	b.press("Statements")
	b.press(sql)
	b.until(fmt.Sprintf(`document.querySelector(".editor").shadowRoot.querySelector(".cm-content").innerText.includes(%q)`, sql))
	if got, want := b.copies("Copy da command"), "da query --remote '"+sql+"'"; got != want {
		b.t.Errorf("the command: %q, want %q", got, want)
	}
	js[bool](b, `document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus(), true`)
	b.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("-"))
	b.until(fmt.Sprintf(`document.querySelector(".editor").shadowRoot.querySelector(".cm-content").innerText.includes(%q)`, "-"+sql))
	if got, want := b.copies("Copy da command"), "da query --remote -- '-"+sql+"'"; got != want {
		b.t.Errorf("the command of a statement that begins with a dash: %q, want %q", got, want)
	}
	b.walk("sql")
	b.press("★") // it is a recent one again
	b.until(`(() => { const forget = document.querySelector(".sql-side [aria-label^=Forget]"); forget?.click(); return forget; })()`)
	b.until(`!document.querySelector(".sql-side li")`)
}

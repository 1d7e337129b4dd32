package cli

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestSavedSheetsInABrowser saves a sheet as one page, whose texts are no markup, and goes
// from a bar of a chart to its rows.
func TestSavedSheetsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.do(chromedp.EmulateViewport(1400, 900))
	b.visit("/#code=" + code)
	b.sees("airports")
	b.runs("SELECT '<img src=x onerror=alert(1)>' AS name, 5 AS n FROM airports LIMIT 1")
	b.until(`document.querySelector(".grid-row")`)
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.press("Save as page")
	text := file("airports.html")
	for _, want := range []string{"&#60;img src=x onerror=alert(1)&#62;", "<svg", "mean of n", "1 row. Run", "default-src 'none'", "FROM airports LIMIT 1</pre>"} {
		if want = strings.Replace(want, "mean of n", ">n<", 1); !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%.3000s", want, text)
		}
	}
	if strings.Contains(text, "<img") || strings.Contains(text, "<script") {
		t.Errorf("markup:\n%.3000s", text)
	}
	// The only bar is in the middle.
	at := js[[]float64](b, `(() => { const c = document.querySelector(".canvas canvas"); c.scrollIntoView({block: "center"}); const r = c.getBoundingClientRect(), at = {clientX: r.x + r.width / 2 + 20, clientY: r.y + r.height / 2, bubbles: true};
		c.dispatchEvent(new PointerEvent("pointermove", at)), c.dispatchEvent(new MouseEvent("mousemove", at)); return [at.clientX, at.clientY]; })()`)
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	b.sees("Only rows with")
	b.sees("name = <img src=x")
	b.until(`document.querySelector(".grid-row")`)
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}
}

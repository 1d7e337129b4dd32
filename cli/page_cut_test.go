package cli

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestFiguresAreNotCutInABrowser holds that a figure in a grid is whole or has a mark, wherever
// the grid is scrolled to and as narrow as a phone, that no sign covers the name of a column, and
// that all names of a chart are written.
func TestFiguresAreNotCutInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	address, code, _ := openPage(t, newPlace(t))
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.do(chromedp.EmulateViewport(390, 800))
	b.visit("/#code=" + code)
	b.sees("airports")
	// The first rows are shorter than those that follow.
	b.visit("/#/sql?at=here&q=" + url.QueryEscape("SELECT 'A rather long name ' || i AS name, 10.1497584 * i AS part, 1234567 * i * i * i AS n, i / 7 AS fraction FROM range(24) t(i)"))
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content") && document.querySelector("[aria-label='Where it runs']")`)
	b.press("Run")
	b.sees("24 rows")
	b.until(`document.querySelector(".grid-row")`)
	for left := 0; left < 400; left += 37 {
		cut := js[string](b, fmt.Sprintf(`(async () => {
			const grid = document.querySelector(".grid"), frame = () => new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)));
			grid.scrollLeft = %d;
			await frame(); await frame();
			const at = grid.getBoundingClientRect();
			return [...grid.querySelectorAll("[role=gridcell].number")].filter(c => {
				const r = c.getBoundingClientRect();
				return c.innerText !== "…" && (c.scrollWidth > c.clientWidth || r.left < at.left - 1 || r.right > at.right + 1);
			}).map(c => c.innerText).join(" ");
		})()`, left))
		if cut != "" {
			t.Errorf("scrolled by %d these are cut: %s", left, cut)
		}
	}
	if marks := js[bool](b, `[...document.querySelectorAll(".grid [role=gridcell].number")].every(c => !c.innerText.startsWith("≈") || c.title)`); !marks {
		t.Error("a rounded figure has no exact one")
	}
	b.do(chromedp.EmulateViewport(1200, 800))
	b.until(`document.querySelectorAll(".grid-head .name").length === 4`)
	js[bool](b, `document.querySelectorAll(".grid-head .name")[2].click(), true`)
	b.until(`document.querySelector(".grid [aria-sort=ascending]")`)
	if free := js[float64](b, `(() => { const h = document.querySelector(".grid [aria-sort=ascending]"); return h.getBoundingClientRect().right - h.querySelector(".name").getBoundingClientRect().right; })()`); free < 36 {
		t.Errorf("the name of a sorted column leaves %v pixels for its signs", free)
	}
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.check("chart-long-names")
	b.press("SVG")
	svg := file("range.svg")
	if n := strings.Count(svg, ">A rather long name "); n != 24 {
		t.Errorf("the chart has %d of 24 names", n)
	}
	// Of texts that are all different nothing is drawn, which is said.
	b.runs("SELECT origin || row_number() OVER () AS name FROM flights")
	b.press("Chart")
	b.sees("No chart is proposed")
	b.check("chart-none")
}

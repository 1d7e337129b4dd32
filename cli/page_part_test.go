package cli

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestRowsStandUnderTheirConditionInABrowser holds that the rows of a part are those of
// the condition above them, whichever way it came there, and that a count is said where
// it is known.
func TestRowsStandUnderTheirConditionInABrowser(t *testing.T) {
	t.Parallel()
	b := openMany(t)
	b.visit("/#/tables/many/part?where=n+%3E%3D+1000")
	b.sees("4,000 (counted)")
	b.sees("2,000 rows (the first of 4,000)")
	b.check("part-counted")

	// Each click in the statistics shows the rows of its own range.
	bins := func(which string) string {
		return `(() => { const all = document.querySelectorAll(".summary:first-child .bins button"); all[` + which + `]?.click(); return all.length; })()`
	}
	for _, click := range []struct{ bin, first string }{{"0", "0 "}, {"all.length - 1", "4,"}, {"0", "0 "}} {
		b.until(`(() => { const to = [...document.querySelectorAll(".tabs a")].find(a => a.innerText === "Statistics"); to?.click(); return to; })()`)
		b.until(bins(click.bin))
		b.until(`document.querySelector(".part textarea")?.value.startsWith("n >= ")`)
		b.until(`document.querySelector(".grid-row") && !document.querySelector(".before") && ` + gridText + `.startsWith("` + click.first + `")`)
	}

	// What is typed shows no rows unasked: those that are there say of what they are.
	js[bool](b, `document.querySelector(".part textarea").select(), true`)
	b.do(chromedp.KeyEvent("n = 7"))
	b.sees("1 (counted)")
	b.until(`document.querySelector(".notice.info")?.innerText.startsWith("The rows below answer n >= ")`)
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.until(gridText + ` === "7 1" && !document.querySelector(".before")`)

	// So do the figures of a table, and the rows of a statement about them.
	b.visit("/#/tables/many/figures")
	b.press("Show")
	b.until(`document.querySelector(".grid-row")`)
	b.press("Add a figure")
	b.sees("The rows below answer SELECT count(*) AS")
}

package cli

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestSnapshotsInABrowser plans a statement, fetches what it needs, and runs it
// over what is then here.
func TestSnapshotsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "mine")
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	open := func(sql string) {
		t.Helper()
		b.visit("/draft") // no page of da, which would keep its own sheet once more
		b.draft(sql)
		b.opensSQL()
	}
	open("SELECT count(*) AS n FROM mine")
	b.press("Here")
	b.press("Run")
	b.sees("1 row")
	open("SELECT m.iata, f.delay FROM flights f JOIN mine m ON f.origin = m.iata WHERE f.delay > 0")
	b.press("Fetch, then here")
	b.sees("Reads at most")
	b.until(`location.hash.includes("at=fetch") && location.hash.includes("JOIN+mine")`) // before a run, too
	for width, most := range map[int64]int{1400: 44, 390: 90} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.until(fmt.Sprintf(`document.querySelector(".sql-main > .bar").offsetHeight <= %d && document.querySelector(".side nav").offsetHeight <= (innerWidth > 760 ? 900 : 60)
			&& [...document.querySelectorAll(".way span")].every(s => s.scrollWidth <= s.clientWidth)`, most))
	}
	b.press("Plan")
	b.sees("this machine")
	b.sees("its source")
	b.check("plan")
	b.press("Run")
	b.until(`document.querySelector(".grid")`)
	b.press("Plan")
	b.sees("an earlier query")
	b.press("Here")
	open("SELECT sum(m.latitude) AS north FROM mine m JOIN flights f ON f.origin = m.iata")
	b.press("Fetch, then here")
	b.press("Run")
	b.sees("Each row of 'mine' appears 200 times")
	b.check("desk-multiplied")
	b.press("Count each row once")
	b.press("Run")
	b.until(`document.querySelector(".grid-row") && !document.body.innerText.includes("appears 200 times")`)
	open("SELECT nothing FROM mine")
	b.press("Here")
	b.press("Run")
	b.sees("nothing")
	b.check("desk-error")
}

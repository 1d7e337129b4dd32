package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestLargeCatalogsInABrowser holds that no more of many tables is in the page
// than can be looked at, that counts are of all, and that Back leads to the place
// that one came from.
func TestLargeCatalogsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	address, code, _ := openPage(t, manyTables(t, 3000))
	b := openTab(t, address+"/")
	b.do(chromedp.EmulateViewport(1440, 900))
	b.visit("/#code=" + code)
	b.sees("3,001 that you may read")
	windowed := func() {
		t.Helper()
		if n := js[int](b, `document.querySelectorAll(".card").length`); n < 1 || n > 100 {
			t.Errorf("%d cards are in the page", n)
		}
	}
	windowed()
	b.check("tables-many")
	b.do(chromedp.EmulateViewport(1440, 900))
	b.press("Later")
	b.sees("61 to 120 of 3,001")
	b.until(`[...document.querySelectorAll(".card h2")].some(h => h.innerText === "t0100")`)
	js[bool](b, `scrollTo(0, 600), new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	js[bool](b, `[...document.querySelectorAll(".card a")].find(a => a.innerText === "t0100").click(), true`)
	b.sees("Rows and price")
	js[bool](b, `history.back(), true`)
	b.sees("61 to 120 of 3,001")
	b.until(`scrollY === 600`)
	windowed()

	search := func(words string) {
		t.Helper()
		js[bool](b, fmt.Sprintf(`(() => { const f = document.querySelector("input[type=search]"); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, words))
	}
	search("sensors")
	b.sees("3,000 of 3,001 tables")
	windowed()
	search("fligths")
	b.sees("1 of 3,001 tables")
	b.sees("No table has 'fligths': 'flights' was searched instead.")
	search("delayed flight")
	b.until(`document.querySelector(".card h2")?.innerText === "flights" && !document.querySelector(".before")`) // not those of the search before
	b.check("tables-found")
	search("zzzzqq")
	b.sees("Nothing matches")
	if at := js[string](b, "location.hash"); at != "#/tables?q=zzzzqq" {
		t.Errorf("the address: %s", at)
	}

	// Statements can name tables that no list in the page has.
	b.opensSQL()
	b.until(`document.querySelectorAll(".schema-row").length > 1`)
	b.writes(0, "SELECT * FROM ")
	b.do(chromedp.KeyEvent("t295"))
	b.proposes(0, "t2957")
	b.do(chromedp.KeyEvent("7"), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(" WHERE del"))
	b.proposes(0, "delay")
	b.check("sheet-many")
}

// manyTables is a place with many tables of sensors, and one of flights.
func manyTables(t *testing.T, many int) *place {
	t.Helper()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "one.csv"), []byte("id,delay\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "server: { state_dir: %q }\nsources:\n  files: { type: lake, root: %q }\ntables:\n", filepath.Join(p.dir, "page-state"), p.dir)
	for i := range many {
		fmt.Fprintf(&text, "  - { id: t%04d, source: files, path: one.csv, description: \"Part %d of the sensors\", public: true }\n", i, i)
	}
	text.WriteString("  - { id: flights, source: files, path: one.csv, description: \"Delays of flights\", public: true }\n")
	instance := filepath.Join(p.dir, "page.yaml")
	if err := os.WriteFile(instance, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.with("DA_INSTANCE=" + instance)
}

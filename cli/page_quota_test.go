package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestTheQuotaIsToldBeforeARequestInABrowser holds that a price says what is left of the
// day where it is near, and that the server refuses what the page says it will.
func TestTheQuotaIsToldBeforeARequestInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	file := filepath.Join(p.dir, "small.yaml")
	text := strings.Replace(fixtureInstance, "max_result_bytes: 100000000", "max_daily_bytes_per_user: 3000", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ann := p.with("DA_INSTANCE=" + file).served().as("ann")
	b := openTab(t, ann.get("DA_SERVER")+"/")
	b.visit("/")
	b.signsIn(ann)
	b.sees("flights")
	described := func(label string) string {
		return `document.getElementById([...document.querySelectorAll("button.primary")].find(b => b.innerText === "` + label + `")?.getAttribute("aria-describedby"))?.innerText`
	}
	b.visit("/#/tables/flights/part")
	b.until(described("Show rows") + `?.startsWith("3.0 kB of 3.0 kB are left today, and this may take ")`)
	b.check("quota-part")
	b.press("Show rows")
	b.sees(" and 3 KB of today's quota of 3 KB are left: 0 B are used")

	// What fits is not spoken of, until little is left.
	b.visit("/#/tables/flights/part?where=delay+%3D+1&select=delay")
	b.press("Show rows")
	b.until(`document.querySelector(".grid-row")`)
	b.until(described("Show rows") + ` === ""`)
	b.runs("SELECT * FROM flights")
	b.sees("today's quota (it starts again at 00:00 UTC) stopped the result")
	b.until(described("Run") + `?.endsWith(" of 3.0 kB are left today: a larger result is cut there, or refused.")`)
	b.check("quota-sql")
	b.press("Run")
	b.sees("The result was cut after 0 rows by today's quota")
}

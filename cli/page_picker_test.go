package cli

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// picks gives a date to the browser's own picker, which its button opens.
func (b *tab) picks(label, value string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => {
		const button = document.querySelector("[aria-label='Pick %s']"), field = button?.nextElementSibling;
		if (!field) return false;
		field.showPicker = () => { field.value = %q; field.dispatchEvent(new Event("change", {bubbles: true})); };
		button.click();
		return true;
	})()`, label, value))
}

// TestTimesArePickedInABrowser holds that a date or time can be picked wherever one can be
// typed: for a part, in the menu of a column, and for a parameter.
func TestTimesArePickedInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	address, code, _ := openPage(t, newPlace(t))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("types")
	b.visit("/#/tables/types/part")
	for _, year := range []string{"1900", "2000"} { // the second range takes the place of the first
		b.choose("Values of", "19")
		b.picks("from", year+"-01-02T00:00")
		b.until(`[...document.querySelectorAll("input")].some(i => i.value === "` + year + `-01-02 00:00:00")`)
		b.press("Only this range")
	}
	b.until(`document.querySelector(".part textarea").value === "stamp >= TIMESTAMP '2000-01-02 00:00:00'"`)
	b.choose("Values of", "19")
	b.check("picker-part")
	b.press("Show rows")
	b.until(`document.querySelectorAll(".grid-row").length === 1`)

	b.draft("SELECT id, stamp FROM types WHERE stamp >= $since")
	b.opensSQL()
	b.picks("$since", "1600-01-01T09:30:00")
	b.until(`document.querySelector(".parameters input").value === "1600-01-01 09:30:00"`)
	b.press("Run")
	b.until(`document.querySelectorAll(".grid-row").length === 2`)
	b.until(`(() => { const m = document.querySelector("[aria-label='Column stamp'].more"); m?.click(); return m; })()`)
	b.picks("the last", "2000-01-01T23:59:59")
	b.check("picker-column")
	b.press("Filter")
	b.until(`document.querySelectorAll(".grid-row").length === 1`)
}

// TestValuesOfAPartInABrowser holds that the values beside a condition are of its rows, but
// for what it says of the column itself.
func TestValuesOfAPartInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	address, code, _ := openPage(t, newPlace(t))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	for where, legends := range map[string][2]string{"": {"Values", "Values"}, "iata = 'SEA'": {"Values", "Values of rows for which iata = 'SEA'"}} {
		b.visit("/#/tables/airports/part?where=" + url.QueryEscape(where))
		for at, legend := range legends {
			b.choose("Values of", fmt.Sprint(at))
			b.until(fmt.Sprintf(`document.querySelector(".ticks legend")?.innerText === %q`, legend))
			many := 3
			if at == 1 && where != "" {
				many = 1
			}
			b.until(fmt.Sprintf(`document.querySelectorAll(".ticks input").length === %d`, many))
		}
	}
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// gridKeys presses keys in the grid: a name of a key for each, with "ctrl" or "shift" behind a
// comma.
func (b *tab) gridKeys(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		name, with, _ := strings.Cut(key, ", ")
		js[bool](b, fmt.Sprintf(`document.querySelector(".grid").dispatchEvent(new KeyboardEvent("keydown", {key: %q, ctrlKey: %t, shiftKey: %t, bubbles: true})), new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))`,
			name, with == "ctrl", with == "shift"))
	}
}

// column opens the menu of a column and presses an entry.
func (b *tab) column(name, entry string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => { const m = document.querySelector("[aria-label='Column %s'].more"); m?.click(); return m; })()`, name))
	b.press(entry)
	b.until(`!document.querySelector(".menu")`)
}

// TestAMillionRowsInABrowser looks at all rows of a result: the page holds few of them, and
// order, conditions, summaries and files are of all.
func TestAMillionRowsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/sql?at=here&q=SELECT+i+AS+n,+i+%25+7+AS+k,+{'a':+i,+'b':+[i,+2]}+AS+o,+'word+'+||+i+AS+w+FROM+range(1000000)+t(i)")
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content") && document.querySelector("[aria-label='Where it runs']")`)
	b.press("Run")
	b.sees("1,000,000 rows")
	b.until(`document.querySelector(".grid-row")`)
	b.gridKeys("End, ctrl")
	b.until(`[...document.querySelectorAll(".grid-row")].some(r => r.ariaRowIndex === "1000001" && r.innerText.includes("word "))`)
	if cells := js[int](b, `document.querySelectorAll(".grid [role=gridcell]").length`); cells > 300 {
		t.Errorf("%d cells are in the page", cells)
	}
	b.check("million")

	// Order is by all rows.
	b.column("n", "Sort down")
	b.gridKeys("Home, ctrl")
	b.until(gridText + `.startsWith("999,999 ")`)
	// Conditions, too; cells are copied as they are shown, whatever order the columns have.
	b.until(`(() => { const m = document.querySelector("[aria-label='Column n'].more"); m?.click(); return m; })()`)
	b.until(`document.querySelector(".menu input")`)
	js[bool](b, `(() => { for (const [i, v] of [[0, "10"], [1, "20"]]) { const f = document.querySelectorAll(".menu input")[i]; f.value = v; f.dispatchEvent(new Event("input", {bubbles: true})); } return true; })()`)
	b.check("million-menu")
	b.press("Filter")
	b.sees("11 of 1,000,000 rows")
	b.until(gridText + `.startsWith("20 ")`)
	b.column("w", "Pin at the left")
	b.column("k", "Hide")
	b.column("o", "Move left")
	b.until(`[...document.querySelectorAll(".grid [role=columnheader]")].map(c => c.innerText.trim()).join() === "w,o,n ↓"`)
	b.gridKeys("Home, ctrl", "ArrowRight, shift", "ArrowDown, shift")
	b.sees("2 × 2 cells selected")
	if got, want := b.copies("Copy them"), "word 20\t{\"a\":20,\"b\":[20,2]}\nword 19\t{\"a\":19,\"b\":[19,2]}\n"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	// A nested value opens as a tree.
	b.gridKeys("Enter")
	b.until(`document.querySelector(".tree")?.innerText.includes("a: 19")`)
	b.check("million-value")
	b.press("Close")

	b.press("Summary")
	b.until(`document.querySelectorAll(".summary .top, .summary .bins").length === 4`)
	b.sees("11 distinct")
	b.check("million-summary")
	js[bool](b, `window.showSaveFilePicker = undefined, true`)
	b.press("Rows") // what saves is drawn anew
	b.press("CSV")
	if text := file("query-filtered.csv"); strings.Count(text, "\n") != 12 || !strings.Contains(text, "word 20") {
		t.Errorf("the file:\n%s", text)
	}

	// What was done stays while another part is shown.
	js[bool](b, `location.hash = "#/tables", true`)
	b.sees("airports")
	js[bool](b, `location.hash = "#/sql", true`)
	b.sees("11 of 1,000,000 rows")
	b.press("Rows")
	b.until(gridText + `.startsWith("word 20 ")`)
}

// TestAllRowsOfASourceInABrowser are brought when somebody asks for them.
func TestAllRowsOfASourceInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	var rows strings.Builder
	rows.WriteString("n,k\n")
	for i := range 5000 {
		fmt.Fprintf(&rows, "%d,%d\n", i, i%3)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "many.csv"), []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	instance := filepath.Join(p.dir, "many.yaml")
	text := fmt.Sprintf("server: { state_dir: %q }\nsources:\n  files: { type: lake, root: %q }\ntables:\n  - { id: many, source: files, path: many.csv, public: true }\n", filepath.Join(p.dir, "many-state"), p.dir)
	if err := os.WriteFile(instance, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	address, code, _ := openPage(t, p.with("DA_INSTANCE="+instance))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("many")
	b.runs("SELECT * FROM many")
	b.sees("2,000 rows (the first; there may be more)")
	b.check("first-rows")
	b.press("Look at all rows")
	b.sees("5,000 rows")
	b.until(`document.querySelector(".grid-row")`)
	b.gridKeys("End, ctrl")
	b.until(`[...document.querySelectorAll(".grid-row")].some(r => r.ariaRowIndex === "5001" && r.innerText.includes("1"))`)
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, "The chart shows the first") {
		t.Errorf("a chart of all rows:\n%s", text)
	}
}

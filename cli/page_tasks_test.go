package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestTheTasksInABrowser does what people do with the page, on the data of the demo: without
// a pointer, and with a mouse in a wide window and in one as narrow as a phone. It logs what
// each task took.
func TestTheTasksInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	for way, width := range map[string]int64{"keyboard": 1280, "mouse": 1440, "phone": 390} {
		t.Run(way, func(t *testing.T) {
			var tasks []string
			for _, of := range []func(*testing.T, *hands){tasksAtHome, tasksAtAServer} {
				h := &hands{way: way, width: width, mouse: way != "keyboard"}
				of(t, h)
				tasks = append(tasks, h.tasks...)
			}
			t.Logf("tasks by %s\n| task | keys | clicks | seconds | requests |\n|---|---|---|---|---|\n%s", way, strings.Join(tasks, "\n"))
		})
	}
}

// opens opens the tab in which the tasks are done.
func (h *hands) opens(t *testing.T, address string) {
	h.tab = openTab(t, address)
	h.do(chromedp.EmulateViewport(h.width, 800))
}

// tasksAtHome does what a person on a machine of their own does.
func tasksAtHome(t *testing.T, h *hands) {
	address, code, _ := openPage(t, demoPlace(t))
	h.opens(t, address+"/")
	file := h.takes(t)
	h.visit("/#code=" + code)
	h.until(`document.querySelectorAll(".tile canvas").length === 3`)
	h.task("find a table by a column's name", func() {
		h.finds("tables", "Tables")
		h.sees("2 that you may read")
		h.key("/")
		h.do(chromedp.KeyEvent("destin"))
		h.until(`document.querySelector(".found code")?.innerText === "destination"`)
		h.uses("flights")
		h.until(`document.querySelector("h1")?.innerText === "flights"`)
	})
	h.task("understand its columns", func() {
		h.uses("Statistics")
		h.until(`document.querySelectorAll(".summary .bins, .summary .top").length > 5`)
	})
	h.task("price and take a part", func() {
		h.uses("Rows and price")
		h.fills("Rows for which", "delay > 120 AND origin = 'ORD'")
		h.sees("356 (counted)")
		h.uses("Show rows")
		h.sees("356 rows")
	})
	h.task("SQL: completion, run, plan", func() {
		h.newSheet()
		h.do(chromedp.KeyEvent("SELECT * FROM fli"))
		h.accepts("flights")
		h.until(inEditor(0) + `.trim() === "SELECT * FROM flights"`)
		h.key("ctrl " + kb.Enter)
		h.sees("2,000 rows (the first; there may be more)")
		h.uses("Plan")
		h.sees("Reads at the source")
		h.to("SQL of cell1")
		h.key("ctrl " + kb.Enter)
		h.sees("2,000 rows (the first; there may be more)")
	})
	h.task("2,000 rows: sort, filter, copy", func() {
		if h.mouse {
			for range 2 {
				h.click(`[...document.querySelectorAll(".grid-head .name")].find(n => n.innerText.trim().startsWith("delay"))`)
			}
		} else {
			h.to("Rows of flights")
			h.key(kb.ArrowRight, kb.ArrowUp, " ", " ") // in the head: up, then down
		}
		h.until(`document.querySelector("[aria-sort=descending]").innerText.trim() === "delay"`)
		h.fills("Filter the rows", "SAN")
		h.until(`/ of 2,000 rows/.test(document.querySelector(".result [role=status]").innerText)`)
		h.to("Rows of flights")
		h.key(kb.ArrowDown, "ctrl a")
		h.sees("cells selected")
		js[bool](h.tab, `navigator.clipboard.writeText = async text => { window.copied = text; }, true`)
		h.key("ctrl c")
		h.until(`window.copied?.includes("SAN")`)
	})
	h.task("export CSV, XLSX, Parquet", func() {
		js[bool](h.tab, `window.showSaveFilePicker = undefined, true`)
		for format, begins := range map[string]string{"CSV": "date,delay,", "XLSX": "PK\x03\x04", "Parquet": "PAR1"} {
			h.finds("all rows as "+format, "Export all rows as "+format)
			if got := file("flights." + strings.ToLower(format)); !strings.HasPrefix(got, begins) {
				t.Errorf("%s begins with %.20q", format, got)
			}
		}
	})
	h.task("chart, change, PNG", func() {
		h.finds("show chart", "Show chart")
		h.until(`document.querySelector(".canvas canvas")`)
		h.selects("Kind", "Line")
		h.selects("Colour", "origin")
		h.until(`document.querySelector(".canvas").getAttribute("aria-label").startsWith("line chart of ")`)
		h.finds("png", "Export the chart as PNG")
		if got := file("flights-filtered.png"); !strings.HasPrefix(got, "\x89PNG") {
			t.Errorf("the picture begins with %.8q", got)
		}
	})
	h.task("stop a statement that runs", func() {
		h.newSheet()
		h.pastes(neverEnds("flights", "origin"))
		h.key("ctrl " + kb.Enter)
		h.uses("Stop")
		h.sees("Stopped. Nothing is shown of it.")
	})
	h.task("bad SQL, mended by what was meant", func() {
		h.newSheet()
		h.do(chromedp.KeyEvent("SELECT dely FROM flights LIMIT 3"))
		h.key("ctrl " + kb.Enter)
		h.uses("delay", ".cell .chips")
		h.until(inEditor(0) + `.trim() === "SELECT delay FROM flights LIMIT 3"`)
		h.key("ctrl " + kb.Enter)
		h.sees("3 rows")
	})
	h.task("share a link", func() {
		h.uses("More the sheet")
		js[bool](h.tab, `navigator.clipboard.writeText = async text => { window.copied = text; }, true`)
		h.uses("Copy link")
		h.until(`window.copied`)
	})
	link := js[string](h.tab, `window.copied`)
	h.draft("")
	h.visit("/" + link[strings.Index(link, "#"):])
	h.sees("3 rows") // which cost nothing, so they come at once
	h.task("fetch, then here, again", func() {
		h.finds("fetch, then", "Fetch, then here")
		h.key("e") // to the statement, from wherever one is
		h.fills("SQL of cell1", "SELECT count(*) AS n FROM flights WHERE origin = 'ORD'")
		h.key("ctrl " + kb.Enter)
		h.sees("1 row")
		h.uses("Plan")
		h.sees("an earlier query")
	})
	h.task("snapshot: keep, refresh, compare", func() {
		h.finds("airports", "airports")
		h.uses("Rows and price")
		h.fills("Rows for which", "state = 'AK'")
		for _, name := range []string{"alaska", "north"} {
			h.fills("Keep on this machine as", name)
			h.key(kb.Enter)
			h.sees("rows are kept as " + name)
		}
		h.uses("north")
		h.uses("Refresh…")
		h.sees("a refresh reads nothing")
		h.uses("Refresh")
		h.sees("Its source has not changed")
		h.uses("Compare…")
		h.until(`/The same\s+263/.test(document.querySelector("[aria-label=Comparison]")?.innerText)`)
	})
	h.task("upload messy CSV and XLSX", func() {
		h.finds("files", "Files")
		h.sends("Send files", "spend.csv", "Kosten 2024\n\nStadt;Betrag\nM\xfcnchen;1.234,5\nK\xf6ln;7,25\n")
		h.uses("spend.csv")
		h.until(gridText + `.startsWith("München ")`)
	})
}

// neverEnds is a statement over so many copies of a table that nobody waits for its end.
func neverEnds(table, column string) string {
	var tables, columns []string
	for i := range 40 {
		tables, columns = append(tables, fmt.Sprintf("%s a%d", table, i)), append(columns, fmt.Sprintf("a%d.%s", i, column))
	}
	return "SELECT count(*) AS n FROM " + strings.Join(tables, ", ") + " WHERE concat(" + strings.Join(columns, ", ") + ") = 'x'"
}

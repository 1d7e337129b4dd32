package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

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

// frames tells how long the frames take in which the rows of a grid are scrolled through.
func (b *tab) frames() {
	b.t.Helper()
	took := js[[]float64](b, `(async () => {
		const grid = document.querySelector(".grid"), took = [];
		grid.scrollTop = 0;
		let last = await new Promise(requestAnimationFrame);
		for (let i = 0; i < 300; i++) {
			grid.scrollTop += 90;
			const now = await new Promise(requestAnimationFrame);
			took.push(now - last);
			last = now;
		}
		return took.sort((a, b) => a - b);
	})()`)
	b.t.Logf("frames while scrolling a million rows: median %.1f ms, 95 %% within %.1f ms, worst %.1f ms", took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
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
	b.frames()

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
	b.until(`[...document.querySelectorAll(".grid [role=columnheader]")].map(c => c.innerText.trim()).join() === "w,o,n" && document.querySelector(".grid [aria-sort=descending]").innerText.trim() === "n"`)
	b.picture("million-sorted")
	b.gridKeys("Home, ctrl", "ArrowRight, shift", "ArrowDown, shift")
	b.sees("2 × 2 cells selected")
	if got, want := b.copies("Copy them"), "word 20\t{\"a\":20,\"b\":[20,2]}\nword 19\t{\"a\":19,\"b\":[19,2]}\n"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	// A nested value opens as a tree.
	b.gridKeys("Enter")
	b.until(`document.querySelector(".tree")?.innerText.includes("a: 19")`)
	b.until(`document.querySelector(".value").getBoundingClientRect().bottom <= innerHeight + 1`) // it is in view
	b.check("million-value")
	b.press("Close")

	b.press("Summary")
	b.until(`document.querySelectorAll(".summary .top, .summary .bins").length === 4`)
	b.sees("11 distinct")
	b.check("million-summary")
	js[bool](b, `window.showSaveFilePicker = undefined, true`)
	b.press("Rows") // what saves is drawn anew
	b.press("CSV")
	if text := file("range-filtered.csv"); strings.Count(text, "\n") != 12 || !strings.Contains(text, "word 20") {
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

// openMany opens the page of an instance whose table has 5,000 rows.
func openMany(t *testing.T) *tab {
	t.Helper()
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
	return b
}

// TestAllRowsOfASourceInABrowser are brought when somebody asks for them.
func TestAllRowsOfASourceInABrowser(t *testing.T) {
	t.Parallel()
	b := openMany(t)
	b.runs("SELECT * FROM many")
	b.sees("2,000 rows (the first; there may be more)")
	b.check("first-rows")
	// The file of all rows is named after what they are of, and tells how far it is.
	file := b.takes(t)
	js[bool](b, `(() => {
		const old = fetch, told = () => Promise.resolve(new Response('{"rows": 1234}'));
		window.showSaveFilePicker = undefined;
		window.fetch = (to, o) => to === "/api/page/file" ? new Promise(go => { window.release = () => { window.fetch = old; go(old(to, o)); }; })
			: to.startsWith("/api/page/file/") ? told() : old(to, o);
		return true;
	})()`)
	b.until(`(() => { const all = document.querySelector("[data-do='Export all rows as CSV']"), menu = all?.closest("details"); if (menu) menu.open = true; all?.click(); return menu && !menu.open; })()`) // a choice folds the menu
	b.sees("1,234 rows so far")
	js[bool](b, `window.release(), true`)
	if text := file("many.csv"); strings.Count(text, "\n") != 5001 {
		t.Errorf("the file has %d lines", strings.Count(text, "\n"))
	}
	b.press("Look at all rows")
	b.sees("5,000 rows")
	b.until(`document.querySelector(".grid-row")`)
	b.gridKeys("End, ctrl")
	b.until(`[...document.querySelectorAll(".grid-row")].some(r => r.ariaRowIndex === "5001" && r.innerText.includes("1"))`)

	// A chart is of all rows without being asked, where these cost nothing.
	const chart = `document.querySelector(".canvas canvas") && document.querySelector(".canvas").getAttribute("aria-label")`
	b.runs("SELECT n FROM many")
	b.sees("2,000 rows (the first; there may be more)")
	b.press("Chart")
	b.until(chart + ` === "bar chart of count of rows by n"`)
	b.sees("5,000 rows")
	b.check("chart-of-all")
	// Where they do not come, the picture itself says that it is of a part.
	b.runs("SELECT k, n FROM many")
	b.sees("2,000 rows (the first; there may be more)")
	js[bool](b, `(() => { const old = fetch; window.fetch = (to, o) => to === "/api/page/results" ? Promise.resolve(new Response('{"error": "too_large", "message": "too large"}', {status: 413})) : old(to, o); return true; })()`)
	b.press("Chart")
	b.until(chart + ` === "point chart of n by k. Only of the first 2,000 rows: there are more"`)
	b.check("chart-of-a-part")
	b.ticks("Powers of ten")
	b.press("SVG")
	if text := file("many-first-2000-rows.svg"); !strings.Contains(text, "Only of the first 2,000 rows: there are more") {
		t.Errorf("the picture says nothing:\n%.2000s", text)
	}
}

// clicksChart clicks on the first mark that it meets from the left, at some height above the bottom
// of a chart, until something is true.
func (b *tab) clicksChart(chart string, above int, done string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector(%q)`, chart+" canvas"))
	if !js[bool](b, fmt.Sprintf(`(async () => {
		for (let x = 60, wide = 99; x < wide; x += 12) {
			const canvas = document.querySelector(%q), box = canvas?.getBoundingClientRect(); // it is drawn anew when it gets another width
			if (canvas) for (const kind of ["pointermove", "pointerdown", "click"])
				canvas.dispatchEvent(new PointerEvent(kind, {clientX: box.left + x, clientY: box.bottom - %d, bubbles: true}));
			wide = box?.width ?? wide;
			await new Promise(go => setTimeout(go, 20));
			if (%s) return true;
		}
		return false;
	})()`, chart+" canvas", above, done)) {
		b.t.Fatalf("no mark of %s leads anywhere", chart)
	}
}

// clicksLine clicks all over a chart of lines until a place of one leads to its rows.
func (b *tab) clicksLine() {
	b.t.Helper()
	for above := 40; above < 420; above += 6 {
		found := js[bool](b, fmt.Sprintf(`(async () => {
			const canvas = document.querySelector(".canvas canvas"), box = canvas?.getBoundingClientRect();
			for (let x = 40; canvas && x < box.width; x += 6)
				for (const kind of ["pointermove", "pointerdown", "click"])
					canvas.dispatchEvent(new PointerEvent(kind, {clientX: box.left + x, clientY: box.bottom - %d, bubbles: true}));
			await new Promise(go => setTimeout(go, 20));
			return !!document.querySelector("[aria-label^='Take away']");
		})()`, above))
		if found {
			return
		}
	}
	b.t.Fatal("no place of a line leads anywhere")
}

// drawsParts draws two columns as two series, and groups as panels with names of their own,
// as links hold them: each is in the picture.
func (b *tab) drawsParts(file func(string) string) {
	b.t.Helper()
	for name, of := range map[string]struct {
		chart string
		want  []string
	}{
		"two":    {`"y": "delay", "by": "", "also": "twice", "how": "mean", "up": "Minutes"`, []string{">Series<", ">delay<", ">twice<", ">Minutes<"}},
		"panels": {`"y": "delay", "by": "late", "how": "sum", "panels": true, "across": "Where from"`, []string{">late<", ">true<", ">false<", ">Where from<"}},
		"share":  {`"y": "delay", "by": "late", "how": "count", "percent": true`, []string{">share of count of rows<", ">100%<"}},
	} {
		b.visit("/#/sql?sheet=" + url.QueryEscape(`{"id": "link", "name": "`+name+`", "where": "source", "values": {}, "cells": [{"name": "c",
			"sql": "SELECT origin, delay > 0 AS late, delay, 2 * delay AS twice, '`+name+`' AS said FROM flights", "look": {"view": "chart", "chart": {"kind": "bar", "x": "origin", `+of.chart+`}}}]}`))
		b.until(`document.querySelector(".canvas canvas")`)
		b.check("chart-" + name)
		b.press("SVG")
		svg := file(name + ".svg")
		for _, want := range of.want {
			if !strings.Contains(svg, want) {
				b.t.Errorf("there is no %s in the chart %s:\n%.3000s", want, name, svg)
			}
		}
	}
}

// TestChartsLeadToTheirRowsInABrowser clicks on a bar of groups: the rows are those of the bar,
// of a sheet's chart and of a dashboard's.
func TestChartsLeadToTheirRowsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.visit("/#code=" + code)
	b.sees("airports")
	const sheet = `{"id": "link", "name": "Late", "where": "source", "values": {}, "cells": [{"name": "late",
		"sql": "SELECT origin, delay > 0 AS late, delay FROM flights", "look": {"view": "chart", "chart": {"kind": "bar",
		"x": "origin", "y": "delay", "by": "late", "how": "count", "grouped": true}}}]}`
	rows := func(chips string) (origin, late string) {
		t.Helper()
		all := strings.Split(js[string](b, chips), ", ")
		if len(all) != 2 {
			t.Fatalf("the rows are of %q", all)
		}
		return strings.TrimPrefix(strings.TrimSuffix(all[0], " ×"), "origin = "), strings.TrimPrefix(strings.TrimSuffix(all[1], " ×"), "late = ")
	}
	count := func(origin, late string) string {
		t.Helper()
		return strings.TrimSpace(strings.TrimPrefix(p.ok("query", "--remote", "--output", "csv", fmt.Sprintf("SELECT count(*) AS n FROM flights WHERE origin = '%s' AND (delay > 0) = %s", origin, late)), "n\n"))
	}
	b.visit("/#/sql?sheet=" + url.QueryEscape(sheet))
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")?.innerText.includes("late")`)
	b.press("Run")
	b.clicksChart(".canvas", 90, `document.querySelector("[aria-label^='Take away']")`)
	origin, late := rows(`[...document.querySelectorAll("[aria-label^='Take away']")].map(c => c.innerText).join(", ")`)
	b.sees(count(origin, late) + " of 600 rows")
	b.check("chart-rows")
	b.visit("/#/sql?sheet=" + url.QueryEscape(strings.NewReplacer(`"link"`, `"lines"`, `"kind": "bar"`, `"kind": "line"`).Replace(sheet)))
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")?.innerText.includes("late")`)
	b.press("Run")
	b.clicksLine()
	origin, late = rows(`[...document.querySelectorAll("[aria-label^='Take away']")].map(c => c.innerText).join(", ")`)
	b.sees(count(origin, late) + " of 600 rows")

	b.visit("/#/dashboard?sheet=" + url.QueryEscape(sheet))
	b.clicksChart("[aria-label=late] .canvas", 90, `document.querySelector("[aria-label='Rows behind the chart'] .grid")`)
	said := js[string](b, `document.querySelector("[aria-label='Rows behind the chart'] [role=status]").innerText`)
	n, of, _ := strings.Cut(said, " rows with ")
	origin, late = rows(fmt.Sprintf("%q", of))
	if want := count(origin, late); n != want {
		t.Errorf("%s, want %s rows", said, want)
	}
	b.check("dashboard-rows")
	b.do(chromedp.EmulateViewport(1280, 900))
	b.press("Close")
	b.until(`!document.querySelector("[aria-label='Rows behind the chart']")`)
	b.drawsParts(file)
}

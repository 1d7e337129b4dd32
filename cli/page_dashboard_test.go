package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// dashboard has a tile of each kind, and texts that would be markup if anything took
// them for it.
const dashboard = `{"id": "link", "name": "<b onclick=alert(1)>Board</b>", "where": "source", "values": {"least": "0"}, "cells": [
	{"name": "words", "sql": "", "text": "**Bold** <img src=x onerror=alert(2)> or [a link](https://example.com)."},
	{"name": "figures", "title": "In figures", "sql": "SELECT count(*) AS flights, max(delay) AS latest FROM flights WHERE delay >= $least"},
	{"name": "spread", "sql": "SELECT f.delay + i AS delay, 'n' || i % 3 AS kind FROM flights f, range(100) t(i) WHERE f.delay >= $least",
	 "look": {"view": "chart", "chart": {"kind": "bar", "x": "delay", "y": "delay", "by": "", "how": "count", "bins": true, "title": "Spread"}}},
	{"name": "again", "sql": "SELECT delay FROM flights",
	 "look": {"view": "chart", "chart": {"kind": "bar", "x": "delay", "y": "delay", "by": "", "how": "count", "bins": true}}},
	{"name": "rows", "sql": "SELECT origin, '<script>alert(3)</script>' AS text, repeat('wide ', 20) AS a, repeat('wide ', 20) AS b FROM flights WHERE delay >= $least"}]}`

// media shows the page as on a screen, or as printed.
func (b *tab) media(of string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: of})
		return err
	}))
}

// TestDashboardsInABrowser opens a sheet as tiles by a link, changes its parameter, takes
// it as one file, opens it as a sheet, and then the one that the instance begins with.
func TestDashboardsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	instance := strings.Replace(fixtureInstance, "max_limit: 5000", "max_limit: 1000000", 1)
	write("instance.yaml", instance)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	file := b.takes(t)
	b.do(chromedp.EmulateViewport(1400, 900))
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/dashboard?sheet=" + url.QueryEscape(dashboard))
	drawn := `document.querySelector("[aria-label=spread] canvas") && document.querySelector("[aria-label=again] canvas") && document.querySelector("[aria-label='bar chart of count of rows by delay']")`
	b.until(drawn)
	b.until(`document.querySelector("[aria-label=rows] .grid-row")`)
	b.until(`document.querySelector("[aria-label='In figures'] dd")?.innerText === "420"`)
	b.until(`document.querySelector(".parameters input").placeholder === "number"`) // as the column that it is compared with
	b.until(`document.querySelector("[aria-label=rows]").innerText.includes("4 columns: scroll to the side")`)
	b.check("dashboard")
	b.walk("dashboard")

	// Paper has the tiles with their figures, and nothing that can be pressed.
	b.until(`[...document.querySelectorAll("button")].some(b => b.textContent === "Print or PDF")`)
	b.media("print")
	b.until(`(shown => shown.length === 2 && shown.every(b => b.matches(".figure")))([...document.querySelectorAll("button:not(.grid button)")].filter(b => b.offsetHeight))`)
	b.media("")

	// A figure leads to what it rests on, and takes that along.
	b.press("420")
	b.sees("Ran at the source")
	b.until(`document.querySelector(".tile .origin a[href='#/tables/flights']")`)
	b.check("dashboard-source")
	b.pressIn(".origin", "CSV")
	if got := file("source of flights in row 1 of In figures.csv"); !strings.Contains(got, "\n420,flights,1,") || !strings.Contains(got, ",at the source,") || !strings.Contains(got, "table flights") {
		t.Errorf("the source of a figure:\n%s", got)
	}

	b.press("Save as page")
	text := file("b onclick alert 1 Board b.html")
	for _, want := range []string{"&#60;b onclick=alert(1)&#62;Board", "<strong>Bold</strong>", "&lt;img src=x onerror=alert(2)&gt;", "&#60;script&#62;", "<svg", "<code>$least</code> = 0", "42,000 rows. Run", "delay &#62;= 0</pre>"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%.3000s", want, text)
		}
	}
	if strings.Contains(text, "<img") || strings.Contains(text, "<script") {
		t.Errorf("markup:\n%.3000s", text)
	}

	js[bool](b, `(() => { const i = document.querySelector(".parameters input"); i.value = "1000000"; return ["input", "change"].every(e => i.dispatchEvent(new Event(e, {bubbles: true}))); })()`)
	b.until(`document.querySelector("[aria-label='In figures'] dd")?.innerText === "0"`)
	follow := func(text string) {
		t.Helper()
		b.until(`(() => { const a = [...document.querySelectorAll("a")].find(a => a.innerText === "` + text + `"); a?.click(); return a; })()`)
	}
	follow("Open as sheet")
	b.until(`document.querySelectorAll(".cell").length === 5`)
	follow("Dashboard")
	b.sees("works in this browser only")
	b.until(`new Set([...document.querySelectorAll(".head .bar > *")].map(e => Math.round(e.getBoundingClientRect().top / 20))).size === 1`)
	b.press("Arrange")
	b.press("Wide")
	b.until(`document.querySelectorAll(".tile.wide").length === 2`)
	b.check("dashboard-arranged")
	b.press("Save for others")
	var saved struct {
		Tables []string
		Cells  []struct{ Wide bool }
	}
	text = file("b-onclick-alert-1-board-b-.json")
	if err := json.Unmarshal([]byte(text), &saved); err != nil || strings.Join(saved.Tables, ",") != "flights" || !saved.Cells[1].Wide {
		t.Errorf("%v: %s", err, text)
	}

	// The instance offers it from now on, and begins with it.
	write("instance.yaml", "dashboards: .\n"+instance)
	write("start.json", text)
	write("odd.json", `{"tables": ["flights"], "cells": "x"}`)
	write("none.json", `{"name": "no tables"}`)
	address, code, _ = openPage(t, p)
	b.address = address
	b.visit("/#code=" + code)
	b.sees("In figures")
	if at := js[string](b, "location.hash"); at != "#/dashboard/start" {
		t.Errorf("the page begins at %s", at)
	}
	b.do(chromedp.Focus(".parameters input"), chromedp.KeyEvent("1"))
	b.sees("Enter applies it") // a value that is not whole runs nothing
	if at := js[string](b, "location.hash"); at != "#/dashboard/start" {
		t.Errorf("half of a value is in the address: %s", at)
	}
	b.do(chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Enter))
	b.until(`location.hash.startsWith("#/dashboard/start?")`) // what was typed is in the address
	b.until(`document.activeElement.value?.endsWith("12")`)   // and the field is still the one that is typed in
	// An admin puts a sheet among those of the instance, and takes it back.
	b.visit("/#/dashboard/start")
	follow("Open as sheet")
	b.until(`document.querySelectorAll(".cell").length === 5`)
	follow("Dashboard")
	sure := func(label, says string) {
		t.Helper()
		open := func(text string) string {
			return `[...document.querySelectorAll(".head .more-of")].some(d => d.textContent.includes("` + text + `") && (d.open = true))`
		}
		b.until(open(label))
		b.press(label)
		b.until(open(says)) // a page that just came takes the focus, which folds the menu
		js[bool](b, `document.querySelector("button.danger").click(), true`)
	}
	sure("Publish", "Whoever may read all columns of its tables sees it")
	b.sees("Published as")
	b.check("dashboard-published")
	follow("b-onclick-alert-1-board-b-")
	b.until(`document.querySelector(".tile") && !document.body.innerText.includes("Arrange")`)
	sure("Unpublish", "Nobody sees it among the dashboards any more.")
	b.sees("is taken back")
	b.until(`!document.querySelector(".tile")`)
	b.press("Undo")
	b.until(`document.querySelector(".tile")`)
	b.visit("/#/dashboard/none")
	b.sees("the file names no tables")
	b.visit("/#/dashboard/odd")
	b.sees("odd.json is no dashboard")
	b.visit("/#/tables")
	b.sees("none.json in the folder of dashboards cannot be shown: the file names no tables")
	b.visit("/#/dashboard/nothing")
	b.sees("There is no such sheet")
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}
}

// TestADashboardRefreshesItselfInABrowser: a file that grows shows in the tile without a press,
// and the span is in the address, so that a link keeps it.
func TestADashboardRefreshesItselfInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	rows := filepath.Join(p.dir, "data", "grown.csv")
	grow := func(text string) {
		t.Helper()
		if err := os.WriteFile(rows, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	grow("n\n1\n")
	p.write(t, "instance.yaml", strings.TrimRight(fixtureInstance, "\n")+"\n  - { id: grown, source: files, path: grown.csv, public: true }\n")
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/dashboard?sheet=" + url.QueryEscape(`{"id": "x", "every": 0.05, "cells": [{"name": "sum", "sql": "SELECT sum(n) AS n FROM grown"}]}`))
	figure := func(want string) {
		t.Helper()
		b.until(`document.querySelector(".tile dd")?.innerText === "` + want + `"`)
	}
	figure("1")
	grow("n\n1\n41\n")
	figure("42")
	b.check("dashboard-refreshed")
	js[bool](b, `(() => { const s = [...document.querySelectorAll("label")].find(l => l.innerText.startsWith("Refresh")).querySelector("select"); s.value = "5"; return s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.until(`decodeURIComponent(location.hash).includes('"every":5')`)
}

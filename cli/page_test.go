package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// tab is a real browser's tab. What the page does wrong there fails the test:
// exceptions, errors on the console, breaches of the content security policy.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string // of the page, without a fragment
	axe     string
}

// pagePatience is how long anything may take to appear: it is there to end a test
// that would wait for ever.
const pagePatience = 4 * time.Minute

// openTab starts a browser on a page.
func openTab(t *testing.T, address string) *tab {
	t.Helper()
	testneed.Program(t, "chromium")
	axe := filepath.Join("..", "web", "node_modules", "axe-core", "axe.min.js")
	testneed.File(t, axe, "axe-core", "make needs")
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	// Without motion no colour is looked at while it fades.
	ctx, stop := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.Headless, chromedp.Flag("force-prefers-reduced-motion", true))
	t.Cleanup(stop)
	b := &tab{t: t, address: strings.SplitN(address, "#", 2)[0], axe: string(script)}
	b.ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	// The first call starts the browser, which ends with the call's context.
	if err := chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: `
			window.faults = [];
			addEventListener("securitypolicyviolation", e => faults.push("policy: " + e.violatedDirective + " " + e.blockedURI));
			addEventListener("error", e => faults.push("error: " + e.message));
			addEventListener("unhandledrejection", e => faults.push("rejection: " + e.reason));
			for (const kind of ["error", "warn"]) { const old = console[kind]; console[kind] = (...a) => { faults.push(kind + ": " + a.join(" ")); old(...a); }; }
			window.alert = text => faults.push("alert: " + text);`})
		return err
	})); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pagePatience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// js evaluates an expression in the page.
func js[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pagePatience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pagePatience)
	defer stop()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")"))
	for err != nil && ctx.Err() == nil && onTheWay(err) {
		_, err = chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")"))
	}
	if err != nil {
		b.t.Fatalf("never true: %s: %v\n%s", expression, err, js[string](b, "document.body.innerText"))
	}
}

// onTheWay reports whether a call failed because the tab went to another page.
func onTheWay(err error) bool {
	text := err.Error()
	return strings.Contains(text, "navigated or closed") || strings.Contains(text, "Cannot find context")
}

// sees waits for a text in the page.
func (b *tab) sees(text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.t.Fatal(err)
	}
	b.until(fmt.Sprintf("document.body.innerText.includes(%s)", quoted))
}

// visit goes to a place of the page, as a new load.
func (b *tab) visit(fragment string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.address+fragment))
}

// check holds the page, as it is now, to what every page must be: sound, legible
// in both themes at every width, and usable with a screen reader.
func (b *tab) check(name string) {
	b.t.Helper()
	for _, width := range []int64{360, 800, 1600} {
		b.do(chromedp.EmulateViewport(width, 900))
		for _, theme := range []string{"light", "dark"} {
			js[bool](b, fmt.Sprintf(`localStorage.setItem("da.theme", %q), dispatchEvent(new Event("storage")), true`, theme))
			if over := js[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				b.t.Errorf("%s at %d: %d pixels wider than the window", name, width, over)
			}
			b.picture(fmt.Sprintf("%s-%d-%s", name, width, theme))
			if width == 360 && theme == "dark" || width == 1600 && theme == "light" {
				b.accessible(fmt.Sprintf("%s at %d, %s", name, width, theme))
			}
		}
	}
	for _, fault := range js[[]string](b, "window.faults") {
		b.t.Errorf("%s: %s", name, fault)
	}
}

// accessible runs axe over the page.
func (b *tab) accessible(where string) {
	b.t.Helper()
	if !js[bool](b, "!!window.axe") {
		js[bool](b, b.axe+"; true")
	}
	found := js[[]string](b, `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]})
		.then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical" || v.impact === "moderate")
			.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`)
	for _, v := range found {
		b.t.Errorf("%s: %s", where, v)
	}
}

// picture keeps what the page looks like, if DA_SCREENSHOTS names a folder.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("DA_SCREENSHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// hostile is a table whose every text would be a script, if anything took it for one.
const hostile = `"id","<img src=x onerror=alert('head')>","note"
1,"<script>alert('cell')</script>","=HYPERLINK(""http://evil.example"")"
2,"<svg onload=alert('svg')>","javascript:alert('link')"

"<b onclick=alert('total')>Total</b>"
`

// TestLargeResultsInABrowser scrolls 2,000 rows of 100 columns from end to end: what
// is in the page at a time must not grow with them.
func TestLargeResultsInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	var columns []string
	for i := range 99 {
		columns = append(columns, fmt.Sprintf("a.iata || '-%d' AS c%d", i, i))
	}
	sql := "SELECT row_number() OVER () AS n, " + strings.Join(columns, ", ") + " FROM airports a, airports b, airports c, airports d, airports e, airports f, airports g ORDER BY n"
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	// The draft is what the editor begins with.
	b.draft(sql)
	b.opensSQL()
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Run").click(), true`)
	b.sees("2,000 rows (the first; there may be more)")
	for _, place := range []string{"0, 0", "0, 30000", "5000, 30000", "1e7, 1e7"} {
		js[bool](b, fmt.Sprintf(`document.querySelector(".grid").scrollTo(%s), true`, place))
		js[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
		if cells := js[int](b, `document.querySelectorAll(".grid [role=gridcell]").length`); cells == 0 || cells > 1500 {
			t.Errorf("at %s: %d cells are in the page", place, cells)
		}
	}
	b.until(`[...document.querySelectorAll(".grid [role=row]")].some(r => r.getAttribute("aria-rowindex") === "2001")`)
	b.until(`[...document.querySelectorAll(".grid [role=columnheader]")].some(c => c.innerText === "c98")`)
	// By the first column, downwards: its largest number comes first.
	js[bool](b, `document.querySelector(".grid").scrollTo(0, 0), true`)
	b.until(`document.querySelector(".grid button")?.innerText === "n"`)
	js[bool](b, `document.querySelector(".grid button").click(), document.querySelector(".grid button").click(), true`)
	b.until(`document.querySelector(".grid [role=columnheader]").getAttribute("aria-sort") === "descending"`)
	b.until(`document.querySelector(".grid [role=gridcell]").innerText === "2,000"`) // no year, although the first rows look so
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "hostile.csv"), []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	instance := filepath.Join(p.dir, "page.yaml")
	text := fmt.Sprintf("server: { state_dir: %q }\nsources:\n  files: { type: lake, root: %q }\ntables:\n"+
		"  - { id: hostile, source: files, path: hostile.csv, description: \"<b onmouseover=alert('text')>bold</b>\", public: true }\n",
		filepath.Join(p.dir, "page-state"), p.dir)
	if err := os.WriteFile(instance, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	address, code, _ := openPage(t, p.with("DA_INSTANCE="+instance))
	b := openTab(t, address+"/")
	file := b.takes(t)

	b.visit("/#code=" + code)
	b.sees("<b onmouseover=alert('text')>bold</b>")
	if at := js[string](b, "location.href"); strings.Contains(at, code) {
		t.Errorf("the code is still in the address: %s", at)
	}
	b.check("tables")
	js[bool](b, `document.querySelector("input[type=search]").focus(), true`)
	b.do(chromedp.KeyEvent("onerror"))
	b.until(`document.querySelector(".found code")?.innerText.includes("onerror")`)

	b.walk("tables")
	b.visit("/#/tables/hostile")
	b.sees("<img src=x onerror=alert('head')>")
	b.check("columns")
	b.visit("/#/tables/hostile/sample")
	b.sees("<script>alert('cell')</script>")
	b.sees(`1 line after the table was passed over, the first of them "<b onclick=alert('total')>Total</b>`)
	b.check("sample")

	b.visit("/#/tables/hostile/statistics")
	b.sees("Of all 2 rows")
	b.until(`[...document.querySelectorAll(".top button")].some(c => c.innerText.startsWith("=HYPERLINK(\"http://evil.example\")"))`)
	b.check("statistics")

	b.visit("/#/tables/hostile/part")
	b.sees("Read at the source")
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	const where = "id = 2 AND id BETWEEN 1 AND 3 AND note LIKE 'java%'" // its command is wider than a small window
	b.do(chromedp.KeyEvent(where))
	b.sees("da fetch hostile --where \"" + where + "\"")
	b.sees("1 (counted)")
	b.until(`!document.querySelector("button.primary").disabled`)
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Show rows").click(), true`)
	b.sees("1 row")
	b.sees("javascript:alert('link')")
	b.check("part")
	b.walk("part")
	if got := b.copies("Copy da command"); got != "da fetch hostile --where \""+where+"\"" {
		t.Errorf("the command: %q", got)
	}

	b.opensSQL()
	js[bool](b, `document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus(), true`)
	const sql = "SELECT id AS n, note FROM hostile ORDER BY id"
	b.do(chromedp.KeyEvent(sql), chromedp.KeyEvent(kb.Escape))
	b.sees("Reads at most 217 bytes at the source; billed: free.") // before it runs
	b.press("Plan")
	b.sees("Reads at the source")
	b.press("Run")
	b.sees("2 rows")
	b.press("Save")
	b.press("Statements")
	b.until(`document.querySelector(".sql-side li")?.innerText.includes("★")`)
	b.until(`/ · 2 rows · [\d.]+ m?s$/.test(document.querySelector(".sql-side .came")?.innerText)`)
	b.check("sql")
	b.usesRows("hostile", file)
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.check("chart")
	b.usesChart("hostile", file)
	b.usesKept(sql)
	b.stopsStatement()

	b.visit("/#/me")
	b.sees("Signed in on")
	b.sees("Chrome on Linux")
	b.check("me")
	b.visit("/#/ask")
	b.sees("No model is configured")
	b.check("no-model")
	for name, sign := range map[string]string{
		"use": "Quotas today", "audit": "queried", "grants": "There are no grants", "running": "Nothing runs at this moment", "sources": "reachable", "tokens": "There are no tokens", "sign-ins": "this one",
	} {
		b.visit("/#/check/" + name)
		b.sees(sign)
		if name == "audit" {
			b.press("queried")
			b.sees("Mark of the statement")
		}
		b.check("check-" + name)
		b.walk("check-" + name)
	}
	b.visit("/#/nothing")
	b.sees("There is no such page")
	b.check("nothing")
	js[bool](b, "localStorage.removeItem('da.key'), true")
	b.visit("/")
	b.sees("works once, for a minute")
	b.check("gate")
}

package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// signsIn pastes the token of a place.
func (b *tab) signsIn(p *place) {
	b.t.Helper()
	b.sees("Paste the token")
	js[bool](b, `document.querySelector("input").focus(), true`)
	b.do(chromedp.KeyEvent(p.get("DA_TOKEN")), chromedp.KeyEvent(kb.Enter))
}

// asks types a question.
func (b *tab) asks(question string) {
	b.t.Helper()
	b.until(`document.querySelector(".say textarea:not([disabled])")`)
	js[bool](b, `document.querySelector(".say textarea").focus(), true`)
	b.do(chromedp.KeyEvent(question), chromedp.KeyEvent(kb.Enter))
}

// receipt returns the id of the receipt of the first answer.
func (b *tab) receipt() string { return js[string](b, `location.hash.split("/").pop() + "-1"`) }

// pressIn presses a button in a part of the page.
func (b *tab) pressIn(part, label string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => { const o = [...document.querySelectorAll(%q)].find(b => b.innerText === %q && !b.disabled); o?.click(); return o; })()`, part+" button", label))
}

// talk waits for what is said in the conversation that is shown: questions and the
// ends of answers.
func (b *tab) talk(want string) {
	b.t.Helper()
	b.until(`!document.querySelector("button.danger") && [...document.querySelectorAll(".said.user > p, .said.model .markdown")].map(e => e.innerText.trim()).join(" / ") === ` + fmt.Sprintf("%q", want))
}

// TestQuestionsAskedAnewInABrowser edits a question, asks it again, and goes another
// way behind an answer: each is a conversation of its own, which leads to the others.
func TestQuestionsAskedAnewInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	p := newPlace(t).withServerModel(providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		last := r.Messages[len(r.Messages)-1].Blocks
		return providertest.Reply{Text: "Heard: " + strings.TrimSuffix(last[len(last)-1].Text, "?") + "."}
	}), provider.Anthropic).served()
	b := openTab(t, p.get("DA_SERVER")+"/")
	b.visit("/#/ask")
	b.signsIn(p)
	b.asks("First?")
	b.talk("First? / Heard: First.")
	b.asks("Second?")
	b.talk("First? / Heard: First. / Second? / Heard: Second.")
	old := js[string](b, `location.hash`)

	// By the keys alone: edit the second question.
	js[bool](b, `[...document.querySelectorAll("button")].filter(b => b.innerText === "Edit")[1].focus(), true`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.focused("Second?")
	b.check("ask-edit")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.focused("Edit")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.focused("Second?")
	js[bool](b, `document.activeElement.select(), true`)
	b.do(chromedp.KeyEvent("Other?"), chromedp.KeyEvent(kb.Enter))
	b.talk("First? / Heard: First. / Other? / Heard: Other.")
	b.until(`location.hash !== ` + fmt.Sprintf("%q", old) + ` && document.body.innerText.includes("2 of 2")`)
	b.check("ask-versions")
	b.walk("ask-versions")
	js[bool](b, `document.querySelector("[aria-label='The question before this one']").click(), true`)
	b.talk("First? / Heard: First. / Second? / Heard: Second.")
	b.until(`location.hash === ` + fmt.Sprintf("%q", old))

	// The first one again: nothing is before it.
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Run again").click(), true`)
	b.talk("First? / Heard: First.")
	b.sees("2 of 2")
	js[bool](b, `history.back(), true`)
	b.talk("First? / Heard: First. / Second? / Heard: Second.")

	// Behind the first answer, another way; and back to all of it before.
	branch := func() {
		t.Helper()
		js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Branch from here").click(), true`)
		b.talk("First? / Heard: First.")
		b.until(`document.activeElement.matches(".say textarea")`)
	}
	branch()
	b.press("Back to all of it")
	b.talk("First? / Heard: First. / Second? / Heard: Second.")
	branch()
	b.check("ask-branch")
	b.do(chromedp.KeyEvent("Third?"), chromedp.KeyEvent(kb.Enter))
	b.talk("First? / Heard: First. / Third? / Heard: Third.")
	b.sees("3 of 3")
	if n := js[int](b, `document.querySelectorAll(".ask-side .kept").length`); n != 4 {
		t.Errorf("%d conversations", n)
	}

	// Found by what was said in them, wherever.
	js[bool](b, `document.querySelector(".ask-side input[type=search]").focus(), true`)
	b.do(chromedp.KeyEvent("heard: THIRD"))
	b.sees("1 conversation")
	b.until(`document.querySelectorAll(".ask-side .kept").length === 1`)
	b.check("ask-find")
}

// TestAnswersAreOnePieceInABrowser holds that an answer has its table and its chart,
// that a figure leads to its cell and one without a source is marked, that steps open
// with what they answered and as sheets, and what could be asked next.
func TestAnswersAreOnePieceInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	const sql = "SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 3"
	model := modelSteps(func([]provider.Result) string {
		return "Of **600** flights most begin at one of three airports; 4711 are late."
	},
		[]provider.Call{providertest.Call("a", "query_remote", map[string]any{"sql": "SELECT 'all' AS what, count(*) AS n FROM flights"})},
		[]provider.Call{providertest.Call("b", "send_data_to_ui_as_df", map[string]any{"logical_name": "busiest", "sql": sql})},
		[]provider.Call{chartOf("c", sql, "column", "origin", "n", nil)})
	p := newPlace(t).withServerModel(providertest.NewServer(t, model), provider.Anthropic).served()
	b := openTab(t, p.get("DA_SERVER")+"/")
	file := b.takes(t)
	b.visit("/#/ask")
	b.signsIn(p)
	b.asks("Which airports are busy?")
	b.sees("most begin at one of three airports")
	for range 2 { // live, and as it is kept
		b.until(`document.querySelector(".talk .said.model:last-of-type [role=grid][aria-rowcount='4']") || document.querySelector(".said.model [role=grid][aria-rowcount='4']")`)
		b.until(`document.querySelector(".said.model .canvas canvas")`)
		// The sentence that answers is in view, and tables and charts come without their tools.
		b.until(`(() => { const r = [...document.querySelectorAll(".said.model > .markdown")].at(-1).getBoundingClientRect(); return r.top >= 0 && r.bottom < innerHeight; })()`)
		if tools := js[int](b, `document.querySelectorAll(".said.model :is(.chart select, .segments, .find)").length`); tools != 0 {
			t.Errorf("%d tools in an answer", tools)
		}
		b.sees("✓ marks a figure that is in a result")
		b.until(`[...document.querySelectorAll(".said.model mark")].some(m => m.textContent === "4711 (in no result)")`)
		b.press("600")
		b.sees("query_remote, row 1, column n")
		// The keys are at the cell.
		b.until(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText === "600"`)
		b.until(`!!document.querySelector(".source a[href*='SELECT']")`)
		// So are its statement, and of when it is; all of it can be taken along.
		b.until(`document.querySelector(".source pre").innerText === "SELECT 'all' AS what, count(*) AS n FROM flights"`)
		b.sees("Read at the source, as of")
		b.check("ask-figure")
		b.pressIn(".source", "CSV")
		if got := file("receipt " + b.receipt() + ".csv"); !strings.Contains(got, "\n600,query_remote,1,n,\"SELECT 'all' AS what, count(*) AS n FROM flights\",at the source,") ||
			!strings.Contains(got, "\n4711,\"no result: computed by the model, or made up\",") {
			t.Errorf("the receipt as a file:\n%s", got)
		}
		b.pressIn(".source", "Receipt as JSON")
		if got := file("receipt " + b.receipt() + ".json"); !strings.Contains(got, `"sha256": "`) {
			t.Errorf("the receipt:\n%s", got)
		}
		js[bool](b, `document.querySelector(".source .grid").focus(), true`)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.focused("600")
		b.visit(js[string](b, `"/" + location.hash`))
	}
	b.until(`[...document.querySelectorAll(".said.model button[aria-expanded=false]")].filter(b => b.innerText === "Tools").length === 2`)
	js[bool](b, `document.querySelectorAll(".said.model button[aria-expanded=false]").forEach(b => b.innerText === "Tools" && b.click()), true`)
	b.until(`document.querySelector(".said.model .chart select") && document.querySelector(".said.model .find")`)
	b.check("ask-tools")
	b.press("Answer")
	b.until(`[...document.querySelectorAll(".activity [role=gridcell]")].some(c => c.innerText === "600")`)
	b.check("ask-step")
	b.walk("ask-step")
	b.do(chromedp.EmulateViewport(1200, 900))
	b.until(`document.querySelector(".activity").getBoundingClientRect().left > document.querySelector(".ask-main").getBoundingClientRect().right`)
	b.press("Show n by origin as a bar chart.")
	b.until(`document.activeElement.value === "Show n by origin as a bar chart."`)
	js[bool](b, `[...document.querySelectorAll("a")].find(a => a.innerText === "Open the statements as a sheet").click(), true`)
	b.until(`document.querySelectorAll(".editor")[1]?.shadowRoot?.querySelector(".cm-content")`)
	b.until(`document.querySelector(".cell textarea")?.value === "Which airports are busy?"`)
	b.until(inEditor(1) + ` === ` + fmt.Sprintf("%q", sql))
	b.check("ask-sheet")
}

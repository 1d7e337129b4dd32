package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// line is a way to a server that can be cut, and stays so until it is mended.
type line struct {
	address string
	mu      sync.Mutex
	broken  bool
	open    map[net.Conn]bool
}

// newLine passes connections on to a server.
func newLine(t *testing.T, server string) *line {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	l := &line{address: "http://" + ln.Addr().String(), open: map[net.Conn]bool{}}
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
			if err != nil || !l.add(near, far) {
				near.Close()
				continue
			}
			for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
				go func() {
					_, _ = io.Copy(to, from)
					from.Close()
					to.Close()
				}()
			}
		}
	}()
	return l
}

func (l *line) add(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.open[c] = true
		if l.broken {
			c.Close()
		}
	}
	return !l.broken
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	for c := range l.open {
		c.Close()
	}
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = false
}

// hostileAnswer would run scripts if anything let it.
const hostileAnswer = "There are **600** flights.\n\n| a | b |\n|---|---|\n| 1 | <img src=x onerror=alert('md')> |\n\n" +
	"[click](javascript:alert('link')) <script>alert('script')</script><style>body{display:none}</style> ![p](https://evil.example/p.png)\n\nOf `LIMIT 31` 4711 are late."

// TestAskInABrowser signs in with a token and asks a model, over a line that is cut
// in the middle of its turn.
func TestAskInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	held, never := make(chan struct{}), make(chan struct{})
	defer close(never)
	model := heldModel(held)
	p := newPlace(t).withServerModel(providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		reply := model(r)
		if len(reply.Calls) == 0 {
			reply.Text = hostileAnswer
		}
		if strings.Contains(string(r.Raw), "Wait without end") {
			reply = providertest.Reply{Text: strings.Repeat("Endless words. ", 100), CutAt: 1200, Hold: never}
		}
		return reply
	}), provider.Anthropic).served()
	way := newLine(t, p.get("DA_SERVER"))
	b := openTab(t, way.address+"/")

	b.visit("/#/ask")
	b.sees("Paste the token")
	b.check("sign-in")
	js[bool](b, `document.querySelector("input").focus(), true`)
	b.do(chromedp.KeyEvent("da_wrong"), chromedp.KeyEvent(kb.Enter))
	b.sees("The token is not valid")
	js[bool](b, `document.querySelector("input").select(), true`)
	b.do(chromedp.KeyEvent(p.get("DA_TOKEN")), chromedp.KeyEvent(kb.Enter))
	b.sees("works with your rights")
	if kept := js[string](b, "JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie + location.href"); strings.Contains(kept, p.get("DA_TOKEN")) {
		t.Errorf("the token is kept in the browser: %s", kept)
	}
	b.check("ask-empty")
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("<b>How</b> many flights?"), chromedp.KeyEvent(kb.Enter))
	b.until(`[...document.querySelectorAll(".activity li.done")].length === 3`)
	b.until(`/^#\/ask\/\w+$/.test(location.hash)`)
	once := func(text string) {
		t.Helper()
		if n := js[int](b, fmt.Sprintf(`document.querySelector(".talk").innerText.split(%q).length - 1`, text)); n != 1 {
			t.Errorf("%q is %d times in the conversation:\n%s", text, n, js[string](b, `document.querySelector(".talk").innerText`))
		}
	}

	// The page takes up a turn that runs, after a new load and after a cut line.
	b.visit(js[string](b, `"/" + location.hash`))
	b.until(`[...document.querySelectorAll(".activity li.done")].length === 3`)
	once("Step 1.")
	way.cut()
	b.sees("The line was cut")
	way.mend()
	close(held)
	b.sees("flights.")
	b.until(`document.querySelector(".markdown strong") && document.querySelector(".markdown table")`)
	for _, text := range []string{"<b>How</b> many flights?", "Step 1.", "Step 3.", "There are 600 flights."} {
		once(text)
	}
	if n := js[int](b, `document.querySelectorAll(".activity li").length`); n != 3 {
		t.Errorf("%d steps are shown", n)
	}
	if bad := js[int](b, `document.querySelectorAll(".markdown :is(script, style, img, svg, iframe, form), .markdown a[href^=javascript]").length`); bad != 0 {
		t.Errorf("%d elements that a model may not make: %s", bad, js[string](b, `document.querySelector(".markdown").innerHTML`))
	}
	b.until(`!document.querySelector("button.danger")`)
	b.press("Where the figures come from")
	b.sees("query_remote, 1 row, at the source")
	// What rests on nothing is marked where it stands; what is in code is no figure.
	b.until(`[...document.querySelectorAll(".markdown mark")].some(m => m.textContent === "4711 (in no result)")`)
	b.sees("in no result")
	if marks := js[string](b, `[...document.querySelectorAll(".markdown mark")].map(m => m.innerText).join(" ")`); strings.Contains(marks, "600") || strings.Contains(marks, "31") {
		t.Errorf("marked are %s", marks)
	}
	b.check("ask")

	// The conversation is kept, with what was shown, and opened by its address.
	b.visit(js[string](b, `"/" + location.hash`))
	b.until(`document.querySelector(".markdown strong")`)
	// An answer that the model has withdrawn is marked as such.
	b.until(`[...document.querySelectorAll(".said.model > details .markdown")].filter(m => m.textContent.includes("There are 600 flights.")).length === 1`)
	b.until(`[...document.querySelectorAll(".said.model > .markdown")].filter(m => m.textContent.includes("There are 600 flights.")).length === 1`)
	b.press("Withdrawn by the model, as figures of it were in no result")
	b.check("ask-withdrawn")
	b.press("Data 1")
	b.sees("busiest")
	b.until(`document.querySelectorAll(".grid [role=row]").length === 4`)
	b.until(`document.querySelector(".result") && !/ 0 ms/.test(document.body.innerText)`) // it was not measured
	b.check("ask-data")
	b.press("Charts 1")
	b.until(`document.querySelector(".canvas canvas")`)
	b.check("ask-charts")
	b.walk("ask")

	// What opens in place takes the focus, and gives it back.
	const question = "<b>How</b> many flights?"
	for _, name := range []string{"Rename", "Delete"} {
		b.focus(name)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.focused(map[string]string{"Rename": question, "Delete": "Delete"}[name])
		b.until(`[...document.querySelectorAll("button")].some(b => b.innerText === "Keep")`)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.focused(name)
	}
	b.press("Rename")
	b.focused(question)
	b.do(chromedp.KeyEvent("<i>Flights</i>"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".kept")?.innerText.includes("<i>Flights</i>")`)
	b.press("Delete")
	b.press("Delete") // it asks whether one is sure
	b.until(`location.hash === "#/ask" && !document.querySelector(".kept")`)

	// A turn that would not end is stopped.
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("Wait without end?"), chromedp.KeyEvent(kb.Enter))
	b.until(`/^#\/ask\/\w+$/.test(location.hash)`)
	b.sees("Endless words.")
	b.press("Stop")
	b.sees("Stopped by you.")
	b.until(`!document.querySelector("button.danger")`)
	// What it had said stays, also when the conversation is opened again.
	said := js[string](b, `document.querySelector(".said.model .markdown").innerText`)
	b.visit(js[string](b, `"/" + location.hash`))
	b.sees("Stopped by you.")
	if again := js[string](b, `document.querySelector(".said.model .markdown")?.innerText ?? ""`); again != said || !strings.HasPrefix(said, "Endless words.") {
		t.Errorf("of %q is left %q", said, again)
	}
	b.visit("/#/check/audit")
	b.sees("queried")
	b.until(`[...document.querySelectorAll("summary")].some(s => /^chat \w+/.test(s.innerText))`)
	b.visit("/#/me")
	b.sees("Signed in on")
	b.press("Sign out")
	b.sees("Paste the token")
}

// press clicks the button, or opens the part, of a name as soon as it is there. It is found and
// clicked in one step: what is there now may be drawn anew in the next.
func (b *tab) press(label string) {
	b.t.Helper()
	quoted, err := json.Marshal(label)
	if err != nil {
		b.t.Fatal(err)
	}
	b.until(fmt.Sprintf(`(() => { const found = [...document.querySelectorAll("button, summary")].find(b => (b.innerText || b.textContent).trim() === %s && !b.disabled); found?.click(); return found; })()`, quoted))
}

// TestGuessesInAskInABrowser holds that what is to be known of the rows that a
// model shows stands beside them: with the table, and with the chart.
func TestGuessesInAskInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	const sql = "SELECT Oslo, count(*) AS n FROM bare GROUP BY ALL"
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "data", "bare.csv"), []byte("Ann,Oslo\nBob,Rome\nCid,Bern\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := modelSteps(func([]provider.Result) string { return "Two." },
		[]provider.Call{providertest.Call("a", "send_data_to_ui_as_df", map[string]any{"logical_name": "cities", "sql": sql})},
		[]provider.Call{chartOf("b", sql, "column", "Oslo", "n", nil)})
	p = p.withServerModel(providertest.NewServer(t, model), provider.Anthropic)
	instance := filepath.Join(p.dir, "instance.yaml")
	text, err := os.ReadFile(instance)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(instance, []byte(strings.TrimRight(string(text), "\n")+"\n  - { id: bare, source: files, path: bare.csv, public: true }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.served()
	b := openTab(t, p.get("DA_SERVER")+"/")
	b.visit("/#/ask")
	b.sees("Paste the token")
	js[bool](b, `document.querySelector("input").focus(), true`)
	b.do(chromedp.KeyEvent(p.get("DA_TOKEN")), chromedp.KeyEvent(kb.Enter))
	b.sees("works with your rights")
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("Which cities?"), chromedp.KeyEvent(kb.Enter))
	b.sees("Two.")
	for _, tab := range []string{"Data 1", "Charts 1"} {
		b.press(tab)
		b.sees("was taken for the names of the columns, and may be data")
		b.check("ask-" + strings.ToLower(tab[:4]))
	}
}

// TestFilesOfAMessageInABrowser attaches a file to a question: the model is told of it,
// and the conversation shows it again.
func TestFilesOfAMessageInABrowser(t *testing.T) {
	testneed.Program(t, "chromium")
	t.Parallel()
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "It has two rows." }))
	p := newPlace(t).withServerModel(model, provider.Anthropic, "files: { max_file_mb: 1 }").served()
	for _, name := range []string{"may.csv", "june.csv"} {
		if status, text := p.uploadTo("/api/files/upload", name, "a\n1\n2\n"); status != 201 {
			t.Fatal(status, text)
		}
	}
	b := openTab(t, p.get("DA_SERVER")+"/")
	b.visit("/#/ask")
	b.sees("Paste the token")
	js[bool](b, `document.querySelector("input").focus(), true`)
	b.do(chromedp.KeyEvent(p.get("DA_TOKEN")), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll("[aria-label='Attach a file'] option").length === 3`)
	if width := js[int](b, `document.querySelector(".say textarea").clientWidth`); width < 200 {
		b.t.Errorf("beside the files, the question has %d pixels", width)
	}
	for _, name := range []string{"may.csv", "june.csv"} {
		js[bool](b, fmt.Sprintf(`{ const s = document.querySelector("[aria-label='Attach a file']");
			s.value = [...s.options].find(o => o.text === %q).value; s.dispatchEvent(new Event("change", {bubbles: true})); true }`, name))
		b.until(fmt.Sprintf(`document.querySelector("[aria-label='Leave out %s']")`, name))
	}
	js[bool](b, `document.querySelector("[aria-label='Leave out june.csv']").click(), true`)
	b.until(`!document.querySelector("[aria-label='Leave out june.csv']")`)
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("How many?"), chromedp.KeyEvent(kb.Enter))
	b.sees("It has two rows.")
	const chips = `[...document.querySelectorAll("[aria-label='Files of the question'] a")].map(a => a.innerText).join() === "may.csv"`
	b.until(chips)
	b.check("ask-files")
	js[bool](b, `location.reload(), true`)
	b.until(chips)
	requests := model.Requests()
	blocks := requests[0].Messages[0].Blocks
	if text := blocks[len(blocks)-1].Text; !strings.Contains(text, "attached these files") || !strings.Contains(text, "may.csv") || strings.Contains(text, "june") {
		t.Errorf("the model is told: %s", text)
	}
}

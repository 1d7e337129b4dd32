package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/setup"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// demoPlace is a place over the data of the demo.
func demoPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	text, err := os.ReadFile("demo/instance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("demo/data")
	if err != nil {
		t.Fatal(err)
	}
	instance := strings.NewReplacer("./data", data, "./dashboards", filepath.Join(filepath.Dir(data), "dashboards"), "./demo-state", "./state").Replace(string(text))
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPicturesOfThePage makes the pictures of docs/page.md: DA_PICTURES names the folder.
func TestPicturesOfThePage(t *testing.T) {
	dir := os.Getenv("DA_PICTURES")
	if dir == "" {
		return // pictures are made on request
	}
	t.Setenv("DA_SCREENSHOTS", dir)
	p := demoPlace(t)
	address, code, _ := openPage(t, p)
	b := openTab(t, address+"/")
	b.do(chromedp.EmulateViewport(1200, 800))
	b.visit("/#code=" + code)
	b.until(`document.querySelectorAll(".tile canvas").length === 3`)
	b.picture("page-dashboard")
	p.ok("note", "flights.delay", "Minutes; flights that left early are below 0.")
	p.ok("saved", "add", "late_from", "SELECT count(*) AS n FROM flights WHERE origin = $from AND delay > 15",
		"--question", "How many flights of an airport were late?", "--param", "from=SEA")
	b.visit("/#/tables/flights/related")
	b.sees("How many flights of an airport were late?")
	b.until(`document.querySelector(".er .line")`)
	b.picture("page-related")
	b.visit(`/#/tables/flights/figures?of={"figures":[{"how":"mean","of":"delay"}],"by":[{"column":"date","grain":"week"}]}`)
	b.press("Show")
	b.until(`document.querySelector(".canvas canvas")`)
	b.picture("page-figures")
	b.visit("/#/tables/flights/part?select=date%2Cdelay%2Corigin%2Cdestination&where=delay+%3E+120+AND+origin+%3D+%27ORD%27")
	b.sees("da fetch")
	b.press("Show rows")
	b.sees("356 rows")
	b.picture("page-part")
	b.draft("SELECT origin, count(*) AS late\nFROM flights\nWHERE delay > 120\nGROUP BY ALL\nORDER BY late DESC\nLIMIT 20")
	js[bool](b, "localStorage.setItem('da.theme', 'dark'), true")
	b.opensSQL()
	b.press("Run")
	b.sees("20 rows")
	b.press("Chart")
	b.until(`document.querySelector(".canvas canvas")`)
	b.picture("page-sql")

	// A model that is scripted answers about the tables that most tests have.
	held := make(chan struct{})
	close(held)
	model := heldModel(held)
	p = newPlace(t).withServerModel(providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		reply := model(r)
		if len(reply.Calls) > 0 {
			reply.Text = ""
		} else {
			reply.Text += " The **three busiest airports** are under Data and Charts."
		}
		return reply
	}), provider.Anthropic, "files: {}").served()
	b = openTab(t, p.get("DA_SERVER")+"/")
	b.do(chromedp.EmulateViewport(1500, 720))
	b.visit("/#/ask")
	b.sees("Paste the token")
	js[bool](b, `document.querySelector("input").focus(), true`)
	b.do(chromedp.KeyEvent(p.get("DA_TOKEN")), chromedp.KeyEvent(kb.Enter))
	b.sees("works with your rights")
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("How many flights are there, and where from?"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".said.model, .markdown") && !document.querySelector("button.danger")`)
	b.press("Where the figures come from")
	b.sees("at the source")
	b.picture("page-ask")
}

// TestCaveatsInABrowser shows on the page what TestScreensOfCaveats shows in a terminal.
// DA_SCREENSHOTS names the folder of its pictures, those of docs/caveats.md.
func TestCaveatsInABrowser(t *testing.T) {
	address, code, _ := openPage(t, caveatPlace(t).with(envLater+"=960h"))
	b := openTab(t, address+"/")
	b.do(chromedp.EmulateViewport(800, 900))
	b.visit("/#code=" + code)
	b.sees("wide")
	b.visit("/#/snapshots/old")
	b.sees("Snapshot 'old' is 40 days old")
	b.picture("caveat-stale")
	for name, says := range map[string]string{"wide": "Only the first 2 rows are here", "bare": "line 1 was taken for the names of the columns"} {
		b.visit("/#/tables/" + name + "/part")
		b.press("Show rows")
		b.sees(says)
		b.picture(map[string]string{"wide": "caveat-cut", "bare": "caveat-guessed"}[name])
	}
}

// TestWhatThePageCosts measures da serve with all that it can offer and with nothing but
// its core, and how soon the page is usable: DA_PAGE_COSTS names the binary of da, and
// others after commas to hold it against.
func TestWhatThePageCosts(t *testing.T) {
	binaries := os.Getenv("DA_PAGE_COSTS")
	if binaries == "" {
		return // figures are made on request, on a machine that does nothing else
	}
	model := providertest.NewServer(t, modelSteps(nil))
	with := newPlace(t).withServerModel(model, provider.Anthropic, "files: {}")
	measure := func(binary, name string, p *place) {
		var took []time.Duration
		var memory []int64
		for range 9 {
			since, bytes := p.starts(binary)
			took, memory = append(took, since), append(memory, bytes)
		}
		slices.Sort(took)
		slices.Sort(memory)
		t.Logf("%s serve, %s: ready after %s, then %d MB", binary, name, took[4].Round(time.Millisecond), memory[4]/1e6)
	}
	for i, binary := range strings.Split(binaries, ",") {
		measure(binary, "its core", newPlace(t))
		if i == 0 {
			measure(binary, "with files and a model", with)
		}
	}

	address, code, _ := openPage(t, newPlace(t))
	b := openTab(t, address+"/")
	b.visit("/#code=" + code)
	b.sees("airports")
	var took []int
	for range 9 {
		b.visit("/")
		took = append(took, js[int](b, `new Promise(done => { const look = () => document.querySelector(".card a") ? done(Math.round(performance.now())) : requestAnimationFrame(look); look(); })`))
	}
	slices.Sort(took)
	t.Logf("the page is usable after %d ms, at most %d", took[4], took[8])
}

// starts runs a server, and returns how long it took until it was ready, and the memory
// that it then keeps.
func (p *place) starts(binary string) (ready time.Duration, memory int64) {
	p.t.Helper()
	cmd := p.command("serve", "--listen", "127.0.0.1:0")
	cmd.Path = binary
	stderr, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	if _, _, err := setup.Announced(stderr); err != nil {
		p.t.Fatal(err)
	}
	ready = time.Since(began)
	<-time.After(3 * time.Second) // it gives back what only the start needed
	memory = resident(p.t, cmd.Process.Pid)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	return ready, memory
}

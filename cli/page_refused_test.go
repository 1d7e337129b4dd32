package cli

import (
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestWhatIsRefusedInABrowser holds that a table without a grant is not there, by whatever
// way one comes to it, that an answer over a call that failed says so, and that a server that
// is gone takes nothing along.
func TestWhatIsRefusedInABrowser(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "chromium")
	model := modelSteps(func([]provider.Result) string { return "There are 3 airports." },
		[]provider.Call{providertest.Call("a", "query_remote", map[string]any{"sql": "SELECT count(*) AS n FROM airports"})})
	p := newPlace(t).withServerModel(providertest.NewServer(t, model), provider.Anthropic)
	ann := p.served().as("ann")
	way := newLine(t, ann.get("DA_SERVER"))
	b := openTab(t, way.address+"/")
	b.visit("/#/tables/airports")
	b.signsIn(ann)
	// refused looks at a refusal. The browser reports it on its console.
	refused := func(name, says string) {
		t.Helper()
		b.sees(says)
		for _, fault := range js[[]string](b, `faults.splice(0)`) {
			t.Log(fault)
		}
		b.check(name)
	}
	refused("refused-link", "No access to table 'airports'.")
	b.runs("SELECT * FROM airports")
	refused("refused-sql", "No access to table 'airports'.")
	b.visit("/#/ask")
	b.asks("How many airports are there?")
	b.sees("There are 3 airports.")
	for range 2 { // live, and as it is kept
		b.sees("The last call of query_remote failed, so what it was to do is not done: no access to table 'airports'")
		b.until(`!document.querySelector("button.danger")`)
		b.check("refused-ask")
		b.visit(js[string](b, `"/" + location.hash`))
	}

	// A server that is gone is told, and what was asked can be asked again when it is back.
	b.visit("/#/tables/flights/part?where=delay+%3D+1&select=delay")
	b.until(`[...document.querySelectorAll("button.primary")].some(b => b.innerText === "Show rows")`)
	b.sees("Billed")
	way.cut()
	js[bool](b, `document.querySelector("fieldset.chips [aria-pressed=false]").click(), true`) // its price does not come
	refused("server-gone", "The server cannot be reached.")
	way.mend()
	b.press("Try again")
	b.press("Show rows")
	b.until(`document.querySelector(".grid-row")`)
}

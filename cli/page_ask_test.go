package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/providertest"
	"github.com/agnes-data/da/internal/testneed"
)

// TestAskInABrowser signs in with a token and asks a model, whose answer would run
// scripts if anything let it.
func TestAskInABrowser(t *testing.T) {
	testneed.Program(t, "chromium")
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string {
		return "There are **" + firstCell(last) + "** airports.\n\n| a | b |\n|---|---|\n| 1 | <img src=x onerror=alert('md')> |\n\n" +
			"[click](javascript:alert('link')) <script>alert('script')</script><style>body{display:none}</style> ![p](https://evil.example/p.png)"
	},
		[]provider.Call{providertest.Call("a", "catalog_search", map[string]any{"query": "<script>alert('args')</script>"})},
		[]provider.Call{providertest.Call("b", "query_remote", map[string]any{"sql": "SELECT count(*) AS n FROM airports"})}))
	p := newPlace(t).withServerModel(model, provider.Anthropic).served()
	b := openTab(t, p.get("DA_SERVER")+"/")

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
	js[bool](b, `document.querySelector("textarea").focus(), true`)
	b.do(chromedp.KeyEvent("How many airports?"), chromedp.KeyEvent(kb.Enter))
	b.sees("airports.")
	b.until(`[...document.querySelectorAll(".activity li.done")].length === 2`)
	b.until(`document.querySelector(".markdown strong") && document.querySelector(".markdown table")`)
	b.until(`/^#\/ask\/\w+$/.test(location.hash)`)
	if bad := js[int](b, `document.querySelectorAll(".markdown :is(script, style, img, svg, iframe, form), .markdown a[href^=javascript]").length`); bad != 0 {
		t.Errorf("%d elements that a model may not make: %s", bad, js[string](b, `document.querySelector(".markdown").innerHTML`))
	}
	b.check("ask")
	// The conversation is kept, and opened by its address.
	b.visit(js[string](b, `"/" + location.hash`))
	b.sees("How many airports?")
	b.until(`document.querySelector(".markdown strong")`)
	js[bool](b, `document.querySelector("button[aria-label^=Delete]").click(), true`)
	b.until(fmt.Sprintf("location.hash === %q && !document.querySelector(%q)", "#/ask", "button[aria-label^=Delete]"))
	b.visit("/#/check/audit")
	b.sees("queried")
	b.visit("/#/me")
	b.sees("Signed in on")
	js[bool](b, `[...document.querySelectorAll("button")].find(b => b.innerText === "Sign out").click(), true`)
	b.sees("Paste the token")
}

package cli

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// line makes the line between the tab and its server as slow as told, or cuts it.
func (b *tab) line(as network.Conditions) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{&as}})
		return err
	}))
}

// TestASlowLineInABrowser holds that whatever waits says for what and how much has
// come, and that neither Stop nor a line that is cut takes away what was there.
func TestASlowLineInABrowser(t *testing.T) {
	t.Parallel()
	b := openMany(t)
	slow := network.Conditions{Latency: 300, DownloadThroughput: 2_000, UploadThroughput: 2_000} // nothing ends while it is looked at
	whole := network.Conditions{DownloadThroughput: -1, UploadThroughput: -1}
	const shown = `document.querySelectorAll(".grid-row").length > 5`

	const long = "SELECT n, concat(md5(concat(n, 'a')), md5(concat(n, 'b')), md5(concat(n, 'c')), md5(concat(n, 'd'))) AS w FROM many"
	b.runs("SELECT k, n FROM many")
	b.until(shown)
	b.runs(long)
	b.sees("2,000 rows (the first; there may be more)")
	b.line(slow)
	b.press("Run")
	b.sees("The rows come…")
	b.until(`/come….* have come/.test(document.body.innerText)`)
	b.check("slow-run")
	b.press("Stop")
	b.sees("Stopped. Below is the result of the run before.")
	b.until(shown)

	b.line(network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	b.press("Run")
	b.sees("The server cannot be reached")
	b.until(shown)
	b.check("cut-run")

	b.line(slow)
	js[bool](b, `window.showSaveFilePicker = undefined, true`)
	b.until(`(() => { const all = document.querySelector("[data-do='Export all rows as CSV']"); all?.click(); return all; })()`)
	b.sees("The file is made")
	b.until(`/made.*… .* have come/.test(document.body.innerText)`)
	b.check("slow-file")
	b.press("Stop")
	b.sees("Stopped: there is no file")
	b.until(shown)
	b.check("stopped-file")

	// A part of the page that the line has lost can be asked for once more.
	b.line(network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	js[bool](b, `location.hash = "#/tables/many", true`)
	b.sees("A part of the page could not be loaded")
	b.line(whole)
	b.press("Load the page again")
	b.sees("BIGINT")
}

// TestTypingWhileTheEditorComesInABrowser holds that a statement is what was typed: at
// whatever key the editor takes the place of the plain field, no key is lost or moved.
func TestTypingWhileTheEditorComesInABrowser(t *testing.T) {
	t.Parallel()
	b := openMany(t)
	const there = `!!document.querySelector(".editor:not([hidden])")`
	slow := network.Conditions{Latency: 30, DownloadThroughput: 400_000, UploadThroughput: 150_000}
	// empty shows an empty sheet, whose editor is on its way.
	empty := func() {
		b.draft("")
		b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
			return err
		}))
		slow.Latency += 3
		b.line(slow)
		b.visit("/#/sql")
		b.until(`document.querySelector("textarea.code")?.focus() || document.activeElement.matches("textarea.code")`)
	}
	for seed := range uint64(20) {
		empty()
		var typed strings.Builder
		random := rand.New(rand.NewPCG(seed, 0))
		keys := func(pieces ...string) {
			for _, key := range pieces[random.IntN(len(pieces))] {
				b.do(chromedp.KeyEvent(string(key)))
				typed.WriteRune(key)
			}
		}
		for range 1 + random.IntN(4) { // its length moves what is being typed when the editor comes
			keys("SELECT origin, ", "SELECT ", "SELECT k AS n, ")
		}
		pieces := []string{"count(*) AS n, ", "'it is (so' || k, ", "sum((n + 1) * 2) AS \"all [n]\", ", "coalesce(k, 'a', '') AS x, "}
		for !js[bool](b, there) {
			keys(pieces...)
		}
		keys(pieces...)
		keys("count(*) FROM many")
		if got := js[string](b, inEditor(0)); got != typed.String() {
			t.Errorf("seed %d: typed %q\nbut the editor has %q", seed, typed.String(), got)
		}
	}

	// What an input method has begun is ended where it began.
	empty()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: "に", SelectionStart: 1, SelectionEnd: 1})
		return err
	}))
	b.until(`performance.getEntriesByType("resource").some(r => r.name.includes("editor"))`)
	if js[bool](b, there) {
		t.Error("the editor came while an input method was at work")
	}
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: "日本"})
		return err
	}))
	b.until(there)
	b.do(chromedp.KeyEvent("!"))
	if got := js[string](b, inEditor(0)); got != "日本!" {
		t.Errorf("an input method wrote %q", got)
	}
}

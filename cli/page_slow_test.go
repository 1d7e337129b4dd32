package cli

import (
	"context"
	"testing"

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
	b.sees("Stopped. What is below is of the run before.")
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

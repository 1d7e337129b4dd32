package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// takes allows the tab to save files, and returns what waits for
// a file of a name and returns its content.
func (b *tab) takes(t *testing.T) (file func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
		return err
	}))
	return func(name string) string {
		t.Helper()
		at := filepath.Join(dir, name)
		for end := time.Now().Add(pagePatience); ; <-time.After(20 * time.Millisecond) {
			// Its name is reserved by an empty file, until it is whole.
			if text, err := os.ReadFile(at); err == nil && len(text) > 0 {
				if err := os.Remove(at); err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			if time.Now().After(end) {
				t.Fatalf("%s was not saved", name)
			}
		}
	}
}

// focusFault says what is wrong with where the focus is: "" nothing, "end" it has been
// everywhere.
const focusFault = `(async () => {
	const at = document.activeElement;
	if (!at || at === document.body || walked.has(at)) return "end";
	walked.add(at);
	const inner = at.shadowRoot?.activeElement ?? at;
	const marked = (e, part) => { const s = e && getComputedStyle(e, part); return s && s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; };
	const box = inner.getBoundingClientRect();
	if (box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth) return "out of sight: " + inner.outerHTML.slice(0, 160);
	const editor = inner.closest(".cm-editor");
	for (let frames = 0; editor && !marked(editor) && frames < 1000; frames++) await new Promise(requestAnimationFrame); // it marks itself later
	return marked(inner) || marked(inner, "::after") || marked(editor) ? "" : "not marked: " + inner.outerHTML.slice(0, 160);
})()`

// walk goes through the page with the Tab key: each control is reached, marked and in
// sight while it has the focus, and lets the focus go. In the head of a grid arrows do that.
func (b *tab) walk(name string) {
	b.t.Helper()
	js[bool](b, `document.querySelector("a[href], button, input").focus(), window.walked = new Set([document.activeElement]), true`)
	for range 400 {
		b.do(chromedp.KeyEvent(kb.Tab))
		fault := js[string](b, focusFault)
		if fault == "end" {
			break
		}
		if fault != "" {
			b.t.Errorf("%s: the focus is %s", name, fault)
		}
	}
	for _, missed := range js[[]string](b, `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
		.filter(e => !e.disabled && !e.hidden && e.checkVisibility() && !walked.has(e) && !e.closest("[role=columnheader]")).map(e => e.outerHTML.slice(0, 160))`) {
		b.t.Errorf("%s: Tab does not reach %s", name, missed)
	}
}

// focused waits until the control of a label has the focus.
func (b *tab) focused(label string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`[document.activeElement.innerText?.trim(), document.activeElement.getAttribute("aria-label"), document.activeElement.value].includes(%q)`, label))
}

// focus gives a button the focus, as Tab would.
func (b *tab) focus(label string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`(() => { const found = [...document.querySelectorAll("button")].find(b => b.innerText.trim() === %q && !b.disabled); found?.focus(); return found; })()`, label))
}
